/// What one undo takes back: actions in the order they were registered, and groups inside.
struct UndoGroup<Action> {
    /// An action, or a group that was opened and closed inside this one.
    enum Entry {
        case action(Action, isDiscardable: Bool)
        case group(UndoGroup)
    }

    /// What was registered, oldest first.
    private(set) var entries: [Entry] = []
    /// The name a menu shows behind "Undo"; empty if there is none.
    var name = ""
    /// What the registrar attached, by key.
    var userInfo: [String: Any] = [:]
    /// Whether it was opened for a pass of the run loop rather than by a call.
    let isAutomatic: Bool

    init(isAutomatic: Bool) {
        self.isAutomatic = isAutomatic
    }

    /// A group that records the reverse of `other`: same name, same user info, nothing in it.
    init(reversing other: UndoGroup) {
        isAutomatic = false
        name = other.name
        userInfo = other.userInfo
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether every action may be lost without harm; also true of a group without actions.
    var isDiscardable: Bool {
        entries.allSatisfy { entry in
            switch entry {
            case .action(_, let isDiscardable): isDiscardable
            case .group(let group): group.isDiscardable
            }
        }
    }

    /// Every action, newest first: the order in which they are taken back.
    var actionsNewestFirst: [Action] {
        entries.reversed().flatMap { entry in
            switch entry {
            case .action(let action, _): [action]
            case .group(let group): group.actionsNewestFirst
            }
        }
    }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
    }

    /// Takes out the newest entry if it is a group.
    mutating func popGroup() -> UndoGroup? {
        guard case .group(let group)? = entries.last else { return nil }
        entries.removeLast()
        return group
    }

    /// Marks the newest action, looking into groups.
    ///
    /// Without any action nothing changes.
    mutating func setNewestActionDiscardable(_ isDiscardable: Bool) {
        switch entries.last {
        case .action(let action, _)?:
            entries[entries.count - 1] = .action(action, isDiscardable: isDiscardable)
        case .group(var group)?:
            group.setNewestActionDiscardable(isDiscardable)
            entries[entries.count - 1] = .group(group)
        case nil: break
        }
    }

    /// Drops the actions that `shouldRemove` names and the inner groups that lost their last entry by it.
    mutating func removeActions(where shouldRemove: (Action) -> Bool) {
        entries = entries.compactMap { entry in
            switch entry {
            case .action(let action, _):
                return shouldRemove(action) ? nil : entry
            case .group(var group):
                let wasEmpty = group.isEmpty
                group.removeActions(where: shouldRemove)
                return group.isEmpty && !wasEmpty ? nil : .group(group)
            }
        }
    }
}

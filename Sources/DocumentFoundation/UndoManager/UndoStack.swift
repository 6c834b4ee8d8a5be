/// What can be undone and redone, without notifications, run loop or calls to anybody.
///
/// 1. While idle and while redoing, groups are recorded on the undo side; while undoing, on the redo side.
/// 2. Only an action registered while idle empties the redo side.
/// 3. A group closed inside an open one becomes its newest entry; otherwise it becomes a step of its side.
/// 4. A side never keeps more than `levelsMax` steps; the oldest go first. 0 means no limit.
/// 5. On the redo side a group is open only while undoing.
///
///        beginUndo()                    beginRedo()
///     idle ----------> undoing       idle ----------> redoing
///          <----------                    <----------
///          finish()                       finish()
struct UndoStack<Action> {
    typealias Group = UndoGroup<Action>

    /// What is being performed.
    enum Mode { case idle, undoing, redoing }

    private struct Side {
        var steps: [Group] = []
        /// Open groups, outermost first.
        var open: [Group] = []

        mutating func trim(to levelsMax: Int) {
            guard levelsMax > 0, steps.count > levelsMax else { return }
            steps.removeFirst(steps.count - levelsMax)
        }

        mutating func removeActions(where shouldRemove: (Action) -> Bool) {
            steps = steps.compactMap { step in
                var kept = step
                kept.removeActions(where: shouldRemove)
                return kept.isEmpty && !step.isEmpty ? nil : kept
            }
            for index in open.indices { open[index].removeActions(where: shouldRemove) }
        }
    }

    private(set) var mode = Mode.idle
    private var undoSide = Side()
    private var redoSide = Side()
    /// How many groups were open on the undo side when the running undo or redo began.
    private var levelBefore = 0

    /// The most steps either side keeps; 0 for no limit.
    var levelsMax = 0 {
        didSet {
            undoSide.trim(to: levelsMax)
            redoSide.trim(to: levelsMax)
        }
    }

    private var recording: Side {
        get { mode == .undoing ? redoSide : undoSide }
        set { if mode == .undoing { redoSide = newValue } else { undoSide = newValue } }
    }

    // MARK: What there is

    /// How many groups are open on the side that is recorded on.
    var groupingLevel: Int { recording.open.count }

    /// The group that undoing as a whole would take back, open or closed.
    var nextUndo: Group? {
        if let outermost = undoSide.open.first, !outermost.isEmpty { return outermost }
        return undoSide.steps.last
    }

    var nextRedo: Group? { redoSide.steps.last }

    var undoCount: Int { undoSide.steps.count + (undoSide.open.contains { !$0.isEmpty } ? 1 : 0) }

    var redoCount: Int { redoSide.steps.count }

    /// The group that `closeGroup` would close.
    var innermostOpen: Group? { recording.open.last }

    /// Whether all that is in the open groups may be lost without harm; true of nothing.
    var isOpenDiscardable: Bool { recording.open.allSatisfy { $0.isDiscardable } }

    /// Whether there is such an action on either side, in open groups too.
    func contains(where isWanted: (Action) -> Bool) -> Bool {
        [undoSide, redoSide].contains { side in
            (side.steps + side.open).contains { $0.actionsNewestFirst.contains(where: isWanted) }
        }
    }

    /// The open group that contains all others.
    var outermostOpen: Group? { recording.open.first }

    // MARK: Recording

    mutating func openGroup(isAutomatic: Bool) {
        recording.open.append(Group(isAutomatic: isAutomatic))
    }

    /// Closes the innermost open group.
    ///
    /// One opened for a pass of the run loop is forgotten if it is empty.
    ///
    /// - Returns: Whether it was kept.
    @discardableResult
    mutating func closeGroup() -> Bool {
        var side = recording
        defer { recording = side }
        guard let group = side.open.popLast() else {
            preconditionFailure("a group was closed while none is open (\(mode))")
        }
        if let parent = side.open.indices.last {
            side.open[parent].append(.group(group))
            if side.open[parent].name.isEmpty { side.open[parent].name = group.name }
        } else if !group.isEmpty || !group.isAutomatic {
            side.steps.append(group)
            side.trim(to: levelsMax)
        } else {
            return false
        }
        return true
    }

    /// Adds to the innermost open group.
    mutating func append(_ action: Action) {
        precondition(groupingLevel > 0, "an action was added while no group is open (\(mode))")
        recording.open[groupingLevel - 1].append(.action(action, isDiscardable: false))
        if mode == .idle { redoSide.steps.removeAll() }
    }

    /// Changes what the outermost open group says about itself.
    mutating func describeOutermost(_ describe: (inout Group) -> Void) {
        precondition(groupingLevel > 0, "a group was described while none is open (\(mode))")
        describe(&recording.open[0])
    }

    mutating func setNewestActionDiscardable(_ isDiscardable: Bool) {
        precondition(groupingLevel > 0, "an action was marked while no group is open (\(mode))")
        recording.open[groupingLevel - 1].setNewestActionDiscardable(isDiscardable)
    }

    // MARK: Undoing and redoing

    /// Whether the newest thing recorded is a closed group, so that it can be taken back by itself.
    var canUndoNested: Bool {
        guard let innermost = undoSide.open.last else { return true }
        if case .group? = innermost.entries.last { return true }
        return false
    }

    /// Takes the newest closed group, inside an open one or not, and opens its counterpart for redoing.
    ///
    /// - Returns: The group whose actions are to be performed; nil if there is none, and nothing has begun.
    mutating func beginUndo() -> Group? {
        precondition(mode == .idle, "an undo began while \(mode)")
        precondition(canUndoNested, "an undo began while its newest action is in an open group")
        guard var group = takeNewestGroup() else { return nil }
        if group.name.isEmpty, let outermost = undoSide.open.first { group.name = outermost.name }
        levelBefore = undoSide.open.count
        mode = .undoing
        redoSide.open.append(Group(reversing: group))
        return group
    }

    /// Takes the newest step that was undone and opens its counterpart for undoing.
    mutating func beginRedo() -> Group? {
        precondition(mode == .idle, "a redo began while \(mode)")
        guard let group = redoSide.steps.popLast() else { return nil }
        levelBefore = undoSide.open.count
        mode = .redoing
        undoSide.open.append(Group(reversing: group))
        return group
    }

    /// How many groups the handlers of the running undo or redo have left open.
    var levelLeftOpen: Int {
        switch mode {
        case .idle: 0
        case .undoing: redoSide.open.count
        case .redoing: undoSide.open.count - levelBefore
        }
    }

    /// Ends the running undo or redo; what it recorded must be closed.
    mutating func finish() {
        precondition(mode != .idle, "an undo or redo was finished that had not begun")
        precondition(levelLeftOpen <= 0, "an undo or redo was finished with \(levelLeftOpen) groups open")
        mode = .idle
    }

    private mutating func takeNewestGroup() -> Group? {
        guard let innermost = undoSide.open.indices.last else { return undoSide.steps.popLast() }
        return undoSide.open[innermost].popGroup()
    }

    // MARK: Forgetting

    /// Forgets every action and every group, open ones too.
    mutating func removeAll() {
        undoSide = Side()
        redoSide = Side()
        levelBefore = 0
    }

    mutating func removeActions(where shouldRemove: (Action) -> Bool) {
        undoSide.removeActions(where: shouldRemove)
        redoSide.removeActions(where: shouldRemove)
    }
}

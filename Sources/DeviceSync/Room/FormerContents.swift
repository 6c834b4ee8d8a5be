internal import Sync

/// What of a container's contents only former states of its items have, as the log says. Pure.
///
/// A state is former once another entry about its item has come. What was looked at before is not looked at again: only what
/// has become former after a position counts.
struct FormerContents {
    private let position: LogPosition
    private var present: [ItemID: ItemState] = [:]
    private var former: [ContentName: LogPosition] = [:]

    /// - Parameter position: What had become former up to there was released.
    init(after position: LogPosition) { self.position = position }

    /// Reads the next entry.
    mutating func read(_ entry: LogEntry) {
        let before = present[entry.commit.item]
        present[entry.commit.item] = entry.commit.state
        guard entry.position > position else { return }
        let contents = entry.commit.state?.contents ?? []
        before?.forEachContent { content in
            if !contents.contains(content) { former[content] = min(former[content] ?? .max, entry.position) }
        }
    }

    /// What items have, and the versions that have lost a conflict which nobody has settled.
    var needed: Set<ContentName> {
        present.values.reduce(into: []) { needed, state in state.forEachContent { needed.insert($0) } }
    }

    /// What no item has any more, and after which entry that is so.
    var unneeded: [ContentName: LogPosition] {
        var unneeded = former
        for state in present.values { state.forEachContent { unneeded[$0] = nil } }
        return unneeded
    }
}

/// A large change that a person has decided on: what of it one can go back to.
package struct LargeChange: Hashable, Sendable {
    /// What has been removed or replaced.
    package var items: Set<ItemID>
    /// How far the log had been read before that.
    package var restorePoint: LogPosition
    /// How far it had been read when the change was over.
    package var endPoint: LogPosition

    package init(items: Set<ItemID>, restorePoint: LogPosition, endPoint: LogPosition) {
        (self.items, self.restorePoint, self.endPoint) = (items, restorePoint, endPoint)
    }

    /// What an item was before a large change, and what that has made of it.
    package struct Former: Hashable, Sendable {
        package var state: ItemState
        /// The contents that it had when the change was over; nil for: it was no more.
        package var replacement: ContentName?

        package init(_ state: ItemState, replacement: ContentName?) {
            (self.state, self.replacement) = (state, replacement)
        }
    }

    /// What the items were at the restore point, with the folders that they were in. What came after that was, for all that is
    /// known, what it was before its last removal or replacement.
    ///
    /// - Parameter entries: The log, from the first entry on.
    package func formers(in entries: some Sequence<LogEntry>) -> [ItemID: Former] {
        var tree = ContainerTree()
        var states: [ItemID: ItemState] = [:]
        var late: [ItemID: ItemState] = [:]
        for entry in entries where entry.position <= endPoint {
            let item = entry.commit.item
            let before = tree[item]
            _ = tree.read(entry)
            if entry.position == restorePoint { states = self.states(in: tree) }
            guard entry.position > restorePoint, items.contains(item), states[item] == nil, let before
            else { continue }
            if tree[item].map({ !$0.hasContent(of: before) }) ?? true { late[item] = before }
        }
        states.merge(late) { state, _ in state }
        var formers: [ItemID: Former] = [:]
        for (item, state) in states {
            formers[item] = Former(state, replacement: tree[item]?.content)
        }
        return formers
    }

    /// The items as a log had them, and all folders that they were in.
    private func states(in tree: ContainerTree) -> [ItemID: ItemState] {
        var states: [ItemID: ItemState] = [:]
        for item in items {
            var at = item
            while at != .root, states[at] == nil, let state = tree[at] {
                states[at] = state
                at = state.parent
            }
        }
        return states
    }
}

/// What there is of changes so large that a person is asked first, in one folder.
package struct LargeChanges: Hashable, Sendable, Codable {
    /// Those that wait for a person.
    package var waiting: [SyncStatus.Brake]
    /// The last one that has gone on, for 30 days; nil for none.
    package var last: SyncStatus.LargeChange?

    package init(waiting: [SyncStatus.Brake] = [], last: SyncStatus.LargeChange? = nil) {
        (self.waiting, self.last) = (waiting, last)
    }
}

/// What somebody gets who goes back to what was before a large change.
package struct WayBack: Hashable, Sendable, Codable {
    /// So many items become what they were.
    package var itemCount: Int
    /// What was edited since, and stays as it is.
    package var newer: [String]
    /// What cannot be had any more, here or at the hub.
    package var lost: [String]
    /// The entry of the log after which the change came.
    package var restorePoint: UInt64

    package init(itemCount: Int, newer: [String], lost: [String], restorePoint: UInt64) {
        (self.itemCount, self.newer, self.lost) = (itemCount, newer, lost)
        self.restorePoint = restorePoint
    }
}

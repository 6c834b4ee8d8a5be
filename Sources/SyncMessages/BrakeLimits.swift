/// How large a change has to be for a person to be asked first, in one folder of this device.
package struct BrakeLimits: Hashable, Sendable, Codable {
    /// Nobody is asked.
    package var isOff = false
    /// More than so many items of a hundred.
    package var sharePercent = 50
    /// And at least so many items.
    package var countMin = 20

    package init() {}
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

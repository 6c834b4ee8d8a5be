/// A place in a container's log: the first entry has 1. Of an item: that of the last commit about it, 0 for none.
package typealias LogPosition = UInt64

/// One device of those that share a container.
package struct DeviceID: Hashable, Comparable, Sendable {
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package static func < (left: DeviceID, right: DeviceID) -> Bool { left.number < right.number }
}

/// What a device wants an item to be.
package struct Commit: Hashable, Sendable {
    /// Tells a commit from all others, so that one that is sent twice counts once.
    package struct ID: Hashable, Sendable {
        package let device: DeviceID
        /// A random number for each time that the engine is started: one that has forgotten what it sent, as its memory
        /// was put back to what it was once, must not send anything else under the same identifier.
        package let session: UInt64
        package let number: UInt64

        package init(_ device: DeviceID, session: UInt64, _ number: UInt64) {
            (self.device, self.session, self.number) = (device, session, number)
        }
    }

    package var id: ID
    package var item: ItemID
    /// The last commit about the item that the device knew of.
    package var base: LogPosition
    /// Nil for: it is to be no more.
    package var state: ItemState?

    package init(_ id: ID, _ item: ItemID, on base: LogPosition, _ state: ItemState?) {
        (self.id, self.item, self.base, self.state) = (id, item, base, state)
    }
}

/// A commit that has been accepted.
package struct LogEntry: Hashable, Sendable {
    package let position: LogPosition
    package let commit: Commit

    package init(_ position: LogPosition, _ commit: Commit) {
        (self.position, self.commit) = (position, commit)
    }
}

/// The hub's rule for commits to one container. Pure: whoever hosts it makes an entry durable before it answers.
///
/// A commit is accepted when nothing has been committed about its item since its base. That is all that the hub
/// decides: it cannot read what it keeps, and what commits mean together is worked out by the devices, each alike,
/// from the order in which they were accepted (`ContainerTree`).
package struct ContainerLog: Sendable {
    package enum Answer: Hashable, Sendable {
        case accepted(LogPosition)
        /// Something has been committed about the item meanwhile: the log is to be read at least to there.
        case refused(readTo: LogPosition)
    }

    package private(set) var entries: [LogEntry] = []
    private var last: [ItemID: LogEntry] = [:]

    package init() {}

    /// The position of the last entry.
    package var head: LogPosition { LogPosition(entries.count) }

    /// Takes a commit, or says why not. The same commit again gets the same answer as long as it is the last of its item.
    package mutating func offer(_ commit: Commit) -> Answer {
        let known = last[commit.item]
        if let known, known.commit.id == commit.id { return .accepted(known.position) }
        guard known?.position ?? 0 == commit.base else { return .refused(readTo: known?.position ?? 0) }
        let entry = LogEntry(head + 1, commit)
        entries.append(entry)
        last[commit.item] = entry
        return .accepted(entry.position)
    }

    /// What comes after a position, in order.
    package func entries(after position: LogPosition) -> ArraySlice<LogEntry> {
        entries[Int(min(position, head))...]
    }
}

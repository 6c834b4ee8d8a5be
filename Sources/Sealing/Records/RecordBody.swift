package import HubProtocol
package import Sync

/// What a record says once it is open, and what it is bound to.
package struct RecordBody: Hashable, Sendable {
    /// What was committed.
    package enum Contents: Hashable, Sendable {
        /// What an item is to be; nil for: no more.
        case item(ItemState?)
        /// Who shares the container; about the item `ItemID.devices` only.
        case devices(DeviceStatement)
    }

    package var contents: Contents
    /// The end of the log as the author had read it: others tell by it whether a hub shows them another log.
    package var seen: LogHead
    /// A `RecordExtra`, with what a later version has to say; kept and passed on by those who do not know it.
    package var extra: [UInt8]

    package init(_ contents: Contents, seen: LogHead, extra: [UInt8] = []) {
        (self.contents, self.seen, self.extra) = (contents, seen, extra)
    }
}

/// A commit before it is sealed, or after it was opened.
package struct OpenRecord: Hashable, Sendable {
    package var id: Commit.ID
    package var item: ItemID
    package var base: LogPosition
    package var body: RecordBody

    package init(_ id: Commit.ID, _ item: ItemID, on base: LogPosition, _ body: RecordBody) {
        (self.id, self.item, self.base, self.body) = (id, item, base, body)
    }

    /// What an engine has committed.
    ///
    /// - Parameter seen: The end of the log as this device has read it.
    package init(_ commit: Commit, seen: LogHead, extra: [UInt8] = []) {
        precondition(commit.item != .devices, "the list of devices is no item")
        self.init(
            commit.id,
            commit.item,
            on: commit.base,
            RecordBody(.item(commit.state), seen: seen, extra: extra)
        )
    }

    /// For the engine, which takes a statement about devices for the end of an item that never was.
    package var commit: Commit {
        guard case .item(let state) = body.contents else { return Commit(id, item, on: base, nil) }
        return Commit(id, item, on: base, state)
    }
}

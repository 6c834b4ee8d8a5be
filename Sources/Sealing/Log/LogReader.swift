package import HubProtocol
package import Sync

/// What came of reading a page of a log.
package struct LogReading: Hashable, Sendable {
    /// An entry that is what its author has committed.
    package struct Entry: Hashable, Sendable {
        package let position: LogPosition
        package let record: OpenRecord

        /// For the engine.
        package var logEntry: LogEntry { LogEntry(position, record.commit) }
    }

    /// What was right, in order; that much has been read.
    package internal(set) var entries: [Entry] = []
    /// What was found after that; nil when all is as it should be.
    package internal(set) var finding: LogFinding?
    /// Entries whose authors had read another log.
    package internal(set) var others: [OtherLog] = []

    /// Nothing was there to be read.
    package init() {}
}

/// Reads a container's log from a hub that is not trusted: opens the records, checks their authors, keeps the list of
/// devices, and watches that the log only grows. Not for two threads at a time; without I/O.
package final class LogReader {
    package private(set) var watch: LogWatch
    package private(set) var devices: DeviceList
    private var opener: RecordOpener
    /// What was read last: whatever stands in the place of another entry may be one of these.
    private var recent: [Place] = []
    private var own = OwnRecords()

    /// What a record is bound to.
    private struct Place {
        let position: LogPosition
        let item: ItemName
        let base: LogPosition
        let id: CommitName

        init(of entry: LogRecord) {
            (position, item, base, id) = (entry.position, entry.item, entry.base, entry.id)
        }

        init(of entry: LogEntry) {
            let commit = entry.commit
            (position, item, base) = (entry.position, ItemName(commit.item), commit.base)
            id = CommitName(commit.id)
        }

        /// The record of an entry, as if it were here.
        func holding(_ entry: LogRecord) -> LogRecord {
            var moved = entry
            (moved.position, moved.item, moved.base, moved.id) = (position, item, base, id)
            return moved
        }
    }

    /// So many.
    package static let recentCountMax = 64

    /// - Parameters:
    ///   - keys: All that the device holds.
    ///   - watch: What has been read before.
    ///   - devices: The list as of there.
    ///   - recent: The last entries before that, as far as they are remembered.
    package init(
        _ keys: ContainerKeys,
        _ watch: LogWatch,
        _ devices: DeviceList,
        recent: [LogEntry] = []
    ) throws(SealingError) {
        precondition(devices.container == keys.container, "the list of the container's devices")
        (self.watch, self.devices) = (watch, devices)
        self.recent = recent.suffix(Self.recentCountMax).map(Place.init)
        opener = try RecordOpener(keys)
    }

    /// For a container of which nothing has been read.
    ///
    /// - Parameter expected: What its list of devices has to come by; nil for any.
    package convenience init(
        _ keys: ContainerKeys,
        expecting expected: DeviceListMark? = nil
    ) throws(SealingError) {
        try self.init(keys, LogWatch(of: keys.container), DeviceList(for: keys, expecting: expected))
    }

    /// Takes keys that have come: entries that were sealed under them can be opened from now on.
    package func use(_ keys: ContainerKeys) throws(SealingError) {
        opener = try RecordOpener(keys)
    }

    /// Says what this device has sealed, for its devices as of what was read: it need not be opened when it comes in the log.
    package func expect(_ sealed: [SealedCommit], of records: [OpenRecord]) {
        own.expect(sealed, of: records, for: devices.hash)
    }

    /// Reads the next page.
    ///
    /// - Parameters:
    ///   - page: What the hub says comes after `watch.head`.
    ///   - revision: The position of the last entry about an item as of `watch.head`; 0 for none.
    /// - Returns: What was read, and what is wrong.
    /// - Throws: `outOfMemory`.
    package func read(
        _ page: LogPage,
        revision: (ItemID) -> LogPosition
    ) throws(SealingError) -> LogReading {
        var reading = LogReading()
        reading.finding = watch.finding(page.head)
        guard reading.finding == nil else { return reading }
        var revisions: [ItemID: LogPosition] = [:]
        for entry in page.entries {
            let item = entry.item.itemID
            reading.finding = try read(entry, revisions[item] ?? revision(item), into: &reading)
            if let finding = reading.finding {
                reading.finding = try whatItIs(finding, entry, in: page)
                return reading
            }
            revisions[item] = entry.position
            remember(entry)
        }
        if page.head == watch.head { return reading }
        // A page may end before the log does, but not before it has begun, and not after it has ended.
        if page.head.position <= watch.head.position {
            reading.finding = watch.finding(page.head)
        } else if page.entries.isEmpty {
            reading.finding = .truncated(after: watch.head.position)
        }
        return reading
    }

    private func read(
        _ entry: LogRecord,
        _ revision: LogPosition,
        into reading: inout LogReading
    ) throws(SealingError) -> LogFinding? {
        let former = watch.head
        if let finding = try watch.read(entry, revision: revision) {
            // An entry that nobody has made was altered; one that somebody has, of another log.
            guard case .forked = finding else { return finding }
            return try failure(of: entry) ?? finding
        }
        do {
            let own = own.take(entry, for: devices.hash)
            let record = if let own { own } else { try opener.open(entry, devices) }
            if case .devices(let statement) = record.body.contents {
                try devices.apply(statement, at: entry.position)
            }
            note(record, at: entry.position, &reading)
            reading.entries.append(LogReading.Entry(position: entry.position, record: record))
            return nil
        } catch {
            watch.unread(to: former)
            guard error.code != .outOfMemory else { throw error }
            return Self.finding(error, entry.position)
        }
    }

    private func remember(_ entry: LogRecord) {
        if recent.count >= Self.recentCountMax { recent.removeFirst() }
        recent.append(Place(of: entry))
    }

    /// What does not open as the entry that it should be may be another one that this device knows of.
    private func whatItIs(
        _ finding: LogFinding,
        _ entry: LogRecord,
        in page: LogPage
    ) throws(SealingError) -> LogFinding {
        guard case .tampered(let position, let error) = finding, error.code == .damagedOrExchanged else {
            return finding
        }
        for other in recent + page.entries.map(Place.init) where other.position != position {
            do { _ = try opener.open(other.holding(entry), devices) } catch {
                guard error.code != .outOfMemory else { throw error }
                continue
            }
            let isOld = other.item == entry.item && other.position < position
            return isOld ? .replayed(position) : .exchanged(position, with: other.position)
        }
        return finding
    }

    private static func finding(_ error: SealingError, _ position: LogPosition) -> LogFinding {
        error.code == .generationUnknown ? .keysMissing(position) : .tampered(position, error)
    }

    private func failure(of entry: LogRecord) throws(SealingError) -> LogFinding? {
        do {
            _ = try opener.open(entry, devices)
            return nil
        } catch {
            guard error.code != .outOfMemory else { throw error }
            return Self.finding(error, entry.position)
        }
    }

    /// An author cannot have seen its own entry's place, nor another entry at one that is remembered.
    private func note(_ record: OpenRecord, at position: LogPosition, _ reading: inout LogReading) {
        let seen = record.body.seen
        let isKnown =
            seen.position < position && watch.hash(at: seen.position).map { $0 == seen.hash } ?? true
        guard !isKnown else { return }
        reading.others.append(OtherLog(position: position, author: record.id.device, seen: seen))
    }

    /// Goes back to a place, as a hub was put back, and reads on from there. What the container's tree and the revisions
    /// of items were is for the caller to go back to.
    ///
    /// - Parameter place: One that the watch remembers.
    package func goBack(to place: LogHead) throws(SealingError) {
        devices = try devices.asOf(place.position)
        watch.goBack(to: place)
        recent.removeAll { $0.position > place.position }
    }
}

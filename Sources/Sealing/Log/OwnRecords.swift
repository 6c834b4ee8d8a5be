internal import HubProtocol

/// What this device has sealed and will read in the log, as others will: to open it again, and to check its own signature, would
/// tell nothing that is not known. Pure.
///
/// Only what comes back to the byte, bound to the same, under the list of devices for which it was sealed, is taken for that.
struct OwnRecords {
    private var records: [CommitName: (sealed: SealedCommit, record: OpenRecord)] = [:]
    /// The list that all of them were sealed for.
    private var list = DeviceListHash.none

    /// So many are kept; what was refused, or has come too late, is opened as others' are.
    static let countMax = 4096

    /// - Parameter list: The container's devices, as they were when that was sealed.
    mutating func expect(_ sealed: [SealedCommit], of records: [OpenRecord], for list: DeviceListHash) {
        if list != self.list || self.records.count + sealed.count > Self.countMax { self.records = [:] }
        self.list = list
        for (sealed, record) in zip(sealed, records) {
            if case .item = record.body.contents { self.records[sealed.id] = (sealed, record) }
        }
    }

    /// What an entry is; nil for one that has to be opened.
    ///
    /// - Parameter list: The container's devices, as of the entries before it.
    mutating func take(_ entry: LogRecord, for list: DeviceListHash) -> OpenRecord? {
        guard list == self.list, let own = records.removeValue(forKey: entry.id),
            own.sealed.item == entry.item, own.sealed.base == entry.base,
            entry.holds(own.sealed.record)
        else { return nil }
        return own.record
    }
}

internal import HubProtocol
internal import Sealing
internal import Sync

extension LogReader {
    /// For who has read a part of a log before.
    ///
    /// - Parameters:
    ///   - keys: All that the device holds.
    ///   - known: What was read, in order.
    ///   - expected: What the list of devices has to come by; nil for any.
    convenience init(
        _ keys: ContainerKeys,
        remembering known: [LogDesk.Heard],
        expecting expected: DeviceListMark?
    ) throws {
        var devices = DeviceList(for: keys, expecting: expected)
        for heard in known {
            guard let statement = heard.statement else { continue }
            try devices.apply(try DeviceStatement(encoded: statement), at: heard.entry.position)
        }
        guard let last = known.last else {
            try self.init(keys, expecting: expected)
            return
        }
        let head = LogHead(position: last.entry.position, hash: last.hash)
        var marks = [try LogWatch(of: keys.container).head]
        marks.reserveCapacity(Int(LogWatch.recentCount) + known.count / Int(LogWatch.sparseStep) + 1)
        for heard in known.dropLast() {
            let position = heard.entry.position
            guard position + LogWatch.recentCount > head.position || position % LogWatch.sparseStep == 0
            else {
                continue
            }
            marks.append(LogHead(position: position, hash: heard.hash))
        }
        let recent = known.suffix(LogReader.recentCountMax).map(\.entry)
        try self.init(keys, LogWatch(at: head, marks: marks), devices, recent: recent)
    }
}

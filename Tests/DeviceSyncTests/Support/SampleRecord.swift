import Foundation
import HubProtocol
import Testing

extension LogRecord {
    /// An entry of a log, as a hub tells it.
    init(sampleAt position: UInt64, _ hash: LogHash) throws {
        self.init(
            position: position,
            item: ItemName(unchecked: Array(0..<16)),
            base: 0,
            id: try #require(CommitName("1.2-3")),
            record: Data("sealed".utf8),
            device: DeviceName(unchecked: [UInt8](repeating: 1, count: DeviceName.byteCount)),
            hash: hash
        )
    }
}

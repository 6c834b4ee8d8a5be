import Foundation
import HubProtocol
import Sealing
import Sync

/// A hub in memory that can be told to lie.
struct MakeBelieveHub {
    let container: ContainerName
    private(set) var entries: [LogRecord] = []
    private let start: LogHead

    init(_ container: ContainerName) throws {
        self.container = container
        start = try LogChain(of: container).head
    }

    var head: LogHead { head(at: entries.count) }

    func head(at count: Int) -> LogHead {
        count == 0 ? start : LogHead(position: UInt64(count), hash: entries[count - 1].hash)
    }

    func revision(of item: ItemName) -> UInt64 { entries.last { $0.item == item }?.position ?? 0 }

    /// Accepts a commit, whatever its base.
    mutating func append(_ commit: SealedCommit) throws {
        entries.append(try SealingWorld.entry(commit, after: head))
    }

    func page(after position: UInt64, limit: Int = 1000) -> LogPage {
        let from = min(Int(position), entries.count)
        return LogPage(Array(entries[from...].prefix(limit)), head: head)
    }

    /// Lies: changes the entries, and makes a chain that fits them.
    mutating func rewrite(_ change: (inout [LogRecord]) -> Void) throws {
        var changed = entries
        change(&changed)
        entries = []
        var chain = LogChain(at: start)
        for var entry in changed {
            try chain.append(item: entry.item, base: entry.base, id: entry.id, record: entry.record)
            (entry.position, entry.hash) = (chain.head.position, chain.head.hash)
            entries.append(entry)
        }
    }
}

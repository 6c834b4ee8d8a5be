import DeviceSync
import Foundation
import HubProtocol
import Locks

/// A hub without a network: the rule for commits, and blobs by name. A line to it can be cut.
final class HubInMemory: Sendable {
    fileprivate struct State {
        var entries: [LogRecord] = []
        var last: [ItemName: LogRecord] = [:]
        var chain: LogChain
        var blobs: [BlobName: Data] = [:]
    }

    private let state: Locked<State>
    private let news = NSCondition()

    init(_ container: ContainerName) throws { state = Locked(State(chain: try LogChain(of: container))) }

    var entryCount: Int { state.withLock { $0.entries.count } }
    var blobCount: Int { state.withLock { $0.blobs.count } }
    /// All that a hub has.
    struct Backup: Sendable { fileprivate let state: State }
    func backup() -> Backup { Backup(state: state.withLock { $0 }) }

    /// Has again what it had once, and nothing else. Whoever waits for news gets what there is.
    func restore(_ backup: Backup) {
        state.withLock { $0 = backup.state }
        news.withLock { news.broadcast() }
    }

    /// Loses all contents.
    func loseBlobs() { state.withLock { $0.blobs = [:] } }

    /// What the hub could read, were it curious.
    var everything: Data {
        state.withLock { state in
            state.entries.reduce(Data()) { $0 + $1.record } + state.blobs.values.reduce(Data(), +)
        }
    }

    func line() -> Line { Line(self) }

    private static func offer(_ commit: OfferedCommit, _ state: inout State) throws -> CommitAnswer {
        let last = state.last[commit.item]
        if let last, last.id == commit.id { return .accepted(last.position) }
        guard last?.position ?? 0 == commit.base else { return .refused(last?.position ?? 0) }
        try state.chain.append(item: commit.item, base: commit.base, id: commit.id, record: commit.record)
        let record = LogRecord(
            position: state.chain.head.position,
            item: commit.item,
            base: commit.base,
            id: commit.id,
            record: commit.record,
            device: DeviceName(unchecked: [UInt8](repeating: 1, count: 8)),
            hash: state.chain.head.hash
        )
        state.entries.append(record)
        state.last[commit.item] = record
        return .accepted(record.position)
    }

    /// One device's way to it.
    final class Line: ContainerHub {
        private let hub: HubInMemory
        private struct State {
            var isCut = false
            var isClosed = false
        }
        private let state = Locked(State())

        init(_ hub: HubInMemory) { self.hub = hub }

        func cut() { set { $0.isCut = true } }
        func mend() { set { $0.isCut = false } }
        func open() { set { $0.isClosed = false } }
        func close() { set { $0.isClosed = true } }

        private func set(_ body: (inout State) -> Void) {
            state.withLock { body(&$0) }
            hub.news.withLock { hub.news.broadcast() }
        }

        private func check() throws {
            if state.withLock({ $0.isCut || $0.isClosed }) { throw LineFailure("the line is cut") }
        }

        func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers {
            try check()
            let answers = try hub.state.withLock { state in
                CommitAnswers(try commits.map { try HubInMemory.offer($0, &state) }, head: state.chain.head)
            }
            hub.news.withLock { hub.news.broadcast() }
            return answers
        }

        func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            let deadline = Date().addingTimeInterval(TimeInterval(waitSeconds))
            while true {
                try check()
                let page = hub.state.withLock { state in
                    LogPage(Array(state.entries.dropFirst(Int(position)).prefix(100)), head: state.chain.head)
                }
                if !page.entries.isEmpty || waitSeconds == 0 || page.head.position < position { return page }
                hub.news.lock()
                let isInTime =
                    hub.entryCount != Int(position) || state.withLock { $0.isCut || $0.isClosed }
                    || hub.news.wait(until: deadline)
                hub.news.unlock()
                if !isInTime { return page }
            }
        }

        func missing(_ names: [BlobName]) throws -> [BlobName] {
            try check()
            return hub.state.withLock { state in names.filter { state.blobs[$0] == nil } }
        }

        func store(_ frames: Data) throws {
            try check()
            let blobs = try BlobFrames.read(frames)
            hub.state.withLock { state in
                for (name, blob) in blobs where state.blobs[name] == nil { state.blobs[name] = Data(blob) }
            }
        }

        func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
            try check()
            return hub.state.withLock { state in
                names.compactMap { name in state.blobs[name].map { (name, $0) } }
            }
        }
    }
}

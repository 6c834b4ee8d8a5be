import Foundation
import HubProtocol
import Locks

@testable import DeviceSync

/// A line on which some calls wait until a test lets them go, or are refused.
final class HeldHub: ContainerHub {
    /// What may wait: before the hub hears of it, but for the log, of which the answer waits.
    enum Call { case offer, log, missing, store, read }

    private struct State {
        var held: Set<Call> = []
        /// How many calls are under way.
        var counts: [Call: Int] = [:]
        var refusals: [Call: HubFailure] = [:]
        var isClosed = false
    }

    private let line: any ContainerHub
    private let state = Locked(State())
    private let news = NSCondition()

    init(_ line: any ContainerHub, holding calls: Set<Call> = []) {
        self.line = line
        hold(calls)
    }

    func hold(_ calls: Set<Call>) { change { $0.held.formUnion(calls) } }

    /// Has the hub refuse calls.
    func refuse(_ calls: Set<Call>, _ failure: HubFailure) {
        change { state in
            for call in calls { state.refusals[call] = failure }
        }
    }

    func letGo() { change { ($0.held, $0.refusals) = ([], [:]) } }

    /// Whether a call waits.
    func isHolding(_ call: Call) -> Bool {
        state.withLock { $0.held.contains(call) && $0.counts[call, default: 0] > 0 }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        news.withLock { news.broadcast() }
    }

    private func pass(_ call: Call) throws {
        change { $0.counts[call, default: 0] += 1 }
        defer { change { $0.counts[call, default: 0] -= 1 } }
        news.withLock {
            while state.withLock({ $0.held.contains(call) && !$0.isClosed }) { news.wait() }
        }
        if let failure = state.withLock({ $0.refusals[call] }) { throw failure }
        // What was held is never sent.
        if state.withLock({ $0.isClosed }) { throw LineFailure("the line is closed") }
    }

    func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers {
        try pass(.offer)
        return try line.offer(commits)
    }

    func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
        let page = try line.log(after: position, waitSeconds: waitSeconds)
        try pass(.log)
        return page
    }

    func missing(_ names: [BlobName]) throws -> [BlobName] {
        try pass(.missing)
        return try line.missing(names)
    }

    func store(_ frames: Data) throws {
        try pass(.store)
        try line.store(frames)
    }

    func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
        try pass(.read)
        return try line.read(names)
    }

    func close() {
        change { $0.isClosed = true }
        line.close()
    }

    func release(_ names: [BlobName], asOf head: LogHead) throws -> ReleasedBlobs {
        try line.release(names, asOf: head)
    }
    func registrations() throws -> [DeviceListing] { try line.registrations() }
    func refuse(_ device: DeviceName) throws { try line.refuse(device) }
    func keep(_ keys: HubProtocol.WrappedKeys, for device: DeviceName) throws {
        try line.keep(keys, for: device)
    }
    func keys(for device: DeviceName) throws -> [HubProtocol.WrappedKeys] { try line.keys(for: device) }
}

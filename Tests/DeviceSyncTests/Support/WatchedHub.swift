import Dispatch
import Foundation
import HubProtocol
import Locks
import Sealing

@testable import DeviceSync

/// A line that notes how the log is asked for, and does something when it has been for the first time.
final class WatchedHub: ContainerHub {
    struct Notes {
        var asked: [(position: UInt64, waits: Bool)] = []
        /// How many questions about the log are not answered yet, and how many of them wait for news.
        var underWayCount = 0
        var waitingCount = 0
        var waitingCountMax = 0
        var isClosed = false
    }

    private let line: any ContainerHub
    private let state = Locked(Notes())
    private let holdsFirst: Bool
    private let contentsGate: DispatchSemaphore?
    private let afterFirst: @Sendable () -> Void
    private let closed = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - holdsFirst: Whether the first question is not answered before the line is closed.
    ///   - holdsContents: Contents are read only once this has been signaled.
    ///   - afterFirst: What is done before the answer to the first question is given.
    init(
        _ line: any ContainerHub,
        holdsFirst: Bool = false,
        holdsContents contentsGate: DispatchSemaphore? = nil,
        afterFirst: @escaping @Sendable () -> Void = {}
    ) {
        (self.line, self.holdsFirst, self.afterFirst) = (line, holdsFirst, afterFirst)
        self.contentsGate = contentsGate
    }

    var notes: Notes { state.withLock { $0 } }

    func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
        let waits = waitSeconds > 0
        let isFirst = state.withLock { notes in
            notes.asked.append((position, waits))
            notes.underWayCount += 1
            notes.waitingCount += waits ? 1 : 0
            notes.waitingCountMax = max(notes.waitingCountMax, notes.waitingCount)
            return notes.asked.count == 1
        }
        defer {
            state.withLock { notes in
                notes.underWayCount -= 1
                notes.waitingCount -= waits ? 1 : 0
            }
        }
        if isFirst, holdsFirst {
            closed.wait()
            throw LineFailure("the line is closed")
        }
        defer { if isFirst { afterFirst() } }
        return try line.log(after: position, waitSeconds: waitSeconds)
    }

    func close() {
        state.withLock { $0.isClosed = true }
        line.close()
        closed.signal()
    }

    func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers { try line.offer(commits) }
    func missing(_ names: [BlobName]) throws -> [BlobName] { try line.missing(names) }
    func store(_ frames: Data) throws { try line.store(frames) }
    func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
        if let contentsGate {
            contentsGate.wait()
            contentsGate.signal()
        }
        return try line.read(names)
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

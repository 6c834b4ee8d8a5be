import DeviceSync
import DocumentTesting
import Foundation
import HubProtocol
import TestThreads
import Testing

/// A hub in memory dies as a hub does: what it writes in one transaction it has written as a whole, or not at all.
@Suite("A hub in memory that dies", .onOwnThreads, .timeLimit(.minutes(3)))
struct HubCrashTests {
    private let hub: HubInMemory
    private let line: HubInMemory.Line

    init() throws {
        let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        hub = try HubInMemory(container)
        line = hub.line()
    }

    private func commits(_ numbers: ClosedRange<Int>) throws -> [OfferedCommit] {
        try numbers.map { number in
            OfferedCommit(
                item: ItemName(unchecked: Array(repeating: UInt8(number), count: ItemName.byteCount)),
                base: 0,
                id: try #require(CommitName("1.2-\(number)")),
                record: Data("sealed".utf8)
            )
        }
    }

    private func blob(_ number: Int) -> BlobName {
        BlobName(unchecked: Array(repeating: UInt8(number), count: BlobName.byteCount))
    }

    private func frames(_ numbers: ClosedRange<Int>) -> Data {
        numbers.reduce(into: Data()) { BlobFrames.append(blob($1), Data("sealed".utf8), to: &$0) }
    }

    private func expectDead(_ location: SourceLocation = #_sourceLocation) {
        #expect(hub.isDown, sourceLocation: location)
        #expect(throws: LineFailure.self, sourceLocation: location) {
            _ = try line.log(after: 0, waitSeconds: 0)
        }
        #expect(throws: LineFailure.self, sourceLocation: location) { _ = try line.read([blob(1)]) }
    }

    @Test(
        "The commits of one message are all in the log or none, and offered again they are there once",
        arguments: [false, true]
    )
    func commits(areWritten: Bool) throws {
        hub.crash(afterWrites: areWritten ? 1 : 0, isLastAnswered: !areWritten)
        #expect(!hub.isDown)
        let offered = try commits(1...3)
        #expect(throws: LineFailure.self) { _ = try line.offer(offered) }
        expectDead()
        #expect(hub.entryCount == (areWritten ? 3 : 0))
        hub.start()
        // What was asked before may not hold any more: who has not heard of the one that runs now is not connected to it.
        #expect(throws: LineFailure.self) { _ = try line.offer(offered) }
        _ = try line.log(after: 0, waitSeconds: 0)
        #expect(try line.offer(offered).answers == [.accepted(1), .accepted(2), .accepted(3)])
        #expect(hub.entryCount == 3 && hub.crashCount == 1)
    }

    @Test("The contents of one message are all there or none", arguments: [false, true])
    func contents(areWritten: Bool) throws {
        hub.crash(afterWrites: areWritten ? 1 : 0, isLastAnswered: !areWritten)
        let body = frames(1...3)
        #expect(throws: LineFailure.self) { try line.store(body) }
        expectDead()
        #expect(hub.blobCount == (areWritten ? 3 : 0))
        hub.start()
        try line.store(body)
        #expect(try line.missing([blob(1), blob(2), blob(4)]) == [blob(4)])
    }

    @Test("What has been written was answered, and only what writes counts")
    func between() throws {
        hub.crash(afterWrites: 2, isLastAnswered: true)
        try line.store(frames(1...2))
        // All that is there is nothing new to be written.
        try line.store(frames(1...2))
        _ = try line.missing([blob(1), blob(3)])
        let offered = try commits(1...2)
        #expect(try line.offer(offered).answers.count == 2)
        #expect(try line.offer(offered).answers.count == 2)
        #expect(try line.log(after: 0, waitSeconds: 0).entries.count == 2)
        #expect(!hub.isDown)
        #expect(throws: LineFailure.self) { try line.store(frames(3...3)) }
        expectDead()
        #expect(hub.blobCount == 2)
    }

    @Test("Keys for a device are a write, and stay as they are")
    func keys() throws {
        let device = DeviceName(unchecked: Array(repeating: 1, count: DeviceName.byteCount))
        let keys = HubProtocol.WrappedKeys(generation: 1, keys: Data("sealed".utf8))
        hub.crash(afterWrites: 1)
        #expect(throws: LineFailure.self) { try line.keep(keys, for: device) }
        hub.start()
        #expect(try line.keys(for: device) == [keys])
        try line.keep(keys, for: device)
        let others = HubProtocol.WrappedKeys(generation: 1, keys: Data("others".utf8))
        #expect(throws: HubFailure.self) { try line.keep(others, for: device) }
    }

    @Test("One that was started again spares all that it has: nobody knows what was asked for before")
    func spares() throws {
        try line.store(frames(1...2))
        hub.passHour()
        hub.crash()
        expectDead()
        hub.start()
        let head = try line.log(after: 0, waitSeconds: 0).head
        let spared = try line.release([blob(1), blob(2)], asOf: head).spared
        #expect(Set(spared) == [blob(1), blob(2)])
        hub.passHour()
        #expect(try line.release([blob(1), blob(2)], asOf: head).released == 2)
    }

    @Test("Who waits for the log hears that it has died, also where it runs again by then")
    func waiting() {
        let answered = DispatchSemaphore(value: 0)
        let thread = Thread { [line] in
            do {
                _ = try line.log(after: 0, waitSeconds: 50)
                Issue.record("The hub has died, and who has waited was answered.")
            } catch {
                #expect(error is LineFailure)
            }
            answered.signal()
        }
        thread.start()
        // However late it asks.
        while answered.wait(timeout: .now() + 0.01) == .timedOut {
            hub.crash()
            hub.start()
        }
        #expect(hub.crashCount > 0 && !hub.isDown)
    }
}

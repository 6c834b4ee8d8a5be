import Dispatch
import DocumentTesting
import Foundation
import LocalSockets
import Locks
import SyncMessages
import TestThreads
import Testing
import Threads

@testable import DeviceSync

/// Those who ask, and the process that is to answer: one of the two is slow, or gone.
@Suite("Asking and answering", .onOwnThreads, .timeLimit(.minutes(3)))
struct AnsweringTests {
    private func withListener(_ body: (RuntimeFolder, LocalListener) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/answers-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let runtime = try RuntimeFolder(path: path)
        try body(runtime, try LocalListener(at: runtime.place(of: SyncQuery.socketName)))
    }

    @Test("A question of which there is always some more is none when its time is over")
    func slowQuestion() throws {
        try withListener { runtime, listener in
            let asker = try LocalSocket(connectingTo: runtime.place(of: SyncQuery.socketName))
            let socket = try #require(try listener.accept())
            let conversation = try #require(ServiceConversation(socket))
            let sentCount = Locked(0)
            let thread = Thread {
                // Until the other side has ended; nothing ever comes from it.
                while [UInt8(ascii: " ")].withUnsafeBytes({ asker.send($0) }) != nil {
                    sentCount.withLock { $0 += 1 }
                    if asker.waitUntilReadable(milliseconds: 1) { return }
                }
            }
            thread.start()
            #expect(conversation.question(within: 50) == nil)
            // Longer ones are none for their length.
            #expect(sentCount.withLock { $0 } < 64 << 10)
            asker.shutDown()
        }
    }

    @Test("Who is there and does not answer in time is busy, and who ends the conversation has ended it")
    func noAnswer() throws {
        try withListener { runtime, listener in
            #expect(throws: SyncServiceError.busy) {
                try SyncQuery.status(in: runtime, milliseconds: 0)
            }
            let conversation = try SyncConversation(.status, in: runtime)
            // The one before has gone.
            while let socket = try listener.accept() { socket.shutDown() }
            #expect(throws: SyncServiceError.ended) { try conversation.next(milliseconds: -1) }
        }
    }

    @Test("Whom no thread could answer is told at once, and takes no place from those who ask later")
    func withoutThread() throws {
        let path = FileManager.default.temporaryDirectory.path + "/answers-\(UUID().uuidString.prefix(8))"
        // A leftover in the temporary directory fails no test.
        defer { try? FileManager.default.removeItem(atPath: path) }
        let runtime = try RuntimeFolder(path: path)
        let service = try SyncService([], in: runtime)
        try service.listen()
        let (isShort, isOver) = (Locked(true), DispatchSemaphore(value: 0))
        let thread = Thread {
            defer { isOver.signal() }
            let usual = OwnThread.make
            OwnThread.$make.withValue({ isShort.withLock { $0 } ? EAGAIN : usual($0, $1) }) {
                do { try service.answer() } catch { Issue.record("\(error)") }
            }
        }
        thread.start()
        defer {
            service.stop()
            // As long as it answers it may make its folder anew.
            isOver.wait()
        }
        // More than it answers at a time.
        for _ in 0..<600 {
            #expect(throws: SyncServiceError.ended) { try SyncQuery.status(in: runtime) }
        }
        isShort.withLock { $0 = false }
        #expect(try SyncQuery.status(in: runtime).isEmpty)
    }

    @Test("Those who follow take no place from those who ask, and are so many at most")
    func followers() throws {
        let pair = try DevicePair()
        defer { pair.end() }
        let folder = pair.two.folder.path
        let runtime = try RuntimeFolder(path: pair.base.path + "/run")
        let running = SyncService.Running(folder: folder, hub: "memory", sync: try #require(pair.two.running))
        let service = try SyncService([running], in: runtime, askingCountMax: 4, followingCountMax: 6)
        try service.listen()
        let end = DevicePair.answering(service)
        defer { end() }
        func follower() throws -> SyncConversation {
            let following = try SyncConversation(.follow(path: folder, isDeep: true), in: runtime)
            guard case .changed? = try following.next(milliseconds: 20_000) else {
                throw SyncServiceError.busy
            }
            return following
        }
        var followers: [SyncConversation] = []
        for _ in 0..<6 { followers.append(try follower()) }
        #expect(try SyncQuery.item(folder + "/nothing", in: runtime) == nil)
        #expect(throws: SyncServiceError.ended) { try follower() }
        // Who has enough makes room.
        followers.removeLast().end()
        pair.wait { (try? follower()) != nil }
        withExtendedLifetime(followers) {}
    }

    @Test("Where nobody is there to connect to, nothing runs")
    func nobody() throws {
        try withListener { runtime, _ in
            runtime.remove(SyncQuery.socketName)
            #expect(throws: SyncServiceError.notRunning) { try SyncQuery.status(in: runtime) }
            // One that died while it began has left a name, and nothing more.
            for _ in 0..<2 {
                let lock = try LockFile(ifFree: runtime.place(of: SyncQuery.beginningLockName))
                #expect(throws: SyncServiceError.beginning) { try SyncQuery.status(in: runtime) }
                withExtendedLifetime(lock) {}
                #expect(lock != nil)
            }
            #expect(throws: SyncServiceError.notRunning) { try SyncQuery.status(in: runtime) }
        }
    }

    @Test("Who asks just when somebody has begun does not hear that nothing runs")
    func begun() throws {
        try withListener { runtime, _ in
            let socketPath = runtime.place(of: SyncQuery.socketName)
            let lockPath = runtime.place(of: SyncQuery.beginningLockName)
            for _ in 0..<200 {
                runtime.remove(SyncQuery.socketName)
                let taken: LockFile = try #require(try LockFile(ifFree: lockPath))
                let lock = Locked<LockFile?>(taken)
                let listener = Locked<LocalListener?>(nil)
                let hasBegun = DispatchSemaphore(value: 0)
                let beginning = Thread {
                    listener.withLock { $0 = try? LocalListener(at: socketPath) }
                    unlink(lockPath)
                    lock.withLock { $0 = nil }
                    hasBegun.signal()
                }
                beginning.start()
                var said: SyncServiceError?
                repeat {
                    said = #expect(throws: SyncServiceError.self) {
                        try SyncQuery.status(in: runtime, milliseconds: 0)
                    }
                } while said == .beginning
                #expect(said == .busy)
                hasBegun.wait()
            }
        }
    }

    @Test("Each reason for no answer says what helps, and only one has the program started")
    func words() {
        let all = [SyncServiceError.notRunning, .beginning, .busy, .ended].map(\.description)
        #expect(Set(all).count == 4)
        #expect(all.filter { $0.contains("Start it") } == [SyncServiceError.notRunning.description])
        #expect(all.dropFirst().allSatisfy { $0.contains("Ask again") })
    }
}

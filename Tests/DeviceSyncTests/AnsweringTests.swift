import Foundation
import LocalSockets
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Those who ask, and the process that is to answer: one of the two is slow, or gone.
@Suite("Asking and answering", .onOwnThreads, .timeLimit(.minutes(1)))
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
}

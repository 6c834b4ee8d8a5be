import Foundation
import LocalSockets
import Locks
import TestThreads
import Testing

@Suite("NoticeBoard", .onOwnThreads)
struct NoticeBoardTests {
    private func withFile(_ body: (LockFile) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "board-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
        try body(try LockFile(waitingFor: folder + "/board"))
    }

    @Test("Who asks sees what was posted last, and the next one to post hears that it was asked, once")
    func asked() throws {
        try withFile { file in
            let board = try NoticeBoard(in: file)
            #expect(NoticeBoard.ask(at: file.path) == 0)
            #expect(!board.post(7))
            #expect(board.post(8))
            #expect(NoticeBoard.ask(at: file.path) == 8)
            #expect(!board.post(9))
            #expect(board.post(.max))
            #expect(NoticeBoard.ask(at: file.path) == .max)
        }
    }

    @Test("A file without a board, or none at all, has nothing to tell")
    func absent() throws {
        try withFile { file in
            #expect(NoticeBoard.ask(at: file.path) == nil)
            #expect(NoticeBoard.ask(at: file.path + "-none") == nil)
            let link = file.path + "-link"
            let board = try NoticeBoard(in: file)
            #expect(board.post(1))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
            #expect(NoticeBoard.ask(at: link) == nil)
        }
    }

    @Test("One that posts and one that asks at the same time never miss each other")
    func race() throws {
        try withFile { file in
            let board = try NoticeBoard(in: file)
            let rounds: UInt64 = 2000
            let (start, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let seen = Locked<UInt64?>(nil)
            let path = file.path
            Thread.detachNewThread {
                for _ in 1...rounds {
                    start.wait()
                    let found = NoticeBoard.ask(at: path)
                    seen.withLock { $0 = found }
                    end.signal()
                }
            }
            for round in 1...rounds {
                start.signal()
                let wasUnasked = board.post(round)
                end.wait()
                let found = seen.withLock { $0 }
                #expect(found == round || !wasUnasked)
                // What was asked too late for this round is not counted for the next.
                if wasUnasked { #expect(!board.post(round)) }
            }
        }
    }
}

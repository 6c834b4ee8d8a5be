import Foundation
import LocalSockets
import Locks
import TestFolders
import TestThreads
import Testing

@testable import UIKit

@Suite("HandOver", .onOwnThreads, .timeLimit(.minutes(3)))
struct HandOverTests {
    private let ownFolder: TestFolder
    private let place: String

    init() throws {
        ownFolder = try TestFolder("hand-over")
        let folder = try RuntimeFolder(path: ownFolder.path + "/run")
        place = HandOver.place(of: "org.sheaf.test", documents: URL(fileURLWithPath: "/docs"), in: folder)
    }

    private func listen(_ taken: Locked<[String]>, isShown: Bool = true) throws -> HandOver? {
        try HandOver(at: place) { files, answer in
            taken.withLock { $0 += files.map(\.path) }
            answer(isShown, "http://127.0.0.1:1/?token=x")
        }
    }

    @Test("Files go to the process that listens, which says where it is and whether they are shown")
    func given() throws {
        let taken = Locked<[String]>([])
        #expect(HandOver.give([URL(fileURLWithPath: "/a")], at: place) == nil)
        let handOver = try #require(try listen(taken, isShown: false))
        let receipt = HandOver.give(
            [URL(fileURLWithPath: "/a/../b c"), URL(fileURLWithPath: "/ä\n")],
            at: place
        )
        #expect(receipt == .init(link: "http://127.0.0.1:1/?token=x", isShown: false))
        #expect(taken.withLock { $0 } == ["/b c", "/ä\n"])
        #expect(HandOver.give([URL(fileURLWithPath: "/c")], at: place) != nil)
        handOver.end()
    }

    @Test("One process listens for an app and a folder; others have a place of their own")
    func one() throws {
        let handOver = try #require(try listen(Locked([])))
        #expect(try listen(Locked([])) == nil)
        let folder = try RuntimeFolder(path: ownFolder.path + "/other")
        func place(_ app: String, _ documents: String) -> String {
            HandOver.place(of: app, documents: URL(fileURLWithPath: documents), in: folder)
        }
        #expect(place("a", "/x") == place("a", "/x/"))
        #expect(Set([place("a", "/x"), place("b", "/x"), place("a", "/y")]).count == 3)
        handOver.end()
    }

    @Test(
        "What is no order is not answered and does no harm",
        arguments: ["{}", "{\"version\":2,\"files\":[\"/a\"]}", "{\"version\":1,\"files\":[\"a\"]}", "\u{0}"]
    )
    func malformed(_ line: String) throws {
        let taken = Locked<[String]>([])
        let handOver = try #require(try listen(taken))
        let socket = try LocalSocket(connectingTo: place)
        let bytes = Array((line + "\n").utf8)
        #expect(bytes.withUnsafeBytes { socket.send($0) } == bytes.count)
        var buffer = [UInt8](repeating: 0, count: 16)
        var receipt = LocalSocket.Receipt.nothing
        while receipt == .nothing {
            _ = socket.waitUntilReadable(milliseconds: 20_000)
            receipt = buffer.withUnsafeMutableBytes { socket.receive(into: $0) }
        }
        #expect(receipt == .end)
        #expect(HandOver.give([URL(fileURLWithPath: "/good")], at: place) != nil)
        #expect(taken.withLock { $0 } == ["/good"])
        handOver.end()
    }
}

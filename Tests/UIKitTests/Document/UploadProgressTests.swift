import DocumentFoundation
import FileSystem
import Foundation
import LocalSockets
import Locks
import SyncMessages
import Testing
import UIKit

/// Documents that are on their way to a hub, and a process that says how far they are.
@Suite("A document's upload", .timeLimit(.minutes(3)))
@MainActor
struct UploadProgressTests {
    /// Takes questions one after another, as `sheaf up` does, and says what the test says.
    private final class Answerer: Sendable {
        private let joined: JoinedPlace
        private let socket = Locked<LocalSocket?>(nil)
        var account: UbiquityAccount { joined.account }
        var folder: URL { joined.folder }

        init(_ playground: Playground) throws { joined = try JoinedPlace(playground["cloud"]) }

        /// The next question; who asked is answered from now on.
        func question() throws -> SyncQuestion {
            let (question, socket) = try joined.question()
            self.socket.withLock { $0 = socket }
            return question
        }

        private func state(_ path: String, _ upload: ItemSyncState.Share?) -> ItemSyncState {
            var state = ItemSyncState(path: path)
            (state.isUploading, state.upload) = (upload != nil, upload)
            state.isUploaded = upload == nil
            return state
        }

        func say(_ path: String, _ upload: ItemSyncState.Share?) throws {
            try say(.changed([state(path, upload)], isSettled: upload == nil))
        }

        /// Says to who asked last how an item stands.
        func answer(_ path: String, _ upload: ItemSyncState.Share?) throws {
            try say(.item(state(path, upload)))
        }

        func say(_ answer: SyncAnswer) throws {
            let bytes = try SyncLine.bytes(answer)
            let sent = socket.withLock { socket in bytes.withUnsafeBytes { socket?.send($0) } }
            #expect(sent == bytes.count)
        }

        /// Who asked last.
        var asker: LocalSocket? { socket.withLock { $0 } }

        /// Whether who asked wants to hear no more.
        var isLeft: Bool {
            let socket = socket.withLock { $0 }
            guard let socket, socket.waitUntilReadable(milliseconds: 0) else { return false }
            return JoinedPlace.received(from: socket) == nil
        }
    }

    private let playground: Playground
    private let answerer: Answerer

    init() throws {
        playground = try Playground()
        answerer = try Answerer(playground)
    }

    private func wait(_ condition: () -> Bool) async {
        let deadline = Date().addingTimeInterval(20)
        var isSo = condition()
        while !isSo, Date() < deadline {
            await Task.yield()
            isSo = condition()
        }
        #expect(isSo)
    }

    private func opened(_ url: URL) async throws -> TextDocument {
        try Data("text".utf8).write(to: url)
        let document = TextDocument(fileURL: url)
        let isOpen = await UbiquityAccount.$shared.withValue(answerer.account) { await document.open() }
        #expect(isOpen)
        return document
    }

    @Test(
        "While it is open its progress is the upload's, and its state tells of that; closed it asks no more"
    )
    func upload() async throws {
        let url = answerer.folder.appendingPathComponent("a.txt")
        let document = try await opened(url)
        #expect(try answerer.question() == .follow(path: url.path, isDeep: false))
        #expect(document.progress == nil && document.documentState == .normal)
        try answerer.say(url.path, .init(3, of: 9))
        await wait { document.progress != nil }
        let progress = try #require(document.progress)
        #expect(progress.completedUnitCount == 3 && progress.totalUnitCount == 9 && !progress.isCancellable)
        #expect(document.documentState == .progressAvailable)
        // Of another item nothing is shown.
        try answerer.say(url.path + "x", nil)
        try answerer.say(url.path, .init(6, of: 9))
        await wait { progress.completedUnitCount == 6 }
        try answerer.say(url.path, nil)
        await wait { document.progress == nil }
        #expect(progress.isFinished && document.documentState == .normal)
        #expect(await document.close())
        await wait { answerer.isLeft }
    }

    @Test("A document that is opened while it is on its way has a progress at once")
    func onItsWay() async throws {
        let url = answerer.folder.appendingPathComponent("a.txt")
        let document = try await opened(url)
        #expect(try answerer.question() == .follow(path: url.path, isDeep: false))
        let following = answerer.asker
        try answerer.say(.changed([], isSettled: false))
        #expect(try answerer.question() == .item(path: url.path))
        try answerer.answer(url.path, .init(3, of: 9))
        await wait { document.progress?.completedUnitCount == 3 }
        #expect(await document.close())
        withExtendedLifetime(following) {}
    }

    @Test("Moved, a document is followed to its new place; outside all containers nobody is asked")
    func moved() async throws {
        let url = answerer.folder.appendingPathComponent("a.txt")
        let document = try await opened(url)
        #expect(try answerer.question() == .follow(path: url.path, isDeep: false))
        try answerer.say(url.path, .init(3, of: 9))
        await wait { document.progress != nil }
        let target = answerer.folder.appendingPathComponent("b.txt")
        try FileManager.default.moveItem(at: url, to: target)
        document.presentedItemDidMove(to: target)
        await wait { document.progress == nil }
        #expect(try answerer.question() == .follow(path: target.path, isDeep: false))
        let outside = playground["c.txt"]
        try FileManager.default.moveItem(at: target, to: outside)
        document.presentedItemDidMove(to: outside)
        await wait { answerer.isLeft }
        #expect(document.documentState == .normal)
        #expect(await document.close())
    }
}

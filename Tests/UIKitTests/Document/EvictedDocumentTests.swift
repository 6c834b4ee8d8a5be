import DocumentFoundation
import FileSystem
import Foundation
import LocalSockets
import Locks
import SyncMessages
import Testing
import UIKit

/// Documents whose contents are not here, and a process that has them.
@Suite("A document without its contents", .timeLimit(.minutes(3)))
@MainActor
struct EvictedDocumentTests {
    /// Answers as `sheaf up` does: some progress, then the contents when it is told to.
    private final class Answerer: Sendable {
        let url: URL
        let placeholder: URL
        private let joined: JoinedPlace
        private let mayFinish = DispatchSemaphore(value: 0)
        /// What is in the folder, but for what saves have beside documents.
        var names: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: joined.folder.path)
                    .filter { !SaveSite.isOwn($0) }.sorted()
            }
        }
        var account: UbiquityAccount { joined.account }

        init(_ playground: Playground) throws {
            joined = try JoinedPlace(playground["cloud"])
            let folder = joined.folder
            url = folder.appendingPathComponent("a.txt")
            placeholder = folder.appendingPathComponent(".a.txt.icloud")
            let evicted = Placeholder(name: "a.txt", byteCount: 8, isDirectory: false, typeIdentifier: nil)
            try evicted.encoded().write(to: placeholder)
        }

        func finish() { mayFinish.signal() }

        /// Answers one question, on a thread of its own.
        func start() {
            let thread = Thread { [self] in
                do { try answer() } catch { Issue.record("\(error)") }
            }
            thread.start()
        }

        private func answer() throws {
            let (question, socket) = try joined.question()
            #expect(question == .download(path: url.path, isAwaited: true))
            send(.progress(.init(4, of: 8)), socket)
            // Who has cancelled says nothing more.
            while mayFinish.wait(timeout: .now()) != .success {
                if socket.waitUntilReadable(milliseconds: 10) { return }
            }
            try Data("contents".utf8).write(to: url, options: .atomic)
            try FileManager.default.removeItem(at: placeholder)
            send(.done, socket)
        }

        private func send(_ answer: SyncAnswer, _ socket: LocalSocket) {
            guard let bytes = try? SyncLine.bytes(answer) else { return }
            // Who has cancelled takes nothing more.
            _ = bytes.withUnsafeBytes { socket.send($0) }
        }
    }

    private let playground: Playground
    private let answerer: Answerer
    private let document: TextDocument

    init() throws {
        playground = try Playground()
        answerer = try Answerer(playground)
        document = TextDocument(fileURL: answerer.url)
    }

    /// Begins to open it, and waits until there is progress.
    private func beginToOpen() async -> Task<Bool, Never> {
        answerer.start()
        let opening = Task { @MainActor in
            await UbiquityAccount.$shared.withValue(answerer.account) { await document.open() }
        }
        let deadline = Date().addingTimeInterval(20)
        while document.progress?.completedUnitCount != 4, Date() < deadline { await Task.yield() }
        return opening
    }

    @Test("Opening fetches the contents, with progress that its state tells of")
    func open() async throws {
        let opening = await beginToOpen()
        let progress = try #require(document.progress)
        #expect(progress.completedUnitCount == 4 && progress.totalUnitCount == 8 && progress.isCancellable)
        #expect(document.documentState == [.closed, .progressAvailable])
        answerer.finish()
        #expect(await opening.value)
        #expect(document.text == "contents")
        #expect(document.documentState == .normal && document.progress == nil && progress.isFinished)
        #expect(await document.close())
    }

    @Test(
        "Made for its placeholder, as a listing of its folder gives it, a document is the item, and saves there by itself"
    )
    func namedByPlaceholder() async throws {
        UbiquityAccount.$shared.withValue(answerer.account) {
            let known = TextDocument(fileURL: answerer.placeholder)
            #expect(known.fileURL == answerer.url && known.localizedName == "a")
            #expect(known.fileType == "public.plain-text")
        }
        // This one is made where no container is known yet.
        let document = TextDocument(fileURL: answerer.placeholder)
        answerer.finish()
        answerer.start()
        let isOpen = await UbiquityAccount.$shared.withValue(answerer.account) { await document.open() }
        #expect(isOpen && document.text == "contents" && document.localizedName == "a")
        #expect(document.fileURL == answerer.url && document.presentedItemURL == answerer.url)
        document.text = "edited"
        document.updateChangeCount(.done)
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try String(decoding: Data(contentsOf: answerer.url), as: UTF8.self) == "edited")
        #expect(!document.isFileDeleted)
        document.text = "last"
        document.updateChangeCount(.done)
        #expect(await document.close())
        #expect(try String(decoding: Data(contentsOf: answerer.url), as: UTF8.self) == "last")
        #expect(try answerer.names == ["a.txt"])
    }

    @Test("An open document that is found, saved and read anew by its placeholder's name is the item still")
    func placeholderOfOpenOne() async throws {
        answerer.finish()
        answerer.start()
        await UbiquityAccount.$shared.withValue(answerer.account) {
            #expect(await document.open())
            #expect(TextDocument.opened(at: answerer.placeholder) === document)
            document.text = "edited"
            #expect(await document.save(to: answerer.placeholder, for: .forOverwriting))
            #expect(document.fileURL == answerer.url)
            #expect(await document.revert(toContentsOf: answerer.placeholder))
            #expect(document.fileURL == answerer.url && document.text == "edited")
            #expect(await document.close())
        }
        #expect(try answerer.names == ["a.txt"])
    }

    @Test("A symbolic link to it opens it", arguments: ["beside", "in the container"])
    func linked(place: String) async throws {
        let isBeside = place == "beside"
        let link = (isBeside ? playground.folder : answerer.url.deletingLastPathComponent())
            .appendingPathComponent("link.txt")
        try FileManager.default.createSymbolicLink(
            atPath: link.path,
            withDestinationPath: isBeside ? answerer.url.path : "a.txt"
        )
        let document = TextDocument(fileURL: link)
        answerer.finish()
        answerer.start()
        let isOpen = await UbiquityAccount.$shared.withValue(answerer.account) { await document.open() }
        #expect(isOpen && document.text == "contents" && document.fileURL == link)
        #expect(await document.close())
    }

    @Test("Who cancels the progress ends the opening")
    func cancel() async throws {
        let opening = await beginToOpen()
        try #require(document.progress).cancel()
        #expect(await opening.value == false)
        #expect(document.documentState == .closed && document.progress == nil)
        #expect((document.errors.first as? CocoaError)?.code == .userCancelled)
    }

    @Test("An open document's contents stay")
    func objection() async throws {
        let open = TextDocument(fileURL: try playground.put("hello", at: "b.txt"))
        #expect(await open.open())
        let url = open.fileURL
        let failure = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var failure: NSError?
                NSFileCoordinator().coordinate(
                    writingItemAt: url,
                    options: .forEvicting,
                    error: &failure
                ) { _ in Issue.record("it was given away") }
                continuation.resume(returning: failure?.code)
            }
        }
        #expect(failure == CocoaError.fileLocking.rawValue)
        #expect(await open.close())
    }
}

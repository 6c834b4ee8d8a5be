import Foundation
import Testing

@testable import UIKit

/// Overrides what a presenter is asked in the spelling with `async`.
@MainActor
private final class AsyncDocument: UIDocument {
    var text = ""
    nonisolated let calls = CallLog()

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: try #require(contents as? Data), as: UTF8.self)
    }

    nonisolated override func savePresentedItemChanges() async throws {
        calls.note("save")
        try await super.savePresentedItemChanges()
        calls.note("saved")
    }

    nonisolated override func accommodatePresentedItemDeletion() async throws {
        calls.note("deletion")
        throw CocoaError(.fileWriteNoPermission)
    }

    nonisolated override func accommodatePresentedItemEviction() async throws {
        calls.note("eviction")
        try await super.accommodatePresentedItemEviction()
    }

    nonisolated override func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        calls.note("subitem \(url.lastPathComponent)")
        try await super.accommodatePresentedSubitemDeletion(at: url)
    }
}

/// Overrides one of them in the other spelling, over an override with `async`.
@MainActor
private final class HandlerDocument: UIDocument {
    nonisolated let calls = CallLog()

    nonisolated override func accommodatePresentedSubitemDeletion(
        at url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        calls.note("handler")
        super.accommodatePresentedSubitemDeletion(at: url, completionHandler: completionHandler)
    }

    nonisolated override func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        calls.note("async")
        throw CocoaError(.userCancelled)
    }
}

/// Overrides none of them.
@MainActor
private final class QuietDocument: UIDocument {}

/// Those that need a thread on which tasks run have a process of their own: other tests hold these up.
@Suite("UIDocument, overrides with async")
@MainActor
struct AsyncDocumentTests {
    private static func coordinate(_ access: @escaping @Sendable (NSErrorPointer) -> Void) async -> NSError? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var error: NSError?
                access(&error)
                continuation.resume(returning: error)
            }
        }
    }

    @Test("It is known which document class answers which question with async")
    func overrides() {
        let slots = [
            AsyncAnswers.saving, AsyncAnswers.deletion, AsyncAnswers.eviction, AsyncAnswers.subitemDeletion,
        ]
        for (type, overridden) in [
            (UIDocument.self, [false, false, false, false]),
            (QuietDocument.self, [false, false, false, false]),
            (AsyncDocument.self, [true, true, true, true]),
            (HandlerDocument.self, [false, false, false, true]),
        ] as [(UIDocument.Type, [Bool])] {
            #expect(slots.map { $0.isOverridden(by: type) } == overridden, "\(type)")
        }
    }

    @Test(
        "A document that overrides none answers before the question has returned, or when the main actor has"
    )
    func quiet() async throws {
        let playground = try Playground()
        let document = QuietDocument(fileURL: playground["a.txt"])
        let answers = CallLog()
        document.accommodatePresentedItemEviction { error in
            answers.note("\((error as? CocoaError)?.code == .fileLocking)")
        }
        document.accommodatePresentedSubitemDeletion(at: playground["b"]) { answers.note("\($0 == nil)") }
        #expect(answers.take() == ["true", "true"])
        let saved: (any Error)? = await withCheckedContinuation { continuation in
            document.savePresentedItemChanges { continuation.resume(returning: $0) }
        }
        #expect(saved == nil)
    }

    @Test("A reader waits for the override, and for the save that it asks the document for")
    func saves() async {
        await #expect(processExitsWith: .success) { @MainActor in try await Self.saves() }
    }

    private static func saves() async throws {
        let playground = try Playground()
        let document = AsyncDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.text = "new"
        document.updateChangeCount(.done)
        let (url, calls) = (document.fileURL, document.calls)
        let error = await coordinate { error in
            NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: url, error: error) { url in
                // An error shows in what is noted.
                calls.note("read " + ((try? String(contentsOf: url, encoding: .utf8)) ?? "nothing"))
            }
        }
        #expect(error == nil)
        #expect(document.calls.take() == ["save", "saved", "read new"])
        await document.close()
    }

    @Test("What an override throws keeps the item")
    func objects() async {
        await #expect(processExitsWith: .success) { @MainActor in try await Self.objects() }
    }

    private static func objects() async throws {
        let playground = try Playground()
        let document = AsyncDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        let url = document.fileURL
        let error = await coordinate { error in
            NSFileCoordinator(filePresenter: nil).coordinate(
                writingItemAt: url,
                options: .forDeleting,
                error: error
            ) { _ in Issue.record("was let in") }
        }
        #expect(error?.code == CocoaError.Code.fileWriteNoPermission.rawValue)
        #expect(document.documentState == .normal)
        #expect(document.calls.take() == ["deletion"])
        await document.close()
    }

    @Test("Asked with a handler, a document asks its override with async, and says what that throws")
    func bothSpellings() async throws {
        let playground = try Playground()
        let document = AsyncDocument(fileURL: playground["a.txt"])
        let evicted: (any Error)? = await withCheckedContinuation { continuation in
            document.accommodatePresentedItemEviction { continuation.resume(returning: $0) }
        }
        #expect((evicted as? CocoaError)?.code == .fileLocking)
        let gone: (any Error)? = await withCheckedContinuation { continuation in
            document.accommodatePresentedSubitemDeletion(at: playground["b"]) {
                continuation.resume(returning: $0)
            }
        }
        #expect(gone == nil)
        #expect(document.calls.take() == ["eviction", "subitem b"])
        let other = HandlerDocument(fileURL: playground["a.txt"])
        let error: (any Error)? = await withCheckedContinuation { continuation in
            other.accommodatePresentedSubitemDeletion(at: playground["b"]) {
                continuation.resume(returning: $0)
            }
        }
        #expect((error as? CocoaError)?.code == .userCancelled)
        #expect(other.calls.take() == ["handler", "async"])
    }
}

import DocumentFoundation
import FileSystem
import Foundation
import Testing

@testable import UIKit

/// An open document, as far as deeds concern it: keeps what it was asked and told.
private final class OpenDocument: NSObject, NSFilePresenter, @unchecked Sendable {
    // Sendable because what varies is only touched under the lock.
    private let lock = NSLock()
    private var url: URL
    private var heard: [String] = []
    private let refusal: (any Error)?
    private let unsaved: String?
    private let moved: AsyncStream<URL>.Continuation
    let moves: AsyncStream<URL>
    let presentedItemOperationQueue = OperationQueue()

    init(_ url: URL, unsaved: String? = nil, refusal: (any Error)? = nil) {
        self.url = url
        self.refusal = refusal
        self.unsaved = unsaved
        (moves, moved) = AsyncStream.makeStream()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        super.init()
        NSFileCoordinator.addFilePresenter(self)
    }

    var presentedItemURL: URL? { lock.withLock { url } }
    var messages: [String] { lock.withLock { heard } }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let url = note("save")
        do {
            if let unsaved { try Data(unsaved.utf8).write(to: url) }
            completionHandler(refusal)
        } catch {
            completionHandler(error)
        }
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        _ = note("deletion")
        completionHandler(refusal)
    }

    func presentedItemDidMove(to newURL: URL) {
        _ = note("moved")
        lock.withLock { url = newURL }
        moved.yield(newURL)
    }

    private func note(_ message: String) -> URL {
        lock.withLock {
            heard.append(message)
            return url
        }
    }
}

@Suite("FolderOperations: coordination", .timeLimit(.minutes(3)))
struct DeedCoordinationTests {
    let shelf: Shelf
    let operations: FolderOperations

    init() throws {
        shelf = try Shelf()
        operations = shelf.makeOperations()
    }

    @Test("An open document is told where it has been moved to")
    func moves() async throws {
        try shelf.write("a.txt")
        try shelf.makeFolder("sub")
        let document = OpenDocument(shelf.at("a.txt"))
        defer { NSFileCoordinator.removeFilePresenter(document) }
        var moves = document.moves.makeAsyncIterator()
        _ = try await operations.rename("a.txt", to: "b", showsExtension: false)
        #expect(await moves.next()?.path == shelf.at("b.txt").path)
        _ = try await operations.move(["b.txt"], into: "sub")
        #expect(await moves.next()?.path == shelf.at("sub/b.txt").path)
        _ = try await operations.rename("sub", to: "elsewhere", showsExtension: false)
        #expect(await moves.next()?.path == shelf.at("elsewhere/b.txt").path)
    }

    @Test("An open document saves its changes before it is duplicated")
    func duplicates() async throws {
        try shelf.write("a.txt", "old")
        let document = OpenDocument(shelf.at("a.txt"), unsaved: "newest")
        defer { NSFileCoordinator.removeFilePresenter(document) }
        let outcome = await operations.duplicate(["a.txt"])
        #expect(outcome.failures.isEmpty)
        #expect(document.messages.contains("save"))
        #expect(try shelf.text("a 2.txt") == "newest")
    }

    @Test("An open document is asked before it goes to the trash")
    func trashes() async throws {
        try shelf.write("a.txt")
        let document = OpenDocument(shelf.at("a.txt"))
        defer { NSFileCoordinator.removeFilePresenter(document) }
        #expect(await operations.trash(["a.txt"]).failures.isEmpty)
        #expect(document.messages.contains("deletion"))
        #expect(try shelf.names() == [])
    }

    @Test("A document that refuses keeps its place, and the error names it")
    func refuses() async throws {
        try shelf.write("a.txt")
        try shelf.write("b.txt")
        let refusal = CocoaError(.userCancelled)
        let document = OpenDocument(shelf.at("a.txt"), refusal: refusal)
        defer { NSFileCoordinator.removeFilePresenter(document) }
        let outcome = await operations.trash(["a.txt", "b.txt"])
        #expect(outcome.failures.map(\.code) == [.refused])
        #expect(outcome.failures.first?.item == "a.txt")
        #expect(outcome.failures.first?.errorDescription?.contains("a.txt") == true)
        #expect(try shelf.names() == ["a.txt"])
    }
}

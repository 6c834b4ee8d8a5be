import DocumentFoundation
import FileSystem
import Foundation
import Testing
import UIKit

/// A document that can be kept from being written and read.
private final class Stuck: UIDocument {
    var isStuck = false

    override func contents(forType typeName: String) throws -> Any {
        if isStuck { throw CocoaError(.fileWriteOutOfSpace) }
        return Data("edited".utf8)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        if isStuck { throw CocoaError(.fileReadUnknown) }
    }

    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {}
}

@Suite("UIDocument that can neither be written nor read", .timeLimit(.minutes(5)))
@MainActor
struct StuckDocumentTests {
    /// A document that is open with unsaved changes, because it could not be closed, nor go back to what is on the disk.
    private func stuckDocument(in playground: Playground) async throws -> Stuck {
        let document = Stuck(fileURL: try playground.put("text", at: "a.txt"))
        #expect(await document.open())
        document.isStuck = true
        document.updateChangeCount(.done)
        let isClosed = await document.close()
        #expect(!isClosed)
        let isReverted = await document.revert(toContentsOf: document.fileURL)
        #expect(!isReverted)
        #expect(document.documentState == [.savingError, .editingDisabled])
        return document
    }

    @Test("Who wants to read it is told why it cannot be saved, and does not wait for it")
    func reader() async throws {
        let playground = try Playground()
        let document = try await stuckDocument(in: playground)
        let second = TextDocument(fileURL: document.fileURL)
        #expect(await !second.open())
        #expect(second.errors.compactMap { FileCoordinationError($0) }.isEmpty, "\(second.errors)")
        #expect(second.errors.count == 1)
        document.isStuck = false
        #expect(await document.close())
        #expect(try playground.text("a.txt") == "edited")
    }

    @Test("What is in the way of a save is told by name, with whose it is and what helps")
    func inTheWay() async throws {
        let playground = try Playground()
        let url = playground["new.txt"]
        let staging = playground[SaveSite.stagingName(for: "new.txt")]
        try FileManager.default.createSymbolicLink(atPath: staging.path, withDestinationPath: "elsewhere")
        let document = TextDocument(fileURL: url)
        #expect(await !document.save(to: url, for: .forCreating))
        let error = try #require(document.errors.first as? CocoaError)
        #expect(error.code == .fileWriteNoPermission)
        #expect((error.userInfo[NSURLErrorKey] as? URL)?.lastPathComponent == "new.txt")
        let text = try #require(error.userInfo[NSLocalizedDescriptionKey] as? String)
        #expect(text.contains(staging.lastPathComponent))
        #expect(text.contains("Remove it"))
    }

    @Test("Abandoned, it is closed, and nothing of what was not saved comes to the disk")
    func abandoned() async throws {
        let playground = try Playground()
        let document = try await stuckDocument(in: playground)
        document.isStuck = false
        await document.abandon()
        #expect(document.documentState.contains(.closed))
        #expect(!document.hasUnsavedChanges)
        await document.abandon()
        // Nobody is asked who has something to save.
        let second = TextDocument(fileURL: document.fileURL)
        #expect(await second.open())
        #expect(second.text == "text")
        await second.close()
        #expect(try playground.text("a.txt") == "text")
    }
}

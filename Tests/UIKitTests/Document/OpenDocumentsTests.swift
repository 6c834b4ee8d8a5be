import Foundation
import Testing
import UIKit

/// Each story has a process of its own, whose documents are all closed in it.
@Suite("OpenDocuments", .timeLimit(.minutes(2)))
@MainActor
struct OpenDocumentsTests {
    @Test("What is opened and edited while all are being closed is saved and closed, too")
    func openedLate() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let playground = try Playground()
            let first = TextDocument(fileURL: try playground.put("one", at: "a.txt"))
            let late = TextDocument(fileURL: try playground.put("two", at: "b.txt"))
            #expect(await first.open())
            let unsavedCount = await withCheckedContinuation { continuation in
                OpenDocuments.closeAll { continuation.resume(returning: $0.count) }
                late.open { _ in
                    late.text = "three"
                    late.updateChangeCount(.done)
                }
            }
            #expect(unsavedCount == 0)
            #expect(first.documentState == .closed && late.documentState == .closed)
            #expect(try String(contentsOf: late.fileURL, encoding: .utf8) == "three")
        }
    }

    @Test(
        "A deleted file does not come back when all are saved, be it known already or not",
        arguments: [true, false]
    )
    func deleted(_ isKnown: Bool) async {
        await #expect(processExitsWith: .success) { @MainActor [isKnown] in
            let playground = try Playground()
            let document = TextDocument(fileURL: try playground.put("one", at: "a.txt"))
            #expect(await document.open())
            document.type("two")
            #expect(unlink(document.fileURL.path) == 0)
            if isKnown { await wait(for: document) { document.isFileDeleted } }
            OpenDocuments.autosave()
            await wait(for: document) { document.isFileDeleted }
            // What has been begun before this has ended.
            await withCheckedContinuation { continuation in
                document.performAsynchronousFileAccess { continuation.resume() }
            }
            #expect(try playground.names == [])
            #expect(document.isFileDeleted && document.hasUnsavedChanges)
            document.isAutosaveOff = true
        }
    }

    @Test("What is hidden is saved now")
    func saved() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let playground = try Playground()
            let document = TextDocument(fileURL: try playground.put("one", at: "a.txt"))
            #expect(await document.open())
            document.type("two")
            OpenDocuments.autosave()
            await wait(for: document) { !document.hasUnsavedChanges }
            #expect(try playground.text("a.txt") == "two")
        }
    }

    @Test("One that cannot be saved is told of once")
    func unsaved() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let playground = try Playground()
            let document = TextDocument(fileURL: try playground.put("one", at: "a.txt"))
            #expect(await document.open())
            document.contentsError = CocoaError(.fileWriteUnknown)
            document.updateChangeCount(.done)
            let unsaved = await withCheckedContinuation { continuation in
                OpenDocuments.closeAll { continuation.resume(returning: $0.map(\.fileURL)) }
            }
            #expect(unsaved == [document.fileURL])
        }
    }
}

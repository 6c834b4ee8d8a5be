import DocumentFoundation
import FileSystem
import Foundation
import SyncMessages
import Testing

@testable import UIKit

/// A document view controller that is shown before its document's contents have come.
@Suite("A document that is shown before its contents have come", .timeLimit(.minutes(5)))
@MainActor
struct AwaitedDocumentTests {
    private let shelf: Shelf
    private let root = UIViewController()
    private let stage: Stage

    init() throws {
        shelf = try Shelf()
        stage = try Stage(root)
        let placeholder = Placeholder(name: "a.txt", byteCount: 4, isDirectory: false, typeIdentifier: nil)
        try placeholder.encoded().write(to: shelf.at(".a.txt.icloud"))
    }

    @Test(
        "How far they have come is shown, and whoever does not want to wait leaves, without a word of failure",
        arguments: ["stopOpening", "done"]
    )
    func left(verb: String) async throws {
        let synced = try SyncedShelf(shelf)
        defer { synced.end() }
        try await synced.run {
            let document = TextDocument(fileURL: shelf.at("a.txt"))
            let controller = UIDocumentViewController(document: document)
            root.present(controller, animated: false)
            let opening = Task { await controller.openDocument() }
            while document.progress?.completedUnitCount != 1 {
                try Task.checkCancellation()
                await Task.yield()
            }
            let layer = try #require(stage.description.stack.first { $0.id == controller.pageIdentifier })
            #expect(layer.state?.label == "Downloading… 25 %")
            #expect(layer.state?.acts.map(\.name) == ["document.stopOpening"])
            _ = try await answer {
                try controller.perform(Substring(verb), Acts.Arguments(values: [:]), $0)
            }
            #expect(await opening.value == false)
            await wait(for: document) { document.documentState == .closed }
            #expect(root.presentedViewController == nil && controller.presentedViewController == nil)
        }
    }
}

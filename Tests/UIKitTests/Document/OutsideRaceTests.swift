import Foundation
import Testing
import UIKit

/// What others write in the very moment in which a document saves.
@Suite("UIDocument racing with others", .timeLimit(.minutes(2)))
@MainActor
struct OutsideRaceTests {
    let playground: Playground

    init() throws {
        playground = try Playground()
    }

    @Test("What a program writes into a file that it had open while the document saved is kept")
    func lateWriter() async throws {
        let document = try await promptly(withinSeconds: 2) { attempt in
            let document = TextDocument(fileURL: try playground.put("old", at: "a\(attempt).txt"))
            #expect(await document.open())
            let program = try FileHandle(forWritingTo: document.fileURL)
            document.type("mine")
            #expect(await document.save(to: document.fileURL, for: .forOverwriting))
            try program.write(contentsOf: Data("written late".utf8))
            try program.close()
            return document
        }
        await wait(for: document) { document.documentState.contains(.inConflict) }
        #expect(try playground.text(document.fileURL.lastPathComponent) == "mine")
        let copy = try #require(document.conflictCopyURLs.first)
        #expect(try playground.text(copy.lastPathComponent) == "written late")
        await document.close()
    }

    @Test("What is put in place while the document writes beside it is kept", arguments: [true, false])
    func changedWhileStaging(replaces: Bool) async throws {
        let document = InterruptedDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.interruption.set { original in
            try Data("theirs".utf8).write(to: original, options: replaces ? .atomic : [])
        }
        document.text = "mine"
        document.updateChangeCount(.done)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("a.txt") == "mine")
        #expect(try document.conflictCopyURLs.map { try playground.text($0.lastPathComponent) } == ["theirs"])
        await document.close()
    }

    @Test(
        "What is put in place in the instant after the document's own bytes is read",
        arguments: [true, false]
    )
    func changedAfterSwap(replaces: Bool) async throws {
        let document = OvertakenDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.interruption.set { place in
            try Data("theirs".utf8).write(to: place, options: replaces ? .atomic : [])
        }
        document.text = "mine"
        document.updateChangeCount(.done)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        await wait(for: document) { document.text == "theirs" }
        #expect(try playground.text("a.txt") == "theirs")
        await document.close()
    }

    @Test("What is edited in the instant after others' version was taken in is unsaved, and saved")
    func editedAfterLoading() async throws {
        let document = EagerDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.editsOnLoad = true
        _ = try playground.put("theirs", at: "a.txt")
        await wait(for: document) { document.text == "theirs, edited" && !document.hasUnsavedChanges }
        #expect(try playground.text("a.txt") == "theirs, edited")
        await document.close()
    }

    @Test("What is edited while others' version is being read is not lost by that, nor is theirs")
    func editedBeforeLoading() async throws {
        let document = EagerDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        let observer = NotificationCenter.default.addObserver(
            forName: UIDocument.willReloadNotification,
            object: document,
            queue: nil
        ) { _ in
            MainActor.assumeIsolated {
                document.text = "edited meanwhile"
                document.updateChangeCount(.done)
            }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        _ = try playground.put("theirs", at: "a.txt")
        await wait(for: document) {
            document.documentState.contains(.inConflict) && !document.hasUnsavedChanges
        }
        #expect(document.text == "edited meanwhile")
        #expect(try playground.text("a.txt") == "edited meanwhile")
        let copy = try #require(document.conflictCopyURLs.first)
        #expect(try playground.text(copy.lastPathComponent) == "theirs")
        await document.close()
    }

    @Test("A save asked for while the document is being read writes what was read")
    func savedWhileReverting() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.text = "never mind"
        let (isReverted, isSaved) = await withCheckedContinuation { continuation in
            var isReverted = false
            // Begun before the save, whatever else the main actor has to do.
            document.revert(toContentsOf: document.fileURL) { isReverted = $0 }
            document.save(to: document.fileURL, for: .forOverwriting) { isSaved in
                continuation.resume(returning: (isReverted, isSaved))
            }
        }
        #expect(isReverted)
        #expect(isSaved)
        #expect(document.text == "old")
        #expect(try playground.text("a.txt") == "old")
        await document.close()
    }

    @Test("A member that others replace while the package is written is kept with its package")
    func memberChangedWhileStaging() async throws {
        let package = playground["a.rtfd"]
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        try Data("old".utf8).write(to: package.appendingPathComponent("text.txt"))
        let document = InterruptedDocument(fileURL: package)
        #expect(await document.open())
        document.interruption.set { original in
            let member = original.appendingPathComponent("text.txt")
            try Data("theirs".utf8).write(to: member, options: .atomic)
        }
        document.text = "mine"
        document.updateChangeCount(.done)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("a.rtfd/text.txt") == "mine")
        let copy = try #require(document.conflictCopyURLs.first)
        #expect(try playground.text("\(copy.lastPathComponent)/text.txt") == "theirs")
        await document.close()
    }
}

/// Lets someone in after it has written what is to be put in place.
private final class InterruptedDocument: UIDocument {
    var text = "" {
        didSet {
            guard let package else { return }
            if let old = package.fileWrappers?["text.txt"] { package.removeFileWrapper(old) }
            package.addRegularFile(withContents: Data(text.utf8), preferredFilename: "text.txt")
        }
    }
    private var package: FileWrapper?
    nonisolated let interruption = Interruption()

    override func contents(forType typeName: String) throws -> Any { package ?? Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        package = contents as? FileWrapper
    }

    nonisolated override func writeContents(
        _ contents: Any,
        to url: URL,
        for saveOperation: SaveOperation,
        originalContentsURL: URL?
    ) throws {
        try super.writeContents(
            contents,
            to: url,
            for: saveOperation,
            originalContentsURL: originalContentsURL
        )
        if let originalContentsURL { try interruption.run(originalContentsURL) }
    }
}

/// Lets someone in when what it has written is in place, and before it knows.
private final class OvertakenDocument: UIDocument {
    var text = ""
    nonisolated let interruption = Interruption()

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }

    nonisolated override func writeContents(
        _ contents: Any,
        andAttributes additionalFileAttributes: [AnyHashable: Any]? = nil,
        safelyTo url: URL,
        for saveOperation: SaveOperation
    ) throws {
        try super.writeContents(
            contents,
            andAttributes: additionalFileAttributes,
            safelyTo: url,
            for: saveOperation
        )
        try interruption.run(url)
    }
}

/// Is edited as soon as it has taken something in, before the one who asked for that knows.
private final class EagerDocument: UIDocument {
    var text = ""
    var editsOnLoad = false

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
        guard editsOnLoad else { return }
        editsOnLoad = false
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                self.text += ", edited"
                self.updateChangeCount(.done)
            }
        }
    }
}

/// Something to be done once.
private final class Interruption: @unchecked Sendable {
    // Sendable because `body` is only touched under the lock.
    private let lock = NSLock()
    private var body: ((URL) throws -> Void)?

    func set(_ body: @escaping (URL) throws -> Void) { lock.withLock { self.body = body } }

    func run(_ url: URL) throws {
        let body = lock.withLock {
            defer { self.body = nil }
            return self.body
        }
        try body?(url)
    }
}

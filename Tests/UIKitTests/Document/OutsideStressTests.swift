import DocumentFoundation
import Foundation
import SeededNumbers
import Testing
import UIKit

/// Twenty programs that coordinate nothing write what twenty open documents edit.
///
/// Whoever edits adds to what the document shows and takes nothing away, so that what a program has written last has to
/// be there when all is quiet: in the document, or in a copy or version of it that is kept then. What was read once and
/// is nowhere any more is lost.
///
/// `SHEAF_SEED` replays a run as far as the programs' own timing allows.
@Suite("UIDocument and twenty writers", .serialized, .timeLimit(.minutes(2)))
@MainActor
struct OutsideStressTests {
    private let user: VersionUser
    private let scratch: Playground
    private var playground: Playground { user.playground }

    init() throws {
        user = try VersionUser()
        scratch = try Playground()
    }

    @Test(
        "Every program's last text is in the document or in a kept copy of it, and each document shows its file",
        arguments: [false, true]
    )
    func stress(keepsVersions: Bool) async throws {
        try await VersionStore.$shared.withValue(keepsVersions ? user.store : .shared) {
            try await run(keepsVersions)
        }
    }

    private func run(_ keepsVersions: Bool) async throws {
        let seed =
            ProcessInfo.processInfo.environment["SHEAF_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 1...99_999)
        print("twenty writers: SHEAF_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        var documents: [any StressedDocument] = []
        for number in 0..<20 { documents.append(try await open(number)) }
        let writers = try documents.enumerated().map { number, document in
            try OutsideWriter(
                number,
                style: OutsideWriter.styles[number % OutsideWriter.styles.count],
                file: document.editedFile,
                scratch: scratch.folder,
                count: 20,
                using: &random
            )
        }
        let editing = edit(documents, seed: random.next())
        for writer in writers { await writer.end() }
        editing.cancel()
        let edits = await editing.value
        for (writer, document) in zip(writers, documents) {
            // Settled: nothing is unsaved, and what is shown is what the file holds.
            await wait(for: document) {
                !document.hasUnsavedChanges && document.editedText == Self.text(of: document.editedFile)
            }
            #expect(!document.isFileDeleted)
            await document.close()
            var texts = try keptTexts(of: document)
            if keepsVersions { texts += try versionTexts(of: document) }
            #expect(writer.isKept(in: texts), "\(writer.finalText): \(writer.style), of \(texts)")
        }
        let copies = try playground.names.filter { $0.contains("other version") }.count
        let conflicts = documents.compactMap {
            NSFileVersion.unresolvedConflictVersionsOfItem(at: $0.fileURL)?.count
        }
        print(
            "twenty writers: 400 texts, \(edits) edits, \(copies) kept copies, "
                + "\(conflicts.reduce(0, +)) conflict versions"
        )
        // Whoever writes without pause keeps a state from being kept; nothing else does.
        #expect(user.reports.all.allSatisfy { $0.contains("written to each time") }, "\(user.reports.all)")
    }

    /// What lost a conflict with a document.
    private func versionTexts(of document: any StressedDocument) throws -> [String] {
        let isPackage = document.editedFile != document.fileURL
        return try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: document.fileURL))
            .compactMap { version in
                Self.text(of: isPackage ? version.url.appendingPathComponent("text.txt") : version.url)
            }
    }

    /// Types into documents at random until it is cancelled; gives how often.
    private func edit(_ documents: [any StressedDocument], seed: UInt64) -> Task<Int, Never> {
        Task { @MainActor in
            var random = SplitMix64(seed: seed)
            var edits = 0
            while !Task.isCancelled {
                edits += 1
                if let document = documents.randomElement(using: &random) {
                    document.edit((document.editedText ?? "") + "[\(edits)]")
                    if Bool.random(using: &random) {
                        await document.save(to: document.fileURL, for: .forOverwriting)
                    }
                }
                let pause = Double.random(in: 0.001...0.02, using: &random)
                await withCheckedContinuation { typed in
                    DispatchQueue.main.asyncAfter(deadline: .now() + pause) { typed.resume() }
                }
            }
            return edits
        }
    }

    private func open(_ number: Int) async throws -> any StressedDocument {
        let document: any StressedDocument
        if number < 14 {
            document = PlainDocument(fileURL: try playground.put("start", at: "\(number).txt"))
        } else {
            let package = playground["\(number).rtfd"]
            try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
            try Data("start".utf8).write(to: package.appendingPathComponent("text.txt"))
            try Data("stays".utf8).write(to: package.appendingPathComponent("other.txt"))
            document = BundleDocument(fileURL: package)
        }
        #expect(await document.open())
        return document
    }

    /// What is in the document's file, and in the copies beside it that bear its name.
    private func keptTexts(of document: any StressedDocument) throws -> [String] {
        let name = document.fileURL.deletingPathExtension().lastPathComponent
        let own = try playground.names.filter { $0.hasPrefix(name + ".") || $0.hasPrefix(name + " ") }
        return own.flatMap { name -> [String] in
            let item = playground[name]
            return [item, item.appendingPathComponent("text.txt")].compactMap { Self.text(of: $0) }
        }
    }

    private static func text(of file: URL) -> String? {
        // Folders, and what goes meanwhile, have no text.
        (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// What the stress needs to know of a document.
@MainActor
private protocol StressedDocument: UIDocument {
    var editedFile: URL { get }
    var editedText: String? { get }
    func edit(_ text: String)
}

private final class PlainDocument: UIDocument, StressedDocument {
    private var text = ""
    var editedFile: URL { fileURL }
    var editedText: String? { text }

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    /// What was merged would be nobody's text.
    nonisolated override func mergedContents(
        ofType type: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        nil
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }

    func edit(_ text: String) {
        self.text = text
        updateChangeCount(.done)
    }
}

private final class BundleDocument: UIDocument, StressedDocument {
    private var package = FileWrapper(directoryWithFileWrappers: [:])
    private var text: String?
    var editedFile: URL { fileURL.appendingPathComponent("text.txt") }
    var editedText: String? { text }

    override func contents(forType typeName: String) throws -> Any { package }

    /// What was merged would be nobody's text.
    nonisolated override func mergedContents(
        ofType type: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        nil
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        package = try #require(contents as? FileWrapper)
        text = package.fileWrappers?["text.txt"]?.regularFileContents.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    func edit(_ text: String) {
        self.text = text
        if let old = package.fileWrappers?["text.txt"] { package.removeFileWrapper(old) }
        package.addRegularFile(withContents: Data(text.utf8), preferredFilename: "text.txt")
        updateChangeCount(.done)
    }
}

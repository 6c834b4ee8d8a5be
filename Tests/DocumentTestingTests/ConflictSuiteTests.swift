import ChangeSets
import Foundation
import Merging
import TestThreads
import Testing
import UIKit
import UniformTypeIdentifiers

@testable import DocumentTesting

/// Documents of every kind are held to the laws; ones that break them are caught.
@Suite("ConflictSuite", .onOwnThreads)
@MainActor
struct ConflictSuiteTests {
    private func place(_ name: String) -> URL { URL(fileURLWithPath: "/nowhere/\(name)") }

    private func textSuite<Note: TextNote>(_ type: Note.Type, seed: UInt64? = nil) -> ConflictSuite<Note> {
        ConflictSuite(seed: seed) { _ in
            Note(fileURL: place("a.txt"))
        } edit: { note, numbers in
            let word = "w\(numbers.next() % 1_000_000)"
            let place = Int.random(in: 0...note.lines.count, using: &numbers)
            note.lines.insert(word, at: place)
            return ConflictEdit("inserted \(word) at \(place)") { $0.lines.contains(word) }
        }
    }

    @Test("A document of text")
    func text() throws {
        let report = try textSuite(TextNote.self).check()
        #expect(report.mergedCount > 0 && report.keptCount > 0)
        #expect(report.mergedCount + report.keptCount == 30)
    }

    @Test("A seed in the environment that is none is an error, and plays nothing")
    func wrongSeed() throws {
        func suite(_ text: String) -> ConflictSuite<TextNote> {
            ConflictSuite(seed: nil, environment: ["SHEAF_SEED": text]) { _ in
                TextNote(fileURL: place("a.txt"))
            } edit: { _, _ in
                ConflictEdit("nothing") { _ in true }
            }
        }
        let failure = #expect(throws: WorldSeedFailure.self) { try suite("47x11").check() }
        #expect(failure?.text == "47x11")
        #expect(try suite("4711").check().seed == 4711)
    }

    @Test("A document of JSON")
    func json() throws {
        let report = try ConflictSuite { _ in
            SettingsDocument(fileURL: place("a.json"))
        } edit: {
            document,
            numbers in
            let key = "key \(Int.random(in: 0..<12, using: &numbers))"
            let value = Int(numbers.next() % 1_000_000)
            document.values[key] = value
            return ConflictEdit("set \(key) to \(value)") { $0.values[key] == value }
        }.check()
        #expect(report.mergedCount > 0 && report.keptCount > 0)
    }

    @Test("A document of a package, its members edited, put in and taken out")
    func package() throws {
        let report = try ConflictSuite { _ in
            ScrapDocument(fileURL: place("a.rtfd"))
        } edit: {
            document,
            numbers in
            let name = ["text.txt", "image.png", "a.txt", "b.json"].randomElement(using: &numbers) ?? ""
            if Int.random(in: 0..<4, using: &numbers) == 0 {
                document[name] = nil
                return ConflictEdit("took out \(name)") { $0[name] == nil }
            }
            let word = "w\(numbers.next() % 1_000_000)"
            document[name] = name.hasSuffix(".txt") ? word + "\n" + (document[name] ?? "") : word
            return ConflictEdit("put \(word) into \(name)") { $0[name]?.contains(word) ?? false }
        }.check()
        #expect(report.mergedCount > 0 && report.keptCount > 0)
    }

    @Test("A document of bookmarks in change sets, which two devices add, rename and count")
    func bookmarks() throws {
        var devices: [ConflictVersion: DeviceID] = [:]
        for version in ConflictVersion.allCases { devices[version] = DeviceID(UUID()) }
        let report = try ConflictSuite<BookmarksDocument> { version in
            let document = BookmarksDocument(fileURL: place("a.replica"))
            document.device = try #require(devices[version])
            return document
        } edit: { document, numbers in
            let id = "b\(Int.random(in: 0..<5, using: &numbers))"
            let name = "n\(numbers.next() % 1_000_000)"
            try document.rename(id, name)
            return ConflictEdit("named \(id) \(name)") { $0.name(of: id) == name }
        }.check()
        #expect(report.mergedCount > 0 && report.keptCount > 0)
    }

    // MARK: Wrong ones

    private func failure<Note: TextNote>(of type: Note.Type, seed: UInt64 = 7) throws -> ConflictFailure {
        let failure = #expect(throws: ConflictFailure.self) { try textSuite(type, seed: seed).check() }
        return try #require(failure)
    }

    @Test("One that always takes its own is caught by the law it breaks, with the fewest edits")
    func ownAlways() throws {
        let failure = try failure(of: OwnNote.self)
        #expect(failure.law == .theirsAlone)
        #expect(failure.edits.base.isEmpty && failure.edits.mine.isEmpty && failure.edits.theirs.count == 1)
        let text = "\(failure)"
        for part in [
            "merge(base, base, theirs) is theirs", "SHEAF_SEED=7", "step \(failure.step)", "inserted w",
        ] {
            #expect(text.contains(part), "\(part) is missing in: \(text)")
        }
    }

    @Test("One that lets the longer version win loses edits, and is caught")
    func longerWins() throws {
        let failure = try failure(of: LongerNote.self)
        #expect(failure.law == .nothingLost)
        #expect(failure.edits.mine.count == 1 && failure.edits.theirs.count == 1)
        #expect(failure.detail.contains("Lost: inserted w"))
    }

    @Test("One that puts mine before theirs comes to two different versions, and is caught")
    func inOrder() throws {
        #expect(try failure(of: OrderedNote.self).law == .symmetry)
    }

    @Test("One that writes marks it cannot read is caught")
    func marks() throws {
        #expect(try failure(of: MarkingNote.self).law == .loadable)
    }

    @Test("One that throws wherever both have changed something is kept, and that is counted")
    func throwing() throws {
        let report = try textSuite(ThrowingNote.self).check()
        #expect(report.threwCount > 0 && report.threwCount == report.keptCount)
        #expect(try textSuite(TextNote.self).check().threwCount == 0)
    }

    @Test("One that throws whatever there is to be merged breaks the first law, and it is said what it threw")
    func throwingAlways() throws {
        let failure = try failure(of: UselessNote.self)
        #expect(failure.law == .mineAlone)
        #expect(failure.detail.contains("as it threw \(CocoaError(.fileReadCorruptFile))"), "\(failure)")
    }

    @Test("What was found is told, also if a smaller case cannot be looked at")
    func unshrinkable() throws {
        let found = Found()
        let suite = ConflictSuite<LongerNote>(seed: 7) { version in
            if found.isLost, version == .merged { throw CocoaError(.fileReadUnknown) }
            return LongerNote(fileURL: place("\(version).txt"))
        } edit: { note, numbers in
            let word = "w\(numbers.next() % 1_000_000)"
            note.lines.append(word)
            return ConflictEdit("appended \(word)") { note in
                let isThere = note.lines.contains(word)
                if !isThere, note.fileURL.lastPathComponent == "merged.txt" { found.isLost = true }
                return isThere
            }
        }
        let failure = #expect(throws: ConflictFailure.self) { try suite.check() }
        #expect(failure?.law == .nothingLost)
    }

    @Test("A seed gives the same run again")
    func replay() throws {
        let failures = try (0..<2).map { _ in "\(try failure(of: LongerNote.self, seed: 99))" }
        #expect(failures[0] == failures[1])
    }
}

// MARK: Documents

@MainActor
private class TextNote: UIDocument {
    var lines: [String] = []

    override required init(fileURL url: URL) { super.init(fileURL: url) }

    override func contents(forType typeName: String) throws -> Any {
        Data(lines.map { $0 + "\n" }.joined().utf8)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        let text = String(decoding: try #require(contents as? Data), as: UTF8.self)
        lines = text.split(separator: "\n").map(String.init)
        if lines.contains(">>>>") { throw CocoaError(.fileReadCorruptFile) }
    }
}

private final class OwnNote: TextNote {
    nonisolated override func mergedContents(
        ofType type: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        mine
    }
}

/// Wrong where both have changed something, in a way of its own.
@MainActor
private class WrongNote: TextNote {
    nonisolated override func mergedContents(
        ofType type: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        let sides = try [base ?? Data(), mine, theirs].map { try #require($0 as? Data) }
        if sides[1] == sides[0] || sides[1] == sides[2] { return theirs }
        return sides[2] == sides[0] ? mine : wrong(sides[1], sides[2])
    }

    nonisolated func wrong(_ mine: Data, _ theirs: Data) -> Data { mine }
}

private final class LongerNote: WrongNote {
    nonisolated override func wrong(_ mine: Data, _ theirs: Data) -> Data {
        [mine, theirs].max { ($0.count, "\(Array($0))") < ($1.count, "\(Array($1))") } ?? mine
    }
}

private final class OrderedNote: WrongNote {
    nonisolated override func wrong(_ mine: Data, _ theirs: Data) -> Data { mine + theirs }
}

private final class ThrowingNote: TextNote {
    nonisolated override func mergedContents(
        ofType type: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        let merged = try super.mergedContents(ofType: type, base: base, mine: mine, theirs: theirs)
        guard let merged else { throw CocoaError(.fileReadCorruptFile) }
        return merged
    }
}

private final class UselessNote: TextNote {
    nonisolated override func mergedContents(
        ofType type: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws
        -> Any?
    {
        throw CocoaError(.fileReadCorruptFile)
    }
}

/// Whether a merge has lost something.
@MainActor
private final class Found {
    var isLost = false
}

private final class MarkingNote: WrongNote {
    nonisolated override func wrong(_ mine: Data, _ theirs: Data) -> Data {
        let sides = [mine, theirs].sorted { $0.lexicographicallyPrecedes($1) }
        return sides[0] + Data(">>>>\n".utf8) + sides[1]
    }
}

@MainActor
private final class SettingsDocument: UIDocument {
    var values: [String: Int] = Dictionary(uniqueKeysWithValues: (0..<12).map { ("key \($0)", 0) })

    override func contents(forType typeName: String) throws -> Any {
        try JSONSerialization.data(withJSONObject: values, options: [.prettyPrinted, .sortedKeys])
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        let data = try #require(contents as? Data)
        values = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Int])
    }
}

/// Like Scrapbook's: a picture and texts, changed in the tree that was read.
@MainActor
private final class ScrapDocument: UIDocument {
    private var package = FileWrapper(directoryWithFileWrappers: [
        "text.txt": FileWrapper(regularFileWithContents: Data("one\ntwo\n".utf8)),
        "image.png": FileWrapper(regularFileWithContents: Data("picture".utf8)),
    ])

    override func contents(forType typeName: String) throws -> Any { package }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        package = try #require(contents as? FileWrapper)
    }

    subscript(name: String) -> String? {
        get {
            package.fileWrappers?[name]?.regularFileContents.map { String(decoding: $0, as: UTF8.self) }
        }
        set {
            if let old = package.fileWrappers?[name] { package.removeFileWrapper(old) }
            if let newValue {
                package.addRegularFile(withContents: Data(newValue.utf8), preferredFilename: name)
            }
        }
    }
}

@MainActor
private final class BookmarksDocument: UIDocument {
    final class Bookmark: ChangeTrackedObject {
        static let changeType = "Bookmark"
        @ChangeTracked var name = ""
    }

    var device = DeviceID(UUID())
    private lazy var recorder = recorder(of: Replica(device: device))

    private func recorder(of replica: Replica) -> ChangeRecorder {
        // No wall clock: a run is to be the same again.
        ChangeRecorder(replica, types: [Bookmark.self]) { 1_000 }
    }

    override func contents(forType typeName: String) throws -> Any {
        Data(try recorder.withReplica { $0.encodedState() })
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        recorder = recorder(of: try Replica(state: try #require(contents as? Data), device: device))
    }

    func rename(_ id: String, _ name: String) throws {
        if let bookmark = recorder.objects(Bookmark.self)[id] {
            bookmark.name = name
        } else {
            let bookmark = Bookmark()
            bookmark.name = name
            try recorder.insert(bookmark, id: id)
        }
        try recorder.record()
    }

    func name(of id: String) -> String? { recorder.objects(Bookmark.self)[id]?.name }
}

internal import Merging
internal import UIKit

/// Three versions of a document, and what its merges make of them.
@MainActor
struct ConflictMeeting<Document: UIDocument> {
    private let suite: ConflictSuite<Document>
    private let base: Version
    private let mine: Version
    private let theirs: Version

    private struct Version {
        let document: Document
        let contents: ContentsSnapshot
        let edits: [ConflictEdit<Document>]
    }

    init(_ suite: ConflictSuite<Document>, _ seeds: EditSeeds) throws {
        self.suite = suite
        base = try Self.version(.base, of: suite, seeds, from: nil)
        mine = try Self.version(.mine, of: suite, seeds, from: base.contents)
        theirs = try Self.version(.theirs, of: suite, seeds, from: base.contents)
    }

    private static func version(
        _ version: ConflictVersion,
        of suite: ConflictSuite<Document>,
        _ seeds: EditSeeds,
        from base: ContentsSnapshot?
    ) throws -> Version {
        let document = try suite.make(version)
        let type = type(of: document)
        if let base { try document.load(fromContents: base.contents, ofType: type) }
        let edits = try seeds[version].map { seed in
            var numbers = SeededGenerator(seed: seed)
            return try suite.edit(document, &numbers)
        }
        // What nobody edited is the very same: a merge must see that it is.
        let contents =
            try edits.isEmpty
            ? base ?? ContentsSnapshot(document.contents(forType: type))
            : ContentsSnapshot(document.contents(forType: type))
        return Version(document: document, contents: contents, edits: edits)
    }

    private static func type(of document: Document) -> String {
        document.savingFileType ?? document.fileType ?? "public.data"
    }

    /// What was done to each, for people.
    var edits: (base: [String], mine: [String], theirs: [String]) {
        (base.edits.map(\.description), mine.edits.map(\.description), theirs.edits.map(\.description))
    }

    /// Whether the two become one.
    func isMerged() throws -> Bool { try merge(mine, theirs, by: mine.document) != nil }

    /// The first law that does not hold.
    func brokenLaw() throws -> (law: ConflictFailure.Law, detail: String)? {
        let alone: [(ConflictFailure.Law, Version, Version, Version)] = [
            (.mineAlone, mine, base, mine), (.theirsAlone, base, theirs, theirs),
            (.sameChange, mine, mine, mine),
        ]
        for (law, own, other, wanted) in alone {
            let merged = try merge(own, other, by: mine.document)
            if merged != wanted.contents { return (law, detail(merged, wanted: wanted.contents)) }
        }
        let merged = try merge(mine, theirs, by: mine.document)
        let elsewhere = try merge(theirs, mine, by: theirs.document)
        guard merged == elsewhere else { return (.symmetry, detail(merged, wanted: elsewhere)) }
        guard let merged else { return nil }
        let document = try suite.make(.merged)
        do {
            try document.load(fromContents: merged.contents, ofType: Self.type(of: document))
        } catch {
            return (.loadable, detail(merged, wanted: nil) + "\n  Loading: \(error)")
        }
        return lostEdit(in: document).map { (.nothingLost, detail(merged, wanted: nil) + "\n  Lost: \($0)") }
    }

    /// The first edit that its own side still shows, the base does not, and the merged document does not either.
    private func lostEdit(in merged: Document) -> String? {
        for side in [mine, theirs] {
            for edit in side.edits where edit.isThere(side.document) && !edit.isThere(base.document) {
                if !edit.isThere(merged) { return edit.description }
            }
        }
        return nil
    }

    /// Nil where both are kept, as they are when merging throws.
    private func merge(_ own: Version, _ other: Version, by document: Document) throws -> ContentsSnapshot? {
        let merged: Any?
        do {
            merged = try document.mergedContents(
                ofType: Self.type(of: document),
                base: base.contents.contents,
                mine: own.contents.contents,
                theirs: other.contents.contents
            )
        } catch { return nil }
        return try merged.map { try ContentsSnapshot($0) }
    }

    private func detail(_ merged: ContentsSnapshot?, wanted: ContentsSnapshot?) -> String {
        var lines = [
            "  Base: \(base.contents.text)", "  Mine: \(mine.contents.text)",
            "  Theirs: \(theirs.contents.text)",
            "  Merged: \(merged?.text ?? "not, both are kept")",
        ]
        if let wanted { lines.append("  Instead of: \(wanted.text)") }
        return lines.joined(separator: "\n")
    }
}

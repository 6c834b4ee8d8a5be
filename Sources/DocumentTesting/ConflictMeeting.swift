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

    /// What a merge has come to: contents, or neither where both are kept, with the error if it has thrown one.
    private struct Merge {
        var contents: ContentsSnapshot?
        var error: (any Error)?
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

    /// What becomes of the two.
    func outcome() throws -> ConflictOutcome {
        let merge = try merge(mine, theirs, by: mine.document)
        if merge.contents != nil { return .merged }
        return merge.error == nil ? .kept : .threw
    }

    /// The first law that does not hold.
    func brokenLaw() throws -> (law: ConflictFailure.Law, detail: String)? {
        let alone: [(ConflictFailure.Law, Version, Version, Version)] = [
            (.mineAlone, mine, base, mine), (.theirsAlone, base, theirs, theirs),
            (.sameChange, mine, mine, mine),
        ]
        for (law, own, other, wanted) in alone {
            let merged = try merge(own, other, by: mine.document)
            if merged.contents != wanted.contents { return (law, detail(merged, wanted: wanted.contents)) }
        }
        let merged = try merge(mine, theirs, by: mine.document)
        let elsewhere = try merge(theirs, mine, by: theirs.document)
        guard merged.contents == elsewhere.contents else {
            return (.symmetry, detail(merged, elsewhere: elsewhere))
        }
        guard let contents = merged.contents else { return nil }
        let document = try suite.make(.merged)
        do {
            try document.load(fromContents: contents.contents, ofType: Self.type(of: document))
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

    /// Both are kept when merging throws.
    private func merge(_ own: Version, _ other: Version, by document: Document) throws -> Merge {
        let merged: Any?
        do {
            merged = try document.mergedContents(
                ofType: Self.type(of: document),
                base: base.contents.contents,
                mine: own.contents.contents,
                theirs: other.contents.contents
            )
        } catch { return Merge(error: error) }
        return Merge(contents: try merged.map { try ContentsSnapshot($0) })
    }

    private func detail(_ merged: Merge, wanted: ContentsSnapshot?) -> String {
        var lines = [
            "  Base: \(base.contents.text)", "  Mine: \(mine.contents.text)",
            "  Theirs: \(theirs.contents.text)", "  Merged: \(text(of: merged))",
        ]
        if let wanted { lines.append("  Instead of: \(wanted.text)") }
        return lines.joined(separator: "\n")
    }

    private func detail(_ merged: Merge, elsewhere: Merge) -> String {
        detail(merged, wanted: nil) + "\n  On the other device: \(text(of: elsewhere))"
    }

    private func text(of merge: Merge) -> String {
        if let contents = merge.contents { return contents.text }
        return "not, both are kept" + (merge.error.map { ", as it threw \($0)" } ?? "")
    }
}

internal import Merging
public import UIKit

/// Holds a document class to the laws of merging, with random edits: through its own `contents(forType:)`,
/// `load(fromContents:ofType:)` and `mergedContents(ofType:base:mine:theirs:)`.
///
///     @Test @MainActor func merging() throws {
///         try ConflictSuite { _ in Note(fileURL: URL(fileURLWithPath: "/tmp/a.txt")) } edit: { note, numbers in
///             let word = "w\(numbers.next())"
///             note.text += word + "\n"
///             return ConflictEdit("appended \(word)") { $0.text.contains(word) }
///         }.check()
///     }
///
/// Needs no file and no test library: a law that is not kept is an error, which Swift Testing and XCTest report. The
/// error names the law, the seed and the step, and shows the smallest edits that were found to break it.
///
/// Isolation: the main actor, which `check()` keeps until it has ended.
@MainActor
public struct ConflictSuite<Document: UIDocument> {
    let make: @MainActor (ConflictVersion) throws -> Document
    let edit: @MainActor (Document, inout SeededGenerator) throws -> ConflictEdit<Document>
    private let seed: Result<WorldSeed, WorldSeedFailure>
    private let stepCount: Int
    private let editCountMax: Int

    /// - Parameters:
    ///   - seed: Gives the same run again; nil takes that of `SHEAF_SEED` in the environment, else a random one.
    ///   - stepCount: How many pairs of versions are merged.
    ///   - editCountMax: How many edits a version differs by, at most.
    ///   - make: Makes a document in its first state, the same each time but for what tells devices apart. It is not
    ///     opened, and nothing is at its place.
    ///   - edit: Makes one edit, which depends on nothing but the document and the numbers.
    public init(
        seed: UInt64? = nil,
        stepCount: Int = 30,
        editCountMax: Int = 4,
        make: @escaping @MainActor (ConflictVersion) throws -> Document,
        edit: @escaping @MainActor (Document, inout SeededGenerator) throws -> ConflictEdit<Document>
    ) {
        self.init(
            seed: seed,
            environment: ProcessInfo.processInfo.environment,
            stepCount: stepCount,
            editCountMax: editCountMax,
            make: make,
            edit: edit
        )
    }

    /// - Parameter environment: This process's. Else as the other.
    init(
        seed: UInt64?,
        environment: [String: String],
        stepCount: Int = 30,
        editCountMax: Int = 4,
        make: @escaping @MainActor (ConflictVersion) throws -> Document,
        edit: @escaping @MainActor (Document, inout SeededGenerator) throws -> ConflictEdit<Document>
    ) {
        self.seed = Result { () throws(WorldSeedFailure) in try WorldSeed(seed, environment: environment) }
        self.stepCount = stepCount
        self.editCountMax = editCountMax
        self.make = make
        self.edit = edit
    }

    /// Merges pairs of versions and checks every law.
    ///
    /// - Returns: How many were merged, how many kept, and for how many of those merging has thrown: a suite in which nothing ever
    ///   merges shows little.
    /// - Throws: ``ConflictFailure`` for a law that is not kept; ``WorldSeedFailure`` where `SHEAF_SEED` is no number; what making, editing or loading a document throws.
    @discardableResult
    public func check() throws -> ConflictReport {
        let seed = try seed.get().value
        print("ConflictSuite of \(Document.self): SHEAF_SEED=\(seed)")
        var numbers = SeededGenerator(seed: seed)
        var report = ConflictReport(seed: seed)
        for step in 0..<stepCount {
            let seeds = EditSeeds(editCountMax: editCountMax, using: &numbers)
            let meeting = try ConflictMeeting(self, seeds)
            if let broken = try meeting.brokenLaw() { throw try failure(broken.law, seed, step, seeds) }
            report.count(try meeting.outcome())
        }
        return report
    }

    /// Drops edits as long as the law stays broken.
    private func failure(
        _ law: ConflictFailure.Law,
        _ seed: UInt64,
        _ step: Int,
        _ seeds: EditSeeds
    ) throws -> ConflictFailure {
        var smallest = seeds
        var hasShrunk = true
        while hasShrunk {
            hasShrunk = false
            for smaller in smallest.smaller {
                // An edit that cannot be made without one that was dropped says nothing, nor does a merge that cannot be looked
                // at then: what was found before is to be told.
                guard let meeting = try? ConflictMeeting(self, smaller),
                    (try? meeting.brokenLaw())?.law == law
                else { continue }
                (smallest, hasShrunk) = (smaller, true)
                break
            }
        }
        let meeting = try ConflictMeeting(self, smallest)
        return ConflictFailure(
            law: law,
            seed: seed,
            step: step,
            edits: meeting.edits,
            // What it throws this time is not what was wrong.
            detail: (try? meeting.brokenLaw())?.detail
                ?? "It does not happen each time: something in it is random."
        )
    }
}

/// The edits of one case: each has numbers of its own, so that any can be left out.
struct EditSeeds {
    private var base: [UInt64]
    private var mine: [UInt64]
    private var theirs: [UInt64]

    init(editCountMax: Int, using numbers: inout SeededGenerator) {
        func seeds() -> [UInt64] {
            (0..<Int.random(in: 0...editCountMax, using: &numbers)).map { _ in numbers.next() }
        }
        (base, mine, theirs) = (seeds(), seeds(), seeds())
    }

    subscript(_ version: ConflictVersion) -> [UInt64] {
        switch version {
        case .base: base
        case .mine: mine
        case .theirs: theirs
        case .merged: []
        }
    }

    /// These with one edit less.
    var smaller: [EditSeeds] {
        [\EditSeeds.base, \.mine, \.theirs].flatMap { side in
            self[keyPath: side].indices.map { index in
                var smaller = self
                smaller[keyPath: side].remove(at: index)
                return smaller
            }
        }
    }
}

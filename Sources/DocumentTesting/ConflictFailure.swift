/// A law of merging that a document does not keep, with the smallest edits that show it.
public struct ConflictFailure: Error, Sendable, CustomStringConvertible {
    /// What every merge promises.
    public enum Law: String, Sendable, CaseIterable {
        /// merge(b, x, b) = x: where only I changed something, mine is taken.
        case mineAlone = "merge(base, mine, base) is mine"
        /// merge(b, b, y) = y: where only they changed something, theirs is taken.
        case theirsAlone = "merge(base, base, theirs) is theirs"
        /// merge(b, x, x) = x: who changed the same agrees.
        case sameChange = "merge(base, mine, mine) is mine"
        /// merge(b, x, y) = merge(b, y, x): both devices come to the same, or both keep both.
        case symmetry = "merge(base, mine, theirs) is merge(base, theirs, mine)"
        /// What was merged can be loaded.
        case loadable = "what was merged can be loaded"
        /// Every edit is in what was merged, or both versions are kept.
        case nothingLost = "every edit is in what was merged, or both versions are kept"
    }

    /// Which law.
    public let law: Law
    /// The run's seed: `SHEAF_SEED` in the environment, or the suite's parameter, gives the same run again.
    public let seed: UInt64
    /// In which round, from 0 on.
    public let step: Int
    /// The smallest edits found: what was done before the two parted, by me, and by them.
    public let edits: (base: [String], mine: [String], theirs: [String])
    /// What came out instead: for people.
    public let detail: String

    /// All of it.
    public var description: String {
        func list(_ edits: [String]) -> String {
            edits.isEmpty ? "nothing" : edits.map { "\n    \($0)" }.joined()
        }
        return """
            Not kept: \(law.rawValue).
              Seed \(seed), step \(step); replay with SHEAF_SEED=\(seed).
              Before: \(list(edits.base))
              Mine: \(list(edits.mine))
              Theirs: \(list(edits.theirs))
            \(detail)
            """
    }
}

/// What a run of a ``ConflictSuite`` without failures did.
public struct ConflictReport: Sendable {
    /// The run's seed.
    public let seed: UInt64
    /// How often two versions became one.
    public internal(set) var mergedCount = 0
    /// How often both were kept.
    public internal(set) var keptCount = 0
    /// How often both were kept as merging has thrown: a part of `keptCount`, and nearly all of it where a class cannot merge at
    /// all.
    public internal(set) var threwCount = 0

    mutating func count(_ outcome: ConflictOutcome) {
        switch outcome {
        case .merged: mergedCount += 1
        case .kept: keptCount += 1
        case .threw:
            keptCount += 1
            threwCount += 1
        }
    }
}

/// What becomes of two versions.
enum ConflictOutcome {
    case merged, kept
    /// Both are kept, as merging has thrown.
    case threw
}

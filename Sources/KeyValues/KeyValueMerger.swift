package import Merging

/// Merges the files of two devices' key-value stores: of each key the later write. Needs no ancestor, and there is no
/// conflict.
package struct KeyValueMerger: Merger {
    package init() {}

    /// That it does not: a write says itself when it was made.
    package var needsBase: Bool { false }

    /// The joined state; both, in a conflict, when one of them is no file of a store.
    package func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
        if let merged = MergedFile.ofUnchanged(base: base, mine: mine, theirs: theirs) { return merged }
        do {
            var merged = try KeyValueState(encoded: mine)
            merged.merge(try KeyValueState(encoded: theirs))
            return MergedFile(contents: merged.encoded)
        } catch {
            return .inConflict(base: base, mine: mine, theirs: theirs)
        }
    }
}

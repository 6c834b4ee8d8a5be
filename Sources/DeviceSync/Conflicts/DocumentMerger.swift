package import FileSystem
internal import Sync
package import Vault

/// Merges two versions of a document.
package protocol DocumentMerger: Sendable {
    /// - Parameters:
    ///   - base: Where what both come from is, if that is known.
    ///   - mine: Where one is, and `theirs` the other: files or packages that nobody else touches.
    ///   - target: Where the outcome goes.
    /// - Returns: Whether there is one: false where something would be lost by it, or where it is too much to merge.
    func merge(base: FilePath?, mine: FilePath, theirs: FilePath, to target: FilePath) throws -> Bool

    /// Whether it is certain that there is no outcome, by what is known of two versions that nobody has laid out on a disk.
    ///
    /// - Parameters:
    ///   - name: What the document is called where it would be merged.
    ///   - base: What both come from, if that is known.
    ///   - mine: One of the two, and `theirs` the other.
    /// - Returns: False where `merge` is to tell.
    func areInConflict(
        _ name: String,
        base: DocumentContents?,
        mine: DocumentContents,
        theirs: DocumentContents
    ) -> Bool

    /// Whether it is certain that there is no outcome where two versions of a package have made this of one place in it.
    ///
    /// - Returns: False where `merge` is to tell.
    func areInConflict(_ contest: PackageContest) -> Bool
}

extension DocumentMerger {
    /// That nothing tells it beforehand.
    package func areInConflict(_ contest: PackageContest) -> Bool { false }

    /// That nothing tells it beforehand.
    package func areInConflict(
        _ name: String,
        base: DocumentContents?,
        mine: DocumentContents,
        theirs: DocumentContents
    ) -> Bool { false }

    /// The same, of contents by their names: those that no vault has written down tell nothing.
    func areInConflict(_ name: String, base: ContentName?, mine: ContentName, theirs: ContentName) -> Bool {
        do {
            return areInConflict(
                name,
                base: try base.map(ContentStore.contents),
                mine: try ContentStore.contents(mine),
                theirs: try ContentStore.contents(theirs)
            )
        } catch {
            return false
        }
    }
}

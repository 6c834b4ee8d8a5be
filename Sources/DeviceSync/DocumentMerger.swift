package import FileSystem

/// Merges two versions of a document.
package protocol DocumentMerger: Sendable {
    /// - Parameters:
    ///   - base: Where what both come from is, if that is known.
    ///   - mine: Where one is, and `theirs` the other: files or packages that nobody else touches.
    ///   - target: Where the outcome goes.
    /// - Returns: Whether there is one: false where something would be lost by it, or where it is too much to merge.
    func merge(base: FilePath?, mine: FilePath, theirs: FilePath, to target: FilePath) throws -> Bool
}

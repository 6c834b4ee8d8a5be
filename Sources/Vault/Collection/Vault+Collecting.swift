internal import FileSystem

/// What collecting did.
package struct CollectionReport: Hashable, Sendable {
    /// Objects that nothing led to any more, forgotten.
    package var forgottenCount = 0
    /// Packs made anew or dropped.
    package var sweptPackCount = 0
    /// How many bytes less the packs have.
    package var freedByteCount = 0
}

extension Vault {
    /// Removes what no version leads to.
    ///
    /// Readers are never held up, writers for as long as the index takes to change. It can be stopped anywhere: what is
    /// needed is copied to new packs and made durable, then the index changes in one step, then the old packs go. A pack
    /// with bytes that are no record stays until a repair has found all that versions lead to. Where there is not room for
    /// all copies, those packs go that need none or few; the others wait for the next time.
    ///
    /// - Parameter deadShareMin: From which share of unneeded bytes on a pack is made anew.
    /// - Throws: `VaultError` with code `busy` when somebody else collects, `damaged` when what is needed cannot be
    ///   told for damage, `unsupported` when a later version of this program keeps versions here: then nothing is
    ///   removed.
    @discardableResult
    package func collect(deadShareMin: Double = 0.3) throws -> CollectionReport {
        let report = try VaultLock.collection.holdIfFree(in: store.folder) {
            try Collector(store: store).collect(deadShareMin: deadShareMin)
        }
        if let report { return report }
        let detail = "Somebody else collects this vault. Try again when that has ended."
        throw VaultError(code: .busy, path: folder, detail: detail)
    }
}

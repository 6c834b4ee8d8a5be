/// How an item looks, with all that is in it.
///
/// Two looks that are equal saw the same contents, as far as the kernel tells.
package struct ItemLooks: Equatable, Sendable {
    private let status: MemberStatus?
    private let inside: PackageTraces?

    /// Looks at an item; a link itself.
    ///
    /// - Throws: `SystemError` for what cannot be looked at.
    package init(of path: FilePath) throws(SystemError) {
        status = try FolderScan.status(at: path)
        inside = try status?.stamp.kind == .directory ? PackageTraces(of: path) : nil
    }

    /// Whether all looks as it did, and nobody has any of it open for writing, as far as can be told.
    package func isAtRest(at path: FilePath) -> Bool {
        // What cannot be looked at is not as it was.
        (try? ItemLooks(of: path)) == self && !OpenForWriting.isOpen(anywhereIn: path)
    }
}

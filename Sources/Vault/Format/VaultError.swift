package import FileSystem

/// An error from keeping or restoring versions.
package struct VaultError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, coarse enough to switch over.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind {
            case damaged, changing, unsupported, notPrivate, unknownVersion, unkeepable, sparse, busy
        }
        private let kind: Kind

        /// Bytes in the vault are not what was written, and there is no other copy in it.
        package static var damaged: Code { Code(kind: .damaged) }
        /// The document was written to each time that it was read.
        package static var changing: Code { Code(kind: .changing) }
        /// A later version of this program wrote what is there.
        package static var unsupported: Code { Code(kind: .unsupported) }
        /// Others can read or write what must be the user's alone.
        package static var notPrivate: Code { Code(kind: .notPrivate) }
        /// No version has this identifier.
        package static var unknownVersion: Code { Code(kind: .unknownVersion) }
        /// The document holds what cannot be kept, as a device or a name that is too long.
        package static var unkeepable: Code { Code(kind: .unkeepable) }
        /// A file is nearly all holes, and too long to be read all the same.
        package static var sparse: Code { Code(kind: .sparse) }
        /// Somebody else does something with this vault that this would have to wait for.
        package static var busy: Code { Code(kind: .busy) }

        package var description: String { "\(kind)" }
    }

    package var code: Code
    /// The item or the file of the vault that it is about.
    package var path: FilePath
    /// One sentence: what was tried, and what can be done.
    package var detail: String

    package var description: String { "\(path): \(detail)" }

    static func damaged(_ name: ObjectName, in folder: FilePath) -> VaultError {
        VaultError(
            code: .damaged,
            path: folder,
            detail: "The object \(name) is damaged or missing. Verify the vault and repair it."
        )
    }
}

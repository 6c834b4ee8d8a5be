package import FileSystem
package import Foundation
internal import Vault

/// What was found when all that is kept of documents was looked at.
package struct VaultCondition: Hashable, Sendable {
    /// A version that needs bytes which are damaged.
    package struct BrokenVersion: Hashable, Sendable {
        /// As `NSFileVersion.name` gives it.
        package var name: String
        package var date: Date
        /// What the document was called then.
        package var documentName: String
        /// Where the document was seen last.
        package var path: String?
    }

    package var checkedByteCount: Int
    package var versionCount: Int
    /// What is not as it was written, each in a few words; none when all is whole.
    package var faults: [String]
    package var brokenVersions: [BrokenVersion]
}

/// Whether what is kept is whole, and how it becomes so again.
extension VersionStore {
    /// Looks at every byte that is kept.
    ///
    /// - Throws: `FileVersionError` with code `vaultUnavailable`; what the system says.
    package func verify() throws -> VaultCondition {
        let vault = try openForProof()
        return try condition(vault, try vault.verify())
    }

    /// Puts back what is damaged, from the documents as they are now and from other vaults. Removes the only copy of
    /// nothing.
    ///
    /// - Parameter folders: Copies of the vault, or other vaults with its key.
    /// - Returns: What is still damaged.
    /// - Throws: As `verify()`; `CocoaError.fileReadNoSuchFile` for a folder that is no vault.
    package func repair(from folders: [FilePath]) throws -> VaultCondition {
        let vault = try openForProof()
        let others = try folders.map { folder in
            // Opening makes a vault where there is none.
            guard try FileStamp.ifPresent(at: folder.appending("packs")) != nil else {
                throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: folder.string])
            }
            return RepairSource.vault(try Vault(at: folder))
        }
        let broken = try condition(vault, try vault.verify()).brokenVersions
        // What cannot even be looked at is no help, and in nobody's way.
        let documents = Set(broken.compactMap(\.path)).sorted().map { FilePath($0) }
            .filter { (try? FileStamp.ifPresent(at: $0)) != nil }
        return try condition(vault, try vault.repair(from: others + documents.map { .document($0) }))
    }

    private func openForProof() throws -> Vault {
        try open(for: URL(fileURLWithPath: settings.vaultFolder?.string ?? "/")).vault
    }

    private func condition(_ vault: Vault, _ report: VerifyReport) throws -> VaultCondition {
        var faults = report.damages.map { damage in
            "damaged: \(damage.pack), \(damage.bytes.count) bytes from \(damage.bytes.lowerBound) on"
        }
        if report.isKeyDamaged { faults.append("damaged: one of the two copies of the key") }
        faults += report.indexFaults.map { "in the index: \($0)" }
        if !report.damagedObjects.isEmpty {
            faults.append("missing: \(report.damagedObjects.count) pieces of versions")
        }
        let broken = try report.touchedVersions.compactMap { try vault.version($0) }.map { version in
            VaultCondition.BrokenVersion(
                name: version.id.description,
                date: version.date,
                documentName: try version.origin().displayName,
                path: identities.note(of: version.item)?.path
            )
        }
        if faults.isEmpty, !report.isClean { faults.append("\(broken.count) versions are not whole") }
        return VaultCondition(
            checkedByteCount: report.checkedByteCount,
            versionCount: report.versionCount,
            faults: faults,
            brokenVersions: broken
        )
    }
}

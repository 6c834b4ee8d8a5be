internal import Commands
internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// What the command about the vault does on this machine.
enum LiveVault {
    static let role = VaultRole(
        verify: { try told { try VersionStore.shared.verify() } },
        repair: { vaults in
            try told {
                try VersionStore.shared.repair(
                    from: vaults.map { FilePath(URL(fileURLWithPath: $0).standardizedFileURL.path) }
                )
            }
        }
    )

    private static func told(_ body: () throws -> VaultCondition) throws -> VaultRole.Condition {
        do { return summary(try body()) } catch let error as FileVersionError {
            throw Refusal(error.detail)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            throw Refusal(
                "There is no vault at “\(error.filePath ?? "")”. Name the folder that “packs” is in."
            )
        }
    }

    private static func summary(_ condition: VaultCondition) -> VaultRole.Condition {
        VaultRole.Condition(
            checkedByteCount: condition.checkedByteCount,
            versionCount: condition.versionCount,
            faults: condition.faults,
            brokenVersions: condition.brokenVersions.map { version in
                VaultRole.Condition.Version(
                    id: version.name,
                    item: version.path ?? version.documentName,
                    date: version.date.formatted(.iso8601)
                )
            }
        )
    }
}

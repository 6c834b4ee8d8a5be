package import FileSystem

/// What verifying a vault found.
package struct VerifyReport: Hashable, Sendable {
    /// Bytes of a pack that are not what was written.
    package struct Damage: Hashable, Sendable {
        package var pack: FilePath
        package var bytes: Range<Int>
    }

    /// How many bytes of packs were looked at.
    package var checkedByteCount = 0
    /// How many versions there are.
    package var versionCount = 0
    /// Where bytes are not what was written, or are missing.
    package var damages: [Damage] = []
    /// Objects that are needed and damaged or missing.
    package var damagedObjects: [ObjectName] = []
    /// Versions that need damaged bytes, the oldest first. They cannot be restored whole; where only headers of records
    /// are damaged they can, as long as the index leads to what these hold.
    package var touchedVersions: [VersionID] = []
    /// Whether a copy of the key is damaged, or its file is gone; the vault as it is open has the key still.
    package var isKeyDamaged = false
    /// What the index says that the packs do not bear out; it can be made anew.
    package var indexFaults: [String] = []

    /// Whether everything is as it was written.
    package var isClean: Bool {
        damages.isEmpty && damagedObjects.isEmpty && touchedVersions.isEmpty && !isKeyDamaged
            && indexFaults.isEmpty
    }
}

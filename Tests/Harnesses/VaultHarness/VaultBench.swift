package import CrashHarness
package import FileSystem
package import Foundation
internal import SeededNumbers
package import Vault

/// A vault and a folder of documents, for one test or one run.
package struct VaultBench {
    package let scratch: ScratchFolder
    package let vault: Vault

    /// - Parameter base: The disk to work on; nil for the system's temporary folder.
    package init(
        in base: FilePath? = nil,
        key: [UInt8]? = nil,
        lentByteCountMin: Int64? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        scratch = try ScratchFolder(in: base)
        vault = try Vault(
            at: scratch.path.appending("vault"),
            key: key,
            lentByteCountMin: lentByteCountMin,
            now: now
        )
    }

    package var vaultPath: FilePath { scratch.path.appending("vault") }

    /// The place of a document.
    package func document(_ name: String = "document") -> FilePath { scratch.path.appending(name) }

    /// Writes a document, removing what was there.
    package func write(_ tree: DiskTree, _ name: String = "document") throws {
        try? FileManager.default.removeItem(atPath: document(name).string)  // the first time there is none
        try tree.write(to: document(name))
    }

    /// Restores a version into a place of its own, and says what is there then.
    package func restored(_ version: VersionID, from vault: Vault? = nil) throws -> DiskTree? {
        let target = document("restored-\(UUID().uuidString)")
        try (vault ?? self.vault).restore(version, to: target)
        // What stays goes with the whole folder.
        defer { try? FileManager.default.removeItem(atPath: target.string) }
        return try DiskTree(at: target)
    }

    /// An origin with nothing special about it.
    package static func origin(
        _ date: Date = Date(),
        reason: VersionReason = .autosave,
        isConflict: Bool = false,
        isDiscardable: Bool = true
    ) -> VersionOrigin {
        VersionOrigin(
            device: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            deviceName: "Desk",
            reason: reason,
            date: date,
            displayName: "document",
            isConflict: isConflict,
            isDiscardable: isDiscardable
        )
    }

    /// Text of so many bytes that looks like text, another one for each seed.
    package static func text(_ byteCount: Int, seed: UInt64) -> String {
        var random = SplitMix64(seed: seed)
        let words = ["sea", "sand", "a boat", "two gulls", "the wind", "nothing", "late light"]
        var text = ""
        while text.utf8.count < byteCount {
            text += words[random.below(words.count)] + " \(random.below(1000)) "
        }
        return String(text.prefix(byteCount))
    }

    /// Bytes without any order.
    package static func noise(_ byteCount: Int, seed: UInt64) -> Data {
        var random = SplitMix64(seed: seed)
        var bytes = Data(capacity: byteCount)
        while bytes.count < byteCount { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
        return bytes.prefix(byteCount)
    }
}

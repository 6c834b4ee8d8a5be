package import CrashHarness
internal import FileSystem
internal import Foundation
internal import SeededNumbers
internal import Vault

/// Flips bits in every byte of a small vault, one after the other, and looks whether each is found.
///
/// In packs and in the key every flip must be found, with the versions that it touches. In the index a flip must be
/// found, or change nothing of what the vault answers: SQLite's pages have bytes that nobody reads.
package struct BitRot {
    package var seed: UInt64
    /// Only every so many bytes are tried, from a random one on.
    package var stride = 1

    package init(seed: UInt64) { self.seed = seed }

    package func run() throws -> HarnessReport {
        var report = HarnessReport(title: "vault-rot")
        var random = SplitMix64(seed: seed)
        let bench = try VaultBench(in: ScratchFolder.memoryDisk)
        try fill(bench)
        let files = try vaultFiles(bench.vaultPath)
        for name in files.keys.sorted() {
            guard let bytes = files[name] else { continue }
            report.scenarioCount += 1
            let isIndex = name.hasPrefix("index.sqlite")
            let step = isIndex ? stride * 7 : stride
            for offset in Swift.stride(from: random.below(step), to: bytes.count, by: step) {
                report.stateCount += 1
                let bit = UInt8(1) << UInt8(random.below(8))
                if let complaint = try tryFlip(name, offset, bit, bytes, bench, isIndex: isIndex) {
                    report.lost.append("\(name), byte \(offset), bit \(bit): \(complaint)")
                }
            }
        }
        return report
    }

    private static let states: [DiskTree] = [
        .file(VaultBench.text(3000, seed: 3)),
        ["Info": "info", "Text": .file(VaultBench.text(3000, seed: 3)), "go": .link("Info")],
        ["Info": "other", "Text": .file(VaultBench.text(3000, seed: 3))],
    ]

    private func fill(_ bench: VaultBench) throws {
        for (index, state) in Self.states.enumerated() {
            try bench.write(state)
            let date = Date(timeIntervalSince1970: 1_790_000_000 + Double(index))
            try bench.vault.keep(bench.document(), as: VaultScenario.item, origin: VaultBench.origin(date))
        }
        let removed = try bench.vault.versions(of: VaultScenario.item)[2].id
        try bench.vault.remove([removed])
    }

    private func vaultFiles(_ vault: FilePath) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in ["key", "index.sqlite", "index.sqlite-wal"] {
            files[name] = FileManager.default.contents(atPath: vault.appending(name).string)
        }
        for entry in try FileReading.entries(in: vault.appending("packs")) {
            let path = "packs/" + entry.name
            files[path] = FileManager.default.contents(atPath: vault.appending(path).string)
        }
        return files
    }

    private func tryFlip(
        _ name: String,
        _ offset: Int,
        _ bit: UInt8,
        _ bytes: Data,
        _ bench: VaultBench,
        isIndex: Bool
    ) throws -> String? {
        let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        let copy = scratch.path.appending("vault")
        try copyVault(bench.vaultPath, to: copy)
        var flipped = bytes
        flipped[offset] ^= bit
        try flipped.write(to: copy.appending(name).url(isDirectory: false))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: copy.appending(name).string
        )
        let vault = try Vault(at: copy)
        let report = try vault.verify()
        let broken = try brokenVersions(vault, scratch.path)
        if isIndex {
            let isRight = try broken.isEmpty && vault.versions(of: VaultScenario.item).count == 2
            return !report.isClean || isRight ? nil : "not found, and versions \(broken) are not right"
        }
        if report.isClean { return "not found" }
        // What the index still leads to is restored although the header of its record is damaged.
        let isHeader = report.damages.contains { damage in
            damage.pack.string.hasSuffix(name)
                && (0..<Self.recordHeaderByteCount).contains(offset - damage.bytes.lowerBound)
        }
        let isTold = broken == Set(report.touchedVersions) || isHeader && broken.isEmpty
        return isTold ? nil : "touched \(report.touchedVersions), but \(broken) are broken"
    }

    /// As the format has it.
    private static let recordHeaderByteCount = 64

    /// The versions that are not what they were.
    private func brokenVersions(_ vault: Vault, _ folder: FilePath) throws -> Set<VersionID> {
        var broken: Set<VersionID> = []
        for version in try vault.versions(of: VaultScenario.item) {
            let target = folder.appending("\(version.id)")
            do {
                try vault.restore(version.id, to: target)
                let state = Int(version.date.timeIntervalSince1970) - 1_790_000_000
                guard Self.states.indices.contains(state), try DiskTree(at: target) == Self.states[state]
                else {
                    broken.insert(version.id)
                    continue
                }
            } catch is VaultError {
                broken.insert(version.id)
            }
        }
        return broken
    }

    private func copyVault(_ source: FilePath, to target: FilePath) throws {
        try VaultDisk.write(
            try vaultFiles(source).filter { !$0.key.hasPrefix("index.sqlite") }
                .mapValues(Data?.some).merging(["packs": Data?.none]) { first, _ in first },
            VaultDisk.index(of: source),
            to: target
        )
    }
}

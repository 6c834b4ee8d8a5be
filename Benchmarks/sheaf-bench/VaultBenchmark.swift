import Cryptography
import FileSystem
import Foundation
import Vault

/// Keeping, listing and restoring versions.
enum VaultBenchmark {
    private static let byteCount = 1 << 30

    /// 1 GiB of bytes without any order, into an empty vault.
    static func store(in work: WorkFolder) throws -> [Figure] {
        let file = work.item("blob")
        try makeNoise(file, byteCount: byteCount)
        var (own, again, sum, code) = (Samples(), Samples(), Samples(), Samples())
        var peers: [(name: String, samples: Samples)] = [
            ("restic backup", Samples()), ("borg create", Samples()),
        ]
        for round in 1...3 {
            let vault = try Vault(at: FilePath(work.item("vault-\(round)").path))
            own.add(try seconds { try keep(file, in: vault) })
            again.add(try seconds { try keep(file, in: vault, as: FileMark(UUID())) })
            guard let sumSeconds = try Peers.run("sha256sum", file.path) else {
                throw BenchmarkFailure("no sha256sum")
            }
            sum.add(sumSeconds)
            code.add(try hashSeconds(file))
            if let restic = try resticSeconds(file, in: work) { peers[0].samples.add(restic) }
            if let borg = try borgSeconds(file, in: work) { peers[1].samples.add(borg) }
            try FileManager.default.removeItem(at: work.item("vault-\(round)"))
        }
        let what = "a version of 1 GiB kept, durable, in an empty vault"
        var figures = [
            Figure(
                "vault-store",
                what,
                own,
                .milliseconds,
                beside: "sha256sum",
                sum,
                goal: .ratioAtMost(1 / 0.6)
            ),
            Figure(
                "vault-known",
                "the same 1 GiB kept again: read, cut, hashed, found",
                again,
                .milliseconds,
                beside: "libcrypto's HMAC of the file's 64 KiB pieces alone, in memory",
                code,
                goal: .ratioAtMost(1 / 0.6)
            ),
        ]
        for peer in peers where peer.samples.count > 0 {
            figures.append(
                Figure(
                    "vault-store",
                    what,
                    own,
                    .milliseconds,
                    beside: peer.name,
                    peer.samples,
                    goal: .ratioAtMost(1)
                )
            )
        }
        return figures
    }

    /// A package of 10,000 members of which one has changed.
    static func package(in work: WorkFolder) throws -> [Figure] {
        var figures: [Figure] = []
        for (folders, members) in [(100, 100), (1, 10_000)] {
            figures += try package(in: work, folders: folders, membersInEach: members)
        }
        return figures
    }

    private static func package(in work: WorkFolder, folders: Int, membersInEach: Int) throws -> [Figure] {
        let name = "package-\(folders)"
        let package = try work.makePackage(name, folders: folders, membersInEach: membersInEach)
        let vault = try Vault(at: FilePath(work.item("vault-\(folders)").path))
        let item = FileMark(UUID())
        let member = package.appendingPathComponent("folder-000/member-0007.txt")
        guard let path = MemberPath(["folder-000", "member-0007.txt"]) else {
            throw BenchmarkFailure("no path")
        }
        try keep(package, in: vault, as: item)
        let git = try GitPeer(package)
        // Members just made may be written to in the same step of the clock: git and the vault read them once more.
        try waitUntilSettled(work)
        try keep(package, in: vault, as: item)
        try git?.keepAll()
        var (told, looked, gitOne, gitAll) = (Samples(), Samples(), Samples(), Samples())
        for round in 0..<15 {
            try Data("told \(round)".utf8).write(to: member)
            if let seconds = try git?.keepOne("folder-000/member-0007.txt") { gitOne.add(seconds) }
            told.add(try seconds { try keep(package, in: vault, as: item, changed: [path]) })
            try Data("looked \(round)".utf8).write(to: member)
            if let seconds = try git?.keepAll() { gitAll.add(seconds) }
            looked.add(try seconds { try keep(package, in: vault, as: item) })
        }
        let shape = folders == 1 ? "one folder" : "\(folders) folders"
        let what = "a version of 10,000 members in \(shape), one changed"
        guard git != nil else {
            return [
                Figure("vault-package", what, told, .milliseconds),
                Figure("vault-package-look", what, looked, .milliseconds),
            ]
        }
        return [
            Figure(
                "vault-package",
                what + ", which one is told",
                told,
                .milliseconds,
                beside: "git add of it, git write-tree",
                gitOne,
                goal: .ratioAtMost(0.1)
            ),
            Figure(
                "vault-package-look",
                what + ", all are looked at",
                looked,
                .milliseconds,
                beside: "git add -A, git write-tree",
                gitAll
            ),
        ]
    }

    /// The versions of a document that has 10,000.
    static func list(in work: WorkFolder) throws -> [Figure] {
        let vault = try Vault(at: FilePath(work.item("vault").path))
        let item = FileMark(UUID())
        let file = work.item("Letter.txt")
        for round in 0..<10_000 {
            if round % 100 == 0 { try Data("Dear \(round)".utf8).write(to: file) }
            try keep(
                file,
                in: vault,
                as: item,
                date: Date(timeIntervalSince1970: Double(1_700_000_000 + round))
            )
        }
        var own = Samples()
        for _ in 0..<21 {
            var count = 0
            own.add(try seconds { count = try vault.versions(of: item).count })
            guard count == 10_000 else { throw BenchmarkFailure("\(count) versions") }
        }
        return [Figure("vault-list", "10,000 versions listed", own, .milliseconds, goal: .valueAtMost(5))]
    }

    /// A document of 100 MB.
    static func restore(in work: WorkFolder) throws -> [Figure] {
        let file = work.item("blob")
        try makeNoise(file, byteCount: 100_000_000)
        let vault = try Vault(at: FilePath(work.item("vault").path))
        let version = try keep(file, in: vault)
        var (own, peer) = (Samples(), Samples())
        for round in 0..<9 {
            let (target, copy) = (work.item("restored"), work.item("copy"))
            let ownSeconds = try seconds { try vault.restore(version.id, to: FilePath(target.path)) }
            guard let copySeconds = try Peers.run("cp", file.path, copy.path) else {
                throw BenchmarkFailure("no cp")
            }
            if round > 1 {
                own.add(ownSeconds)
                peer.add(copySeconds)
            }
            guard round > 0 || FileManager.default.contentsEqual(atPath: file.path, andPath: target.path)
            else {
                throw BenchmarkFailure("not restored as it was")
            }
            try FileManager.default.removeItem(at: target)
            try FileManager.default.removeItem(at: copy)
        }
        let what = "a version of 100 MB restored, every byte compared with its name"
        return [Figure("vault-restore", what, own, .milliseconds, beside: "cp", peer, goal: .ratioAtMost(2))]
    }

    // MARK: Parts

    @discardableResult
    private static func keep(
        _ url: URL,
        in vault: Vault,
        as item: FileMark = FileMark(UUID()),
        date: Date = Date(),
        changed: Set<MemberPath>? = nil
    ) throws -> KeptVersion {
        let origin = VersionOrigin(
            device: UUID(),
            deviceName: "bench",
            reason: .autosave,
            date: date,
            displayName: url.lastPathComponent
        )
        return try vault.keep(FilePath(url.path), as: item, origin: origin, changed: changed)
    }

    private static func makeNoise(_ url: URL, byteCount: Int) throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw BenchmarkFailure("\(url.path) was not made")
        }
        let handle = try FileHandle(forWritingTo: url)
        let noise = WorkFolder.bytes(1 << 20, seed: 7)
        for part in 0..<(byteCount >> 20) {
            var piece = noise
            // No two pieces alike, at no cost.
            for index in stride(from: 0, to: piece.count, by: 8) {
                piece[index] ^= UInt8(truncatingIfNeeded: (part &* 31) ^ (index >> 9))
                piece[index + 1] ^= UInt8(truncatingIfNeeded: part)
                piece[index + 2] ^= UInt8(truncatingIfNeeded: part >> 8)
            }
            try handle.write(contentsOf: piece)
        }
        try handle.write(contentsOf: noise.prefix(byteCount & 0xfffff))
        try handle.close()
        sync()
    }

    private static func hashSeconds(_ url: URL) throws -> Double {
        let data = try Data(contentsOf: url)
        let hasher = try KeyedHasher(key: [UInt8](repeating: 1, count: 32))
        var code = [UInt8](repeating: 0, count: 32)
        return try seconds {
            try data.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: 65536) {
                    let piece = UnsafeRawBufferPointer(
                        rebasing: bytes[start..<min(start + 65536, bytes.count)]
                    )
                    try code.withUnsafeMutableBytes { try hasher.code(of: piece, into: $0) }
                }
            }
        }
    }

    private static func resticSeconds(_ file: URL, in work: WorkFolder) throws -> Double? {
        let repository = work.item("restic").path
        setenv("RESTIC_PASSWORD", "bench", 1)
        setenv("RESTIC_CACHE_DIR", work.item("restic-cache").path, 1)
        defer { try? FileManager.default.removeItem(atPath: repository) }  // is not there without restic
        guard try Peers.run("restic", "-q", "-r", repository, "init") != nil else { return nil }
        return try Peers.run("restic", "-q", "-r", repository, "backup", file.path)
    }

    private static func borgSeconds(_ file: URL, in work: WorkFolder) throws -> Double? {
        let repository = work.item("borg").path
        setenv("BORG_BASE_DIR", work.item("borg-base").path, 1)
        setenv("BORG_PASSPHRASE", "bench", 1)
        setenv("BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK", "yes", 1)
        defer { try? FileManager.default.removeItem(atPath: repository) }  // is not there without borg
        guard
            try Peers.run("borg", "init", "-e", "authenticated-blake2", "--make-parent-dirs", repository)
                != nil
        else { return nil }
        return try Peers.run("borg", "create", repository + "::one", file.path)
    }

    /// Until the volume's clock is so far on that what was written before cannot be mistaken for what is written now.
    private static func waitUntilSettled(_ work: WorkFolder) throws {
        let (began, probe) = (Date(), work.item("probe"))
        while true {
            try Data().write(to: probe)
            let date =
                try FileManager.default.attributesOfItem(atPath: probe.path)[.modificationDate] as? Date
            if let date, date > began.addingTimeInterval(2.5) { return }
        }
    }
}

/// git's index over a package, kept outside of it.
private struct GitPeer {
    private let folder: String

    init?(_ package: URL) throws {
        folder = package.path
        // Its own files lie beside the package, not in it.
        setenv("GIT_DIR", package.path + ".git", 1)
        setenv("GIT_WORK_TREE", package.path, 1)
        guard try Peers.run("git", "init", "-q") != nil else { return nil }
        _ = try keepAll()
    }

    @discardableResult
    func keepAll() throws -> Double { try run("add", "-A") + run("write-tree") }

    func keepOne(_ name: String) throws -> Double { try run("add", folder + "/" + name) + run("write-tree") }

    private func run(_ command: String, _ argument: String? = nil) throws -> Double {
        let seconds =
            try argument.map { try Peers.run("git", "-C", folder, command, $0) }
            ?? Peers.run("git", "-C", folder, command)
        guard let seconds else { throw BenchmarkFailure("git is gone") }
        return seconds
    }
}

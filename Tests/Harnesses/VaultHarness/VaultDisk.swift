internal import CrashHarness
internal import FileSystem
internal import Foundation
internal import Locks
internal import SeededNumbers

/// What a recorded story did, and what the index was like after each step.
final class VaultRecorder: SystemCallObserver, VaultStory {
    enum Event {
        case operation(DiskOperation)
        case promise(DiskTree)
        case withdraw(DiskTree)
    }

    struct Moment {
        var event: Event
        /// SQLite's files; nil while there are none.
        var index: [String: Data]?
    }

    private let recorder = CallRecorder(refusesExchange: false)
    private let vault: FilePath
    private let state = Locked<(moments: [Moment], seenCount: Int)>(([], 0))

    init(vault: FilePath) {
        self.vault = vault
    }

    var moments: [Moment] { state.withLock { $0.moments } }

    func willMake(_ call: SystemCall) -> CInt { recorder.willMake(call) }

    func didMake(_ call: SystemCall) {
        recorder.didMake(call)
        guard call.effect.isMutating else { return }
        let operations = recorder.operations
        let index = VaultDisk.index(of: vault)
        state.withLock { state in
            for operation in operations[state.seenCount...] {
                state.moments.append(Moment(event: .operation(operation), index: index))
            }
            state.seenCount = operations.count
        }
    }

    func promise(_ tree: DiskTree) { add(.promise(tree)) }
    func withdraw(_ tree: DiskTree) { add(.withdraw(tree)) }

    private func add(_ event: Event) {
        let index = VaultDisk.index(of: vault)
        state.withLock { $0.moments.append(Moment(event: event, index: index)) }
    }
}

/// The disk under a vault: packs and keys as the model of the disk has them.
struct VaultDisk {
    private var model: DiskModel

    private static let indexNames = ["index.sqlite", "index.sqlite-wal"]

    init?(folder: FilePath) {
        guard let model = DiskModel(folder: folder.string) else { return nil }
        self.model = model
    }

    mutating func apply(_ operation: DiskOperation) { model.apply(operation) }
    func isFolder(_ node: NodeID) -> Bool { model.isFolder(node) }

    /// Ways that the disk can look after a power cut now: nothing of what is not synced, all of it, and some between.
    func states(sampleCount: Int, _ random: inout SplitMix64) -> [[String: Data?]] {
        let count = model.pending.count
        var choices = [[Bool](repeating: true, count: count), [Bool](repeating: false, count: count)]
        for _ in 0..<(count > 1 ? sampleCount : 0) {
            choices.append((0..<count).map { _ in random.next() & 1 == 1 })
        }
        return choices.flatMap { kept in
            (model.hasUnsyncedData ? UnsyncedData.allCases : [.kept]).map { model.files(keeping: kept, $0) }
        }
    }

    /// SQLite's files as they are now; nil when there are none.
    static func index(of vault: FilePath) -> [String: Data]? {
        var files: [String: Data] = [:]
        for name in indexNames {
            files[name] = FileManager.default.contents(atPath: vault.appending(name).string)
        }
        return files.isEmpty ? nil : files
    }

    /// Makes a vault look like this.
    static func write(_ files: [String: Data?], _ index: [String: Data]?, to vault: FilePath) throws {
        try FileManager.default.createDirectory(
            atPath: vault.string,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) where !indexNames.contains(path) {
            try write(bytes, to: vault.appending(path))
        }
        for (name, bytes) in index ?? [:] { try write(bytes, to: vault.appending(name)) }
    }

    private static func write(_ bytes: Data?, to path: FilePath) throws {
        guard let bytes else {
            return try FileManager.default.createDirectory(
                atPath: path.string,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }
        try bytes.write(to: path.url(isDirectory: false))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.string)
    }
}

internal import Foundation
internal import SeededNumbers

/// A name in a folder, by the folder's inode.
struct DiskName: Hashable, Sendable {
    let folder: UInt64
    let name: String
}

/// One change of a file's bytes.
enum FileChange: Sendable {
    case write(at: Int, Data)
    case truncate(Int)
    case grow(toAtLeast: Int)
    case zero(Range<Int>)

    func apply(to bytes: inout Data) {
        switch self {
        case .write(let offset, let new):
            FileChange.grow(toAtLeast: offset + new.count).apply(to: &bytes)
            bytes.replaceSubrange(offset..<offset + new.count, with: new)
        case .truncate(let byteCount):
            bytes = bytes.prefix(byteCount)
            FileChange.grow(toAtLeast: byteCount).apply(to: &bytes)
        case .grow(let byteCount):
            if bytes.count < byteCount { bytes.append(Data(count: byteCount - bytes.count)) }
        case .zero(let range):
            let range = range.clamped(to: 0..<bytes.count)
            bytes.replaceSubrange(range, with: Data(count: range.count))
        }
    }

    /// What has become of it after a power cut: of a write each sector may have reached the disk or not.
    func torn(_ random: inout SplitMix64) -> [FileChange] {
        guard case .write(let offset, let bytes) = self else { return [self] }
        var (parts, start): ([FileChange], Int) = ([], offset)
        while start < offset + bytes.count {
            let end = min((start / Self.sectorByteCount + 1) * Self.sectorByteCount, offset + bytes.count)
            if random.next() & 1 == 1 {
                parts.append(.write(at: start, Data(bytes.dropFirst(start - offset).prefix(end - start))))
            }
            start = end
        }
        return parts
    }

    private static let sectorByteCount = 512
}

/// A disk on which nothing lasts that was not synced: bytes from the sync of their file, names from the sync of their folder.
///
/// What has not been synced may be there or not after a power cut, each change by itself and in any order.
struct HubDisk {
    private struct Pending {
        var folders: Set<UInt64>
        var changes: [DiskName: UInt64?]
    }

    private let root: UInt64
    private var folders: Set<UInt64>
    private var synced: [UInt64: Data] = [:]
    private var unsynced: [UInt64: [FileChange]] = [:]
    /// Names as they last, and as they are.
    private var lasting: [DiskName: UInt64] = [:]
    private var current: [DiskName: UInt64] = [:]
    private var pending: [Pending] = []

    /// - Parameter root: An empty folder that lasts.
    init(root: UInt64) { (self.root, folders) = (root, [root]) }

    /// How much of what has been done need not last yet.
    var pendingCount: Int { pending.count + unsynced.values.reduce(0) { $0 + $1.count } }

    func isFolder(_ node: UInt64) -> Bool { folders.contains(node) }

    mutating func apply(_ event: HubTrace.Event) {
        switch event {
        case .make(let node, let isFolder, let name):
            // What is elsewhere on the volume is not the hub's.
            guard folders.contains(name.folder) else { return }
            if isFolder { folders.insert(node) } else { synced[node] = Data() }
            change([name: node], of: [name.folder])
        case .change(let node, let change):
            if synced[node] != nil { unsynced[node, default: []].append(change) }
        case .sync(let node): sync(node)
        case .remove(let name):
            if folders.contains(name.folder) { change([name: UInt64?.none], of: [name.folder]) }
        case .rename(let name, let target):
            guard let node = current[name] else { return }
            // It lasts from the sync of the folder that it leads to.
            change([name: UInt64?.none, target: node], of: [target.folder])
        case .promise: break
        }
    }

    private mutating func change(_ changes: [DiskName: UInt64?], of folders: Set<UInt64>) {
        pending.append(Pending(folders: folders, changes: changes))
        Self.perform(changes, on: &current)
    }

    private static func perform(_ changes: [DiskName: UInt64?], on names: inout [DiskName: UInt64]) {
        for (name, node) in changes { names[name] = node }
    }

    private mutating func sync(_ node: UInt64) {
        if var bytes = synced[node] {
            for change in unsynced.removeValue(forKey: node) ?? [] { change.apply(to: &bytes) }
            synced[node] = bytes
        }
        for index in pending.indices { pending[index].folders.remove(node) }
        for change in pending where change.folders.isEmpty { Self.perform(change.changes, on: &lasting) }
        pending.removeAll { $0.folders.isEmpty }
    }

    /// What becomes of what was not synced.
    enum Fate: CaseIterable {
        case lost, kept
        /// Each change by itself, of a write each sector.
        case torn
        /// As the kernel writes back most often: all up to a moment.
        case cutOff
    }

    /// A way that the disk can look after a power cut now: files by their paths, folders without bytes.
    func state(_ fate: Fate, _ random: inout SplitMix64) -> [String: Data?] {
        var names = lasting
        let cut = pending.isEmpty ? 0 : Int(random.next() % UInt64(pending.count + 1))
        for (index, change) in pending.enumerated() {
            let isKept =
                switch fate {
                case .lost: false
                case .kept: true
                case .torn: random.next() & 1 == 1
                case .cutOff: index < cut
                }
            if isKept { Self.perform(change.changes, on: &names) }
        }
        var members: [UInt64: [(String, UInt64)]] = [:]
        for (name, node) in names { members[name.folder, default: []].append((name.name, node)) }
        var state: [String: Data?] = [:]
        add(root, "", members, to: &state, fate, &random)
        return state
    }

    private func add(
        _ folder: UInt64,
        _ path: String,
        _ members: [UInt64: [(String, UInt64)]],
        to state: inout [String: Data?],
        _ fate: Fate,
        _ random: inout SplitMix64
    ) {
        for (name, node) in (members[folder] ?? []).sorted(by: { $0.0 < $1.0 }) {
            let place = path.isEmpty ? name : path + "/" + name
            if let bytes = synced[node] {
                state[place] = .some(survivors(of: bytes, unsynced[node] ?? [], fate, &random))
            } else if folders.contains(node) {
                state[place] = .some(nil)
                add(node, place, members, to: &state, fate, &random)
            }
        }
    }

    private func survivors(
        of bytes: Data,
        _ changes: [FileChange],
        _ fate: Fate,
        _ random: inout SplitMix64
    ) -> Data {
        var bytes = bytes
        let kept =
            switch fate {
            case .lost: [FileChange]()
            case .kept: changes
            case .torn: changes.filter { _ in random.next() & 3 != 0 }.flatMap { $0.torn(&random) }
            case .cutOff: Array(changes.prefix(Int(random.next() % UInt64(changes.count + 1))))
            }
        for change in kept { change.apply(to: &bytes) }
        return bytes
    }
}

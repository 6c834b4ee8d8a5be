internal import Foundation
package import SeededNumbers

/// A disk on which nothing lasts that was not synced: bytes and what files bear from the sync of their file, names from the sync
/// of their folder, all from that of the volume.
///
/// What has not been synced may be there or not after a power cut, each change by itself and in any order. Only of changes
/// of one name, or of one item's names, no later one is there without those before: no file system has a folder in two places.
package struct TracedDisk: Sendable {
    private struct Pending {
        var folders: Set<UInt64>
        var changes: [DiskName: UInt64?]
        var statuses: [UInt64: DiskNode.Status]

        /// Whether the other, which came before, is there if this is.
        func needs(_ other: Pending) -> Bool {
            changes.contains { name, node in
                other.changes.contains { $0 == name || (node != nil && $1 == node) }
            }
        }
    }

    private struct Unsynced {
        var change: FileChange
        var status: DiskNode.Status?
    }

    package let root: UInt64
    private var synced: [UInt64: DiskNode]
    private var unsynced: [UInt64: [Unsynced]] = [:]
    /// Names as they last, and as they are.
    private var lasting: [DiskName: UInt64] = [:]
    private var current: [DiskName: UInt64] = [:]
    private var pending: [Pending] = []

    /// - Parameter root: An empty folder that lasts.
    package init(root: UInt64) { (self.root, synced) = (root, [root: DiskNode(kind: .folder)]) }

    /// How much of what has been done need not last yet.
    package var pendingCount: Int { pending.count + unsynced.values.reduce(0) { $0 + $1.count } }

    package func isFolder(_ node: UInt64) -> Bool { synced[node]?.kind == .folder }

    /// Where a node is now, by its names from the top; nil where it is nowhere.
    package func path(of node: UInt64) -> [String]? {
        if node == root { return [] }
        guard let name = current.first(where: { $0.value == node })?.key else { return nil }
        return path(of: name.folder).map { $0 + [name.name] }
    }

    package mutating func apply(_ record: DiskTrace.Record) {
        switch record.event {
        case .make(let node, let kind, let name):
            // What is elsewhere on the volume is not of this disk.
            guard isFolder(name.folder) else { return }
            synced[node] = DiskNode(kind: kind, status: record.statuses[node])
            change([name: node], of: [name.folder], record)
        case .link(let node, let name):
            if isFolder(name.folder), synced[node] != nil { change([name: node], of: [name.folder], record) }
        case .change(let node, let change):
            guard synced[node] != nil else { return }
            unsynced[node, default: []].append(Unsynced(change: change, status: record.statuses[node]))
        case .sync(let node): sync(node)
        case .syncAll: syncAll()
        case .remove(let name):
            if isFolder(name.folder) { change([name: UInt64?.none], of: [name.folder], record) }
        case .rename(let name, let target):
            guard let node = current[name] else { return }
            // It lasts from the sync of the folder that it leads to.
            change([name: UInt64?.none, target: node], of: [target.folder], record)
        case .exchange(let name, let other):
            guard let node = current[name], let otherNode = current[other] else { return }
            change([name: otherNode, other: node], of: [name.folder, other.folder], record)
        case .note: break
        }
    }

    private mutating func change(
        _ changes: [DiskName: UInt64?],
        of folders: Set<UInt64>,
        _ record: DiskTrace.Record
    ) {
        pending.append(Pending(folders: folders, changes: changes, statuses: record.statuses))
        for (name, node) in changes { current[name] = node }
    }

    private static func perform(
        _ change: Pending,
        on names: inout [DiskName: UInt64],
        _ nodes: inout [UInt64: DiskNode]
    ) {
        for (name, node) in change.changes { names[name] = node }
        for (node, status) in change.statuses { note(status, of: &nodes[node]) }
    }

    /// Changes of names and of bytes come to the disk one without the other: the latest time is the one that is seen.
    private static func note(_ status: DiskNode.Status?, of node: inout DiskNode?) {
        guard let status, node != nil, status.changed >= node?.status?.changed ?? .min else { return }
        node?.status = status
    }

    private static func apply(_ change: Unsynced, as form: FileChange, to node: inout DiskNode?) {
        guard node != nil else { return }
        if var changed = node {
            form.apply(to: &changed)
            node = changed
        }
        note(change.status, of: &node)
    }

    private mutating func sync(_ node: UInt64) {
        settle(node)
        for index in pending.indices { pending[index].folders.remove(node) }
        let isKept = Self.closed(pending.map { $0.folders.isEmpty }, pending)
        for (change, isKept) in zip(pending, isKept) where isKept {
            Self.perform(change, on: &lasting, &synced)
        }
        pending = zip(pending, isKept).filter { !$1 }.map(\.0)
    }

    private mutating func settle(_ node: UInt64) {
        for change in unsynced.removeValue(forKey: node) ?? [] {
            Self.apply(change, as: change.change, to: &synced[node])
        }
    }

    private mutating func syncAll() {
        for node in Array(unsynced.keys) { settle(node) }
        for change in pending { Self.perform(change, on: &lasting, &synced) }
        pending = []
    }

    /// With all that has to be there as well.
    private static func closed(_ kept: [Bool], _ pending: [Pending]) -> [Bool] {
        var kept = kept
        for index in pending.indices.reversed() where kept[index] {
            for former in 0..<index where !kept[former] && pending[index].needs(pending[former]) {
                kept[former] = true
            }
        }
        return kept
    }

    /// What becomes of what was not synced.
    package enum Fate: CaseIterable, Sendable {
        case lost, kept
        /// Each change by itself, of a write each sector.
        case torn
        /// As the kernel writes back most often: all up to a moment.
        case cutOff
        /// Names and lengths are there, bytes are not.
        case blank
    }

    /// A way that the disk can look after a power cut now.
    package func state(_ fate: Fate, _ random: inout SplitMix64) -> DiskState {
        var (names, nodes) = (lasting, synced)
        let cut = pending.isEmpty ? 0 : random.below(pending.count + 1)
        let kept = pending.indices.map { index in
            switch fate {
            case .lost: false
            case .kept, .blank: true
            case .torn: random.next() & 1 == 1
            case .cutOff: index < cut
            }
        }
        for (change, isKept) in zip(pending, Self.closed(kept, pending)) where isKept {
            Self.perform(change, on: &names, &nodes)
        }
        for (node, changes) in unsynced.sorted(by: { $0.key < $1.key }) {
            let cut = random.below(changes.count + 1)
            for (index, change) in changes.enumerated() {
                switch fate {
                case .lost: break
                case .kept: Self.apply(change, as: change.change, to: &nodes[node])
                case .torn: break
                case .cutOff:
                    if index < cut { Self.apply(change, as: change.change, to: &nodes[node]) }
                case .blank: Self.apply(change, as: change.change.blank, to: &nodes[node])
                }
            }
        }
        if fate == .torn { tear(&nodes, &random) }
        return DiskState(root: root, nodes: nodes, names: names)
    }

    /// Each change by itself, of a write each sector. A sector is written as a whole, with all that is in it until then; and what is
    /// written behind a file that was cut off goes into new room, which is the file's only if that is.
    private func tear(_ nodes: inout [UInt64: DiskNode], _ random: inout SplitMix64) {
        for (node, changes) in unsynced.sorted(by: { $0.key < $1.key }) {
            var ends: [Int: Int] = [:]
            for (index, change) in changes.enumerated() {
                if case .write = change.change {
                    for (number, part) in change.change.sectors {
                        let end =
                            ends[number]
                            ?? (random.below(2) == 0 ? changes.count : random.below(changes.count + 1))
                        ends[number] = end
                        if index < end { Self.apply(change, as: part, to: &nodes[node]) }
                    }
                } else if random.below(4) != 0 {
                    Self.apply(change, as: change.change, to: &nodes[node])
                } else if case .truncate = change.change {
                    break
                }
            }
        }
    }
}

package import Foundation

/// Which file, folder or link, whatever its name is at the moment.
package struct NodeID: Hashable, Sendable {
    private let inode: UInt

    init?(fd: CInt) {
        var status = stat()
        guard fstat(fd, &status) == 0 else { return nil }
        inode = status.st_ino
    }

    init?(_ name: String, in folder: CInt) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        inode = status.st_ino
    }
}

/// A name in a folder.
package struct DirectoryEntry: Hashable, Sendable {
    let folder: NodeID
    let name: String

    init(_ folder: NodeID, _ name: String) {
        self.folder = folder
        self.name = name
    }
}

/// What a node is.
package enum DiskNode: Hashable, Sendable {
    case file(Data)
    case folder
    case link(String)
}

/// One change of the disk, as it was asked for.
package enum DiskOperation: Sendable {
    case make(NodeID, DiskNode)
    /// Names get or lose nodes, together, lasting from when all these folders have been synced.
    case entries(syncedBy: Set<NodeID>, [DirectoryEntry: NodeID?])
    case append(NodeID, Data)
    case replaceContents(NodeID, Data)
    case sync(NodeID)
    case syncAll
    /// Not a change: from here on only the new version may be found.
    case commit
}

/// What becomes of bytes that were written and not synced.
package enum UnsyncedData: CaseIterable, Sendable {
    case kept, absent, zeroed, cutShort
}

/// A disk on which nothing lasts that was not synced.
///
/// Bytes last from the sync of their file, names from the sync of their folder; what has not been synced may
/// be there or not after a power cut, each change by itself.
package struct DiskModel {
    package let root: NodeID
    private var nodes: [NodeID: DiskNode] = [:]
    private var synced: [NodeID: DiskNode] = [:]
    private var entries: [DirectoryEntry: NodeID] = [:]
    /// Changes of names that need not last yet, oldest first.
    package private(set) var pending: [(folders: Set<NodeID>, changes: [DirectoryEntry: NodeID?])] = []
    package private(set) var isCommitted = false

    /// Takes a folder on disk, all of it durable.
    package init?(folder path: String) {
        guard let root = NodeID(path, in: AT_FDCWD) else { return nil }
        self.root = root
        nodes[root] = .folder
        read(path, root)
        synced = nodes
    }

    private mutating func read(_ path: String, _ folder: NodeID) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            let member = path + "/" + name
            guard let node = NodeID(member, in: AT_FDCWD) else { continue }
            entries[DirectoryEntry(folder, name)] = node
            if let text = try? FileManager.default.destinationOfSymbolicLink(atPath: member) {
                nodes[node] = .link(text)
            } else if let bytes = FileManager.default.contents(atPath: member) {
                nodes[node] = .file(bytes)
            } else {
                nodes[node] = .folder
                read(member, node)
            }
        }
    }

    package mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .make(let node, let new):
            nodes[node] = new
            // A link's text and a folder's being one are part of the name's change; bytes are not.
            synced[node] = new
        case .entries(let folders, let changes): pending.append((folders, changes))
        case .append(let node, let bytes):
            if case .file(let before) = nodes[node] { nodes[node] = .file(before + bytes) }
        case .replaceContents(let node, let bytes): nodes[node] = .file(bytes)
        case .sync(let node): sync(node)
        case .syncAll:
            for change in pending { Self.perform(change.changes, on: &entries) }
            pending = []
            synced = nodes
        case .commit: isCommitted = true
        }
    }

    private mutating func sync(_ node: NodeID) {
        synced[node] = nodes[node]
        for index in pending.indices { pending[index].folders.remove(node) }
        // What depends on nothing any more lasts; older changes of other folders may still be lost.
        for change in pending where change.folders.isEmpty { Self.perform(change.changes, on: &entries) }
        pending.removeAll { $0.folders.isEmpty }
    }

    private static func perform(
        _ changes: [DirectoryEntry: NodeID?],
        on entries: inout [DirectoryEntry: NodeID]
    ) {
        for (entry, node) in changes { entries[entry] = node }
    }

    /// Whether bytes have been written that need not last yet.
    package var hasUnsyncedData: Bool { nodes != synced }

    /// What is on the disk when, of the pending changes, only these have reached it.
    func tree(keeping kept: [Bool], _ data: UnsyncedData) -> DiskTree {
        var entries = entries
        for (change, isKept) in zip(pending, kept) where isKept { Self.perform(change.changes, on: &entries) }
        var members: [NodeID: [(String, NodeID)]] = [:]
        for (entry, node) in entries { members[entry.folder, default: []].append((entry.name, node)) }
        return tree(of: root, members, data)
    }

    /// As `tree(keeping:_:)`, byte for byte: every file by its path from the top, folders without bytes, no links.
    package func files(keeping kept: [Bool], _ data: UnsyncedData) -> [String: Data?] {
        var entries = entries
        for (change, isKept) in zip(pending, kept) where isKept { Self.perform(change.changes, on: &entries) }
        var members: [NodeID: [(String, NodeID)]] = [:]
        for (entry, node) in entries { members[entry.folder, default: []].append((entry.name, node)) }
        var files: [String: Data?] = [:]
        func add(_ folder: NodeID, _ path: String) {
            for (name, node) in members[folder] ?? [] {
                let place = path.isEmpty ? name : path + "/" + name
                switch nodes[node] {
                case .file(let bytes): files[place] = .some(survivors(of: bytes, node, data))
                case .folder:
                    files[place] = .some(nil)
                    add(node, place)
                case .link, nil: break
                }
            }
        }
        add(root, "")
        return files
    }

    /// Whether a node is a folder.
    package func isFolder(_ node: NodeID) -> Bool { nodes[node] == .folder || node == root }

    private func tree(
        of node: NodeID,
        _ members: [NodeID: [(String, NodeID)]],
        _ data: UnsyncedData
    ) -> DiskTree {
        switch nodes[node] {
        case .link(let text): return .link(text)
        case .file(let bytes): return .file(String(decoding: survivors(of: bytes, node, data), as: UTF8.self))
        case .folder, nil:
            var found: [String: DiskTree] = [:]
            for (name, member) in members[node] ?? [] { found[name] = tree(of: member, members, data) }
            return .folder(found)
        }
    }

    private func survivors(of bytes: Data, _ node: NodeID, _ data: UnsyncedData) -> Data {
        guard case .file(let safe) = synced[node], safe != bytes else { return bytes }
        switch data {
        case .kept: return bytes
        case .absent: return safe
        case .zeroed: return safe + Data(count: max(0, bytes.count - safe.count))
        case .cutShort: return safe + bytes.dropFirst(safe.count).prefix((bytes.count - safe.count) / 2)
        }
    }
}

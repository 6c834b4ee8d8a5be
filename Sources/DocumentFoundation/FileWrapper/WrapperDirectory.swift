internal import Foundation

/// The children of one directory wrapper, and which of them may differ from what is on disk.
///
/// 1. A key without an entry in `differences` names the same member here and on disk, byte for byte in its
///    name; what that member itself has changed is then asked of the child.
/// 2. When a child of a directory differs, the directory's own key has an entry in each of its parents.
///
/// So what a save has to write is found from the entries, without visiting what has none. Used under
/// `TreeLock` only.
final class WrapperDirectory {
    /// What was under a key when the tree was last read or written.
    enum Saved {
        case absent
        case present(SavedMember)
    }

    struct Difference {
        /// When the key changed last, as `TreeLock` counts.
        var serial: UInt64
        let saved: Saved
    }

    private(set) var children: [String: FileWrapper]
    var differences: [String: Difference] = [:]
    /// The directory on disk that these children were read from or written to.
    var folder: DiskDirectory?
    /// Whether two names on disk are the same string in different bytes.
    ///
    /// Their keys are then not their names, and the directory can only be written whole.
    var hasClashingNames = false
    /// Whether children were added while nobody could say what else is in the directory on disk.
    ///
    /// It is not written before that is known: members that were only not seen would be gone.
    let isBlind: Bool
    private var names = WrapperNames()

    init(folder: DiskDirectory? = nil, capacity: Int = 0, isBlind: Bool = false) {
        self.isBlind = isBlind
        self.children = Dictionary(minimumCapacity: capacity)
        self.folder = folder
    }

    /// The key a child is under; nil when it is not one.
    ///
    /// - Cost: That of one look-up for a child of this directory alone; else all may be looked through.
    func key(for child: FileWrapper) -> String? {
        for hint in [child.state.lastKey, child.state.filename, child.state.preferredFilename] {
            guard let hint, let index = children.index(forKey: hint) else { continue }
            if children[index].value === child { return children[index].key }
        }
        return children.first { $0.value === child }?.key
    }

    /// A key that no child has, as close to `preferredName` as can be.
    func freeKey(for preferredName: String) -> String {
        names.freeKey(for: preferredName) { children[$0] != nil }
    }

    /// Puts a child under a key, or takes away what is there.
    func replace(_ key: String, with child: FileWrapper?, serial: UInt64) {
        noteChange(of: key, serial: serial)
        // Taken out first: a dictionary keeps the old key when the new one is equal but other bytes.
        children[key] = nil
        if let child { adoptRead(child, under: key) }
    }

    /// Puts a child that was read from disk under its name, which no other has.
    func adoptRead(_ child: FileWrapper, under key: String) {
        children[key] = child
        child.state.lastKey = key
    }

    /// Remembers what is on disk under a key that is about to change, unless that is known already.
    func noteChange(of key: String, serial: UInt64) {
        if differences[key] != nil {
            differences[key]?.serial = serial
        } else {
            differences[key] = Difference(serial: serial, saved: present(key))
        }
    }

    /// What is on disk under every name, as far as it is known.
    var savedMembers: [SavedMember] {
        var members: [SavedMember] = []
        for (key, child) in children where differences[key] == nil {
            members.append(SavedMember(name: key, child))
        }
        for case .present(let member) in differences.values.map(\.saved) { members.append(member) }
        return members
    }

    /// What is on disk under one name, as far as it is known.
    func saved(_ name: String) -> Saved { differences[name]?.saved ?? present(name) }

    private func present(_ key: String) -> Saved {
        guard folder != nil, let index = children.index(forKey: key) else { return .absent }
        return .present(SavedMember(name: children[index].key, children[index].value))
    }
}

/// A member as it was on disk when the tree was last read or written.
struct SavedMember {
    /// Its very name, as bytes.
    let name: String
    let record: DiskRecord?
    private let weak: WeakWrapper
    /// The bytes of a file that had been read, for a merge that needs to know what was there.
    private let bytes: Data?

    /// Of larger files the bytes are not kept for the sake of a merge.
    private static let byteCountMax = 8 << 20

    init(name: String, _ wrapper: FileWrapper) {
        self.name = name
        record = wrapper.state.record
        weak = WeakWrapper(wrapper)
        if case .file(let data?) = wrapper.state.contents, data.count <= Self.byteCountMax {
            bytes = data
        } else {
            bytes = nil
        }
    }

    /// The wrapper that stood for it, if anybody still holds that.
    var held: FileWrapper? { weak.wrapper }

    /// A wrapper that stands for it: that one, or a new one.
    ///
    /// Nil if it is not known what is on disk.
    func wrapper(in folder: DiskDirectory) -> FileWrapper? {
        if let held { return held }
        guard let record, record.isMember(name, of: folder),
            let unread = WrapperContents(unreadOf: record.kind)
        else { return nil }
        let contents = bytes.map { WrapperContents.file($0) } ?? unread
        return FileWrapper(state: WrapperState(contents, name: name, record: record))
    }
}

internal import Foundation
internal import Locks

/// A member of a folder as the folder's own list names it.
package struct ListedItem: Hashable, Sendable {
    package let name: String
    package let inode: UInt64
    package let kind: FileStamp.Kind

    package init(name: String, inode: UInt64, kind: FileStamp.Kind) {
        (self.name, self.inode, self.kind) = (name, inode, kind)
    }
}

extension FolderScan {
    /// All members whose names do not begin with a dot, in no order, without a look at each: readdir(3) alone, where
    /// the volume tells in it what members are.
    ///
    /// A name that is not UTF-8 is left out.
    ///
    /// - Parameter standIn: Asked of a hidden file, by its name, for what name it is to be listed; nil for none.
    package static func listing(
        of path: FilePath,
        standIn: (String) -> String? = { _ in nil }
    ) throws(SystemError) -> [ListedItem] {
        let folder = try Folder.open(path)
        var items: [ListedItem] = []
        var standIns: [ListedItem] = []
        try SystemCalls.forEachMember(of: folder) { (name, inode, kind) throws(SystemError) in
            guard name.utf8.first != UInt8(ascii: ".") else {
                if kind ?? .regular == .regular, let shown = standIn(name) {
                    standIns.append(ListedItem(name: shown, inode: inode, kind: .regular))
                }
                return true
            }
            if let kind {
                items.append(ListedItem(name: name, inode: inode, kind: kind))
            } else if let stamp = try SystemCalls.statusIfPresent(folder, name)?.stamp {
                items.append(ListedItem(name: name, inode: inode, kind: stamp.kind))
            }
            return true
        }
        guard !standIns.isEmpty else { return items }
        // As paths, which tell names that only look alike.
        let names = Set(items.map { FilePath($0.name) })
        return items + standIns.filter { !names.contains(FilePath($0.name)) }
    }

    /// The names of the folders in a folder, hidden ones too, without a look at each member, where the volume tells in the list
    /// what members are.
    package static func folderNames(in path: FilePath) throws(SystemError) -> [String] {
        let folder = try Folder.open(path)
        var names: [String] = []
        try SystemCalls.forEachMember(of: folder) { (name, _, kind) throws(SystemError) in
            var kind = kind
            if kind == nil { kind = try SystemCalls.statusIfPresent(folder, name)?.stamp.kind }
            if kind == .directory { names.append(name) }
            return true
        }
        return names
    }

    /// Some members, by name; those that are not there are left out.
    package static func listing(
        of names: some Sequence<String>,
        in path: FilePath
    ) throws(SystemError) -> [ListedItem] {
        let folder = try Folder.open(path)
        var items: [ListedItem] = []
        for name in names {
            guard let stamp = try SystemCalls.statusIfPresent(folder, name)?.stamp else { continue }
            items.append(ListedItem(name: name, inode: stamp.inode, kind: stamp.kind))
        }
        return items
    }
}

/// A member of a folder with all that the kernel says about it.
package struct FolderMember: Hashable, Sendable {
    package let name: String
    package let status: MemberStatus
}

extension FolderScan {
    /// All members, hidden ones too, in no order: one readdir(3) and one fstatat(2) each. Of many, several threads make these.
    ///
    /// A member that goes while we look is left out, and so is a name that is not UTF-8.
    package static func members(of path: FilePath) throws(SystemError) -> [FolderMember] {
        var unreadable: SystemError?
        let members = try members(of: path, unreadable: &unreadable)
        if let unreadable { throw unreadable }
        return members
    }

    /// As `members(of:)`, but for those of which the kernel can say nothing.
    ///
    /// - Parameter unreadable: Set to why, when there is one.
    package static func members(
        of path: FilePath,
        unreadable: inout SystemError?
    ) throws(SystemError) -> [FolderMember] {
        var unnamed: [String] = []
        let parts = try Self.parts(of: path, unreadable: &unreadable, unnamed: &unnamed, []) { $0.append($1) }
        return whole(parts)
    }

    fileprivate static func whole(_ parts: [[FolderMember]]) -> [FolderMember] {
        parts.count == 1 ? parts[0] : Array(parts.joined())
    }

    /// As `members(of:unreadable:)`, but for what is made of them: those of which nothing is kept take no room.
    ///
    /// - Parameters:
    ///   - unnamed: Gets the names that are not UTF-8, mended.
    ///   - empty: What each thread begins with.
    ///   - add: Puts a member to what there is already. Any thread.
    package static func parts<Part: Sendable>(
        of path: FilePath,
        unreadable: inout SystemError?,
        unnamed: inout [String],
        _ empty: Part,
        _ add: @Sendable (inout Part, FolderMember) -> Void
    ) throws(SystemError) -> [Part] {
        let folder = try Folder.open(path)
        var names: [String] = []
        try SystemCalls.forEachMember(of: folder, unnamed: { unnamed.append($0) }) {
            (name, _, _) throws(SystemError) in
            names.append(name)
            return true
        }
        return try parts(names, of: folder, unreadable: &unreadable, empty, add)
    }

    /// What is made of some members of a folder that are there.
    ///
    /// To look at a member takes the kernel several times as long as to name it: of many, several threads look.
    fileprivate static func parts<Part: Sendable>(
        _ names: [String],
        of folder: Folder,
        unreadable: inout SystemError?,
        _ empty: Part,
        _ add: @Sendable (inout Part, FolderMember) -> Void
    ) throws(SystemError) -> [Part] {
        let partCount = max(1, names.count / memberCountOfPart)
        let parts = Locked([Part](repeating: empty, count: partCount))
        let refusal = Locked<SystemError?>(nil)
        try SystemCallObservation.shareOut(partCount) { (index) throws(SystemError) in
            var part = empty
            for name in names[names.count * index / partCount..<names.count * (index + 1) / partCount] {
                do throws(SystemError) {
                    guard let status = try SystemCalls.statusIfPresent(folder, name) else { continue }
                    add(&part, FolderMember(name: name, status: MemberStatus(status)))
                } catch {
                    refusal.withLock { $0 = error }
                }
            }
            parts.withLock { [part] in $0[index] = part }
        }
        if let refusal = refusal.withLock({ $0 }) { unreadable = refusal }
        return parts.withLock { $0 }
    }

    /// So many are looked at by one thread at least.
    private static let memberCountOfPart = 1024

    /// What the kernel says about the item at a path, a link itself; nil when nothing is there.
    package static func status(at path: FilePath) throws(SystemError) -> MemberStatus? {
        do { return MemberStatus(try SystemCalls.fstatat(.working, path.string)) } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
    }
}

extension SourceFolder {
    /// The members, in no order, and what each is; a link as itself. Of many, several threads look.
    ///
    /// - Throws: `EILSEQ` when a name is not UTF-8, `ENOENT` when a member has gone meanwhile.
    package func members() throws(SystemError) -> [FolderMember] {
        let names = try memberNames()
        var unreadable: SystemError?
        let parts = try FolderScan.parts(names, of: folder, unreadable: &unreadable, []) { $0.append($1) }
        if let unreadable { throw unreadable }
        let members = FolderScan.whole(parts)
        if members.count < names.count {
            let there = Set(members.map(\.name))
            let gone = names.first { !there.contains($0) }
            throw SystemError(call: "fstatat", errno: ENOENT, path: gone.map(folder.place) ?? path)
        }
        return members
    }
}

package import Foundation
internal import Glibc

/// What one look at a folder finds of a member.
package struct ScannedItem: Hashable, Sendable {
    package var name: String
    /// Of the member itself.
    package var stamp: FileStamp
    /// Of what a symbolic link leads to; nil for anything else and for a link to nothing.
    package var targetStamp: FileStamp?

    package init(name: String, stamp: FileStamp, targetStamp: FileStamp? = nil) {
        self.name = name
        self.stamp = stamp
        self.targetStamp = targetStamp
    }
}

/// Looks at what a folder holds.
///
/// Any thread; every call may block on the disk.
package enum FolderScan {
    /// All members whose names do not begin with a dot, in no order: one readdir(3) and one fstatat(2) each.
    ///
    /// A member that goes while we look is left out, and so is a name that is not UTF-8, which no `URL` can
    /// tell from others.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - isWanted: Says of a name that begins with a dot whether that member is wanted, too.
    ///   - isPassedOver: Says why a member may be left out that cannot be looked at; any other reason is thrown.
    package static func visibleItems(
        in path: FilePath,
        orHidden isWanted: (String) -> Bool = { _ in false },
        passingOver isPassedOver: (SystemError) -> Bool = { _ in false }
    ) throws(SystemError) -> [ScannedItem] {
        let folder = try Folder.open(path)
        var items: [ScannedItem] = []
        try SystemCalls.forEachMember(of: folder) { (name, _, _) throws(SystemError) in
            guard name.utf8.first != UInt8(ascii: ".") || isWanted(name) else { return true }
            if let item = try item(name, in: folder, isPassedOver) { items.append(item) }
            return true
        }
        return items
    }

    /// Some members, by name; nil for those that are not there, or passed over as above.
    package static func items(
        _ names: some Sequence<String>,
        in path: FilePath,
        passingOver isPassedOver: (SystemError) -> Bool = { _ in false }
    ) throws(SystemError) -> [(name: String, item: ScannedItem?)] {
        let folder = try Folder.open(path)
        var items: [(name: String, item: ScannedItem?)] = []
        for name in names { items.append((name, try item(name, in: folder, isPassedOver))) }
        return items
    }

    /// The names of all members, hidden ones too.
    package static func names(in path: FilePath) throws(SystemError) -> Set<String> {
        var names: Set<String> = []
        try SystemCalls.forEachMember(of: try Folder.open(path)) { (name, _, _) throws(SystemError) in
            names.insert(name)
            return true
        }
        return names
    }

    /// What a whole tree holds: the bytes of its files, and when one of them or of its folders changed last.
    ///
    /// - Parameter memberCountMax: How many members to look at before giving up.
    /// - Returns: Nil when there are more.
    package static func summary(
        of path: FilePath,
        memberCountMax: Int
    ) throws(SystemError) -> TreeSummary? {
        let folder = try Folder.open(path)
        let status = try SystemCalls.fstatat(folder, ".")
        var summary = TreeSummary(stamp: status.stamp)
        summary.allocatedByteCount = status.allocatedByteCount
        let isWhole = try add(folder, to: &summary, memberCountMax: memberCountMax)
        return isWhole ? summary : nil
    }

    private static func add(
        _ folder: Folder,
        to summary: inout TreeSummary,
        memberCountMax: Int
    ) throws(SystemError) -> Bool {
        var folderNames: [String] = []
        var isWhole = true
        try SystemCalls.forEachMember(of: folder) { (name, _, _) throws(SystemError) in
            guard summary.memberCount < memberCountMax else {
                isWhole = false
                return false
            }
            guard let status = try SystemCalls.statusIfPresent(folder, name) else { return true }
            summary.add(status.stamp)
            summary.allocatedByteCount += status.allocatedByteCount
            if status.stamp.kind == .directory { folderNames.append(name) }
            return true
        }
        for name in folderNames where isWhole {
            isWhole = try add(folder.folder(name), to: &summary, memberCountMax: memberCountMax)
        }
        return isWhole
    }

    private static func item(
        _ name: String,
        in folder: Folder,
        _ isPassedOver: (SystemError) -> Bool
    ) throws(SystemError) -> ScannedItem? {
        let found: FileStamp?
        do { found = try SystemCalls.statusIfPresent(folder, name)?.stamp } catch {
            guard isPassedOver(error) else { throw error }
            return nil
        }
        guard let stamp = found else { return nil }
        guard stamp.kind == .symbolicLink else { return ScannedItem(name: name, stamp: stamp) }
        do {
            let target = try SystemCalls.fstatat(folder, name, followsSymbolicLink: true).stamp
            return ScannedItem(name: name, stamp: stamp, targetStamp: target)
        } catch {
            // A link to nothing, in a circle, or to a place we may not see, is listed as what it is: a link.
            return ScannedItem(name: name, stamp: stamp)
        }
    }
}

/// What a tree holds, all members together.
package struct TreeSummary: Hashable, Sendable {
    package var byteCount: Int64 = 0
    /// Of the volume, folders counted too.
    package var allocatedByteCount: Int64 = 0
    package var memberCount = 0
    package var modificationSeconds: Int64
    package var modificationNanoseconds: Int64

    package init(stamp: FileStamp) {
        modificationSeconds = stamp.modificationSeconds
        modificationNanoseconds = stamp.modificationNanoseconds
    }

    /// When something in it changed last.
    package var modificationDate: Date {
        Date(timeIntervalSince1970: Double(modificationSeconds) + Double(modificationNanoseconds) / 1e9)
    }

    package mutating func add(_ stamp: FileStamp) {
        memberCount += 1
        if stamp.kind == .regular {
            // A file that is a hole may be as long as there are numbers.
            let sum = byteCount.addingReportingOverflow(stamp.byteCount)
            byteCount = sum.overflow ? .max : sum.partialValue
        }
        let latest = (modificationSeconds, modificationNanoseconds)
        if latest < (stamp.modificationSeconds, stamp.modificationNanoseconds) {
            modificationSeconds = stamp.modificationSeconds
            modificationNanoseconds = stamp.modificationNanoseconds
        }
    }
}

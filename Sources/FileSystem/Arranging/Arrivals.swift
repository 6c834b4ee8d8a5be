internal import Foundation

/// Puts many new items in place, each in one step, all of them durable together: at the cost of a few syncs for all
/// instead of a few for each.
///
///     make trays ──▶ make(0), make(1) … ──▶ settle ──▶ put(0, at:), put(1, at:) … ──▶ finish
///
/// For one thread at a time; every call may block on the disk.
///
/// 1. Nothing is in place before all its bytes are durable.
/// 2. What has been put in place is durable when `finish` has returned.
/// 3. What was made and not put in place is gone after `finish`, or when this is dropped before; of a process that dies when
///    `clearUp` comes by.
/// 4. Nothing is made in a folder that has come to the place of the one that is meant.
package final class Arrivals {
    /// Where items are made.
    package let folder: FilePath
    private let open: Folder
    /// The folder that this is in, wherever it is by now.
    private let parent: Folder
    private var isFinished = false
    /// The tray that was put from last.
    private var tray: (number: Int, folder: Folder)?
    /// The folders that items were put into and that are not synced yet: of many items most go into the same.
    private var targets: [FilePath: Folder] = [:]

    /// How many items are made in a folder of their own, a tray: a volume goes through names that are made together, one
    /// after another, for each, and two threads wait for each other that make items in one.
    package static let trayItemCount = 128
    private static let targetCountMax = 64
    /// Why what has been put in place may not be durable. The kernel says so once.
    private var failure: SystemError?

    private static let prefix = ".sheaf-arriving-"

    /// - Parameters:
    ///   - folder: On the volume that the items go to.
    ///   - isExpected: Whether what is there is the folder that is meant.
    /// - Throws: `ESTALE` when it is not. Nothing has been made then.
    package init(
        in folder: FilePath,
        if isExpected: (MemberStatus) -> Bool = { _ in true }
    ) throws(SystemError) {
        let parent = try Folder.open(folder)
        guard isExpected(MemberStatus(try SystemCalls.fstat(parent.descriptor))) else {
            throw SystemError(call: "openat", errno: ESTALE, path: folder)
        }
        let name = Self.prefix + UUID().uuidString
        try SystemCalls.mkdirat(parent, name, permissions: 0o700)
        do {
            try SystemCalls.fsync(parent.descriptor)
            open = try parent.folder(name)
        } catch {
            // The first error is what the caller must know; `clearUp` removes what stays.
            try? SystemCalls.unlinkat(parent, name, isFolder: true)
            throw error
        }
        self.parent = parent
        self.folder = folder.appending(name)
    }

    deinit {
        // What cannot be removed now goes when `clearUp` comes by.
        if !isFinished { try? remove() }
    }

    /// The tray of an item.
    package static func tray(of number: Int) -> Int { number / trayItemCount }

    /// The items of each tray, where there are so many in all.
    package static func trays(of count: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: trayItemCount).map { $0..<min($0 + trayItemCount, count) }
    }

    /// What an item is called in its tray.
    package static func name(of number: Int) -> String { "\(number)" }

    /// What a tray is called.
    package static func name(ofTray tray: Int) -> String { "\(tray)" }

    /// How an item looks that was made and has not been put anywhere.
    package func stamp(of number: Int) throws(SystemError) -> FileStamp {
        try SystemCalls.fstatat(try tray(with: number), Self.name(of: number)).stamp
    }

    private func tray(with number: Int) throws(SystemError) -> Folder {
        let wanted = Self.tray(of: number)
        if let tray, tray.number == wanted { return tray.folder }
        let folder = try open.folder(Self.name(ofTray: wanted))
        tray = (wanted, folder)
        return folder
    }

    /// Makes all that was made durable.
    package func settle() throws(SystemError) {
        try SystemCalls.syncfs(open)
    }

    /// Puts an item in place, if the place is free.
    ///
    /// - Throws: `EEXIST` when it is not, `ENOENT` when the folder is gone. Nothing has changed then.
    package func put(_ number: Int, at target: FilePath) throws(SystemError) {
        try ItemMoves.moveUnsynced(
            Self.name(of: number),
            in: try tray(with: number),
            toFree: target.name,
            in: try folder(at: target.parent)
        )
    }

    private func folder(at path: FilePath) throws(SystemError) -> Folder {
        if let folder = targets[path] { return folder }
        if targets.count >= Self.targetCountMax { try syncTargets() }
        let folder = try Folder.open(path)
        targets[path] = folder
        return folder
    }

    /// Whether an item was put into the folder that is at its place now.
    ///
    /// - Parameter target: As of `put`.
    package func isInPlace(_ target: FilePath) throws(SystemError) -> Bool {
        guard let folder = targets[target.parent] else { return false }
        let own = try SystemCalls.fstat(folder.descriptor)
        return try SystemCalls.fstat(try Folder.open(target.parent).descriptor).isSameItem(as: own)
    }

    private func syncTargets() throws(SystemError) {
        if let failure { throw failure }
        for folder in targets.values {
            do { try SystemCalls.fsync(folder.descriptor) } catch {
                failure = error
                throw error
            }
        }
        targets = [:]
    }

    /// Makes durable what was put in place, and takes away what was not.
    package func finish() throws(SystemError) {
        try syncTargets()
        try remove()
        isFinished = true
    }

    private func remove() throws(SystemError) { try TreeRemoval.remove(folder.name, in: parent) }

    /// Takes away what processes that died have left in a folder.
    package static func clearUp(_ folder: FilePath) throws(SystemError) {
        let open = try Folder.open(folder)
        var names: [String] = []
        // What has a name that is not UTF-8 is nobody's of ours.
        try SystemCalls.forEachMember(of: open) { (name, _, _) throws(SystemError) in
            if name.hasPrefix(prefix) { names.append(name) }
            return true
        }
        for name in names { try TreeRemoval.remove(name, in: open) }
    }
}

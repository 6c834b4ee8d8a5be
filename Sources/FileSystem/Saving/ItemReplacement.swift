internal import Foundation

/// Puts one item in the place of another; the one that was there goes, or stays as a backup.
///
/// Any thread; blocks on the disk.
///
/// 1. The new item stays at its place until one step puts it, or a copy where it is on another volume, in the original's:
///    whoever looks finds one of them whole there at any time, after a crash or a power cut too.
/// 2. The original exists until the new item is durable in its place.
/// 3. Nothing that bears the backup's name is touched where no backup is to stay.
package struct ItemReplacement: Sendable {
    /// Whose place is taken.
    package var original: FilePath
    /// What takes it.
    package var replacement: FilePath
    /// What the original is called afterwards, in its folder; nil when it goes.
    package var backupName: String?
    /// Whether the original's permissions, owner, access list and extended attributes are left behind.
    package var leavesAttributes: Bool

    package init(
        of original: FilePath,
        by replacement: FilePath,
        backupName: String? = nil,
        leavesAttributes: Bool = false
    ) {
        self.original = original
        self.replacement = replacement
        self.backupName = backupName
        self.leavesAttributes = leavesAttributes
    }

    /// Does it.
    ///
    /// - Throws: `ENOENT` when one of them is not there; `EINVAL` when they are one item, one is inside the other, or the
    ///   backup's name is none; else what was refused. Both items are at their places then, and the new one may bear the
    ///   original's attributes already. With `isNewInPlace` the new item is in place, and what could not be removed, the
    ///   original unless it has been copied, is where the new one was.
    package func perform() throws(SystemError) {
        let places = try Places(self)
        if places.areApart { return try performByCopy(places) }
        if !leavesAttributes { try dress(places) }
        try TreeSync.sync(replacement.name, in: places.source, kind: places.new.stamp.kind)
        do { try places.exchange() } catch {
            guard ItemSwap.unexchangeable.contains(error.errno) else { throw error }
            return try performWithoutExchange(places)
        }
        if let backupName { try keep(as: backupName, places) }
        try places.clear()
    }

    private func dress(_ places: Places) throws(SystemError) {
        guard [.regular, .directory].contains(places.new.stamp.kind) else { return }
        let file = try SystemCalls.openat(places.source, replacement.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        try CarriedAttributes.dress(file, as: places.carried, with: MemberAttributes())
    }

    /// Gives the original, which is where the new item was, its name as a backup. What had that name comes there instead.
    private func keep(as name: String, _ places: Places) throws(SystemError) {
        do throws(SystemError) {
            do { try places.moveOriginal(to: name, .mustNotExist) } catch {
                guard error.errno == EEXIST else { throw error }
                try places.moveOriginal(to: name, .exchange)
            }
        } catch {
            var failure = error
            // Back to how it was; where that is refused, the original stays where the error says that it is.
            do { try places.exchange() } catch { failure.isNewInPlace = true }
            throw failure
        }
    }

    // MARK: Volumes that cannot exchange two names, and two volumes

    private func performWithoutExchange(_ places: Places) throws(SystemError) {
        guard ![places.carried.status, places.new].contains(where: { $0.stamp.kind == .directory }) else {
            return try performByCopy(places)
        }
        try copyOriginal()
        try SystemCalls.renameat2(places.source, replacement.name, places.target, original.name)
        try places.sync()
    }

    /// A save of a copy: it knows how a folder takes another's place where that takes two steps.
    private func performByCopy(_ places: Places) throws(SystemError) {
        try copyOriginal()
        let save = try StagedSave(item: original, followsSymbolicLink: false)
        try ItemCopy.copy(replacement, toFree: try save.stagedPath())
        save.isDressed = leavesAttributes
        // What that leaves in its staging goes with it, or with the next save.
        try save.commit()
        try places.clear()
    }

    /// The backup, where one is to stay.
    private func copyOriginal() throws(SystemError) {
        guard let backupName else { return }
        let save = try StagedSave(item: original.parent.appending(backupName), followsSymbolicLink: false)
        try ItemCopy.copy(original, toFree: try save.stagedPath())
        do { try save.commit() } catch {
            var failure = error
            // That would be about the backup.
            failure.isNewInPlace = false
            throw failure
        }
    }
}

/// Two items' folders and what the items are, made sure that one can take the other's place.
private struct Places {
    let source: Folder
    let target: Folder
    let carried: CarriedAttributes
    let new: FileStatus
    private let replacement: String
    private let original: String

    init(_ wanted: ItemReplacement) throws(SystemError) {
        let (original, replacement) = (wanted.original, wanted.replacement)
        (source, target) = (try Folder.open(replacement.parent), try Folder.open(original.parent))
        (self.replacement, self.original) = (replacement.name, original.name)
        func failure(_ errno: CInt, _ path: FilePath) -> SystemError {
            SystemError(call: "renameat2", errno: errno, path: path)
        }
        guard let carried = try CarriedAttributes(of: original.name, in: target) else {
            throw failure(ENOENT, original)
        }
        self.carried = carried
        new = try SystemCalls.fstatat(source, replacement.name)
        for (kind, path) in [(carried.status.stamp.kind, original), (new.stamp.kind, replacement)]
        where kind == .other { throw failure(EOPNOTSUPP, path) }
        let (old, its) = (try original.resolvedInFolder(), try replacement.resolvedInFolder())
        // In a folder that ignores case two names may be one; of a file with several links each is a name of its own.
        let isOne = new.isSameItem(as: carried.status) && (new.linkCount == 1 || new.stamp.kind == .directory)
        guard !isOne, !old.isInside(its), !its.isInside(old) else { throw failure(EINVAL, original) }
        guard let name = wanted.backupName else { return }
        let backup = old.parent.appending(name)
        let isName = !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
        guard isName, backup != old, backup != its else { throw failure(EINVAL, backup) }
    }

    /// Whether they are on two volumes.
    var areApart: Bool { new.stamp.device != carried.status.stamp.device }

    func exchange() throws(SystemError) {
        try SystemCalls.renameat2(source, replacement, target, original, .exchange)
    }

    /// The original, which is where the new item was.
    func moveOriginal(to name: String, _ mode: SystemCalls.RenameMode) throws(SystemError) {
        try SystemCalls.renameat2(source, replacement, target, name, mode)
    }

    func sync() throws(SystemError) {
        do {
            try SystemCalls.fsync(target.descriptor)
            try SystemCalls.fsync(source.descriptor)
        } catch {
            var failure = error
            failure.isNewInPlace = true
            throw failure
        }
    }

    /// Removes what is where the new item was, now that that one is durable elsewhere.
    func clear() throws(SystemError) {
        try sync()
        do { try TreeRemoval.remove(replacement, in: source) } catch {
            var failure = error
            failure.isNewInPlace = true
            throw failure
        }
    }
}

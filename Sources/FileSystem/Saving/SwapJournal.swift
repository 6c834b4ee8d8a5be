internal import Foundation

/// The note that a swap in two steps is under way, left in the staging for whoever comes after a crash.
///
/// It is there only while the new version is complete and durable, so finishing forwards is always right.
struct SwapJournal: Equatable {
    /// What is being swapped: the item, or a folder inside it.
    let target: MemberPath

    static let name = ".sheaf-journal"
    private static let partName = ".sheaf-journal-part"
    private static let heading = "sheaf swap 1"

    /// Puts the note into a staging folder, durably.
    func write(in staging: Folder) throws(SystemError) {
        let text = ([Self.heading] + target.components).joined(separator: "/") + "\n"
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW
        let file = try SystemCalls.openat(staging, Self.partName, flags, permissions: 0o600)
        try SystemCalls.write(Data(text.utf8), to: file)
        try SystemCalls.fsync(file)
        try SystemCalls.renameat2(staging, Self.partName, staging, Self.name)
        try SystemCalls.fsync(staging.descriptor)
    }

    /// Takes the note out of a staging folder, durably.
    ///
    /// None there is no error.
    static func remove(from staging: Folder) throws(SystemError) {
        do { try SystemCalls.unlinkat(staging, name) } catch {
            guard error.errno == ENOENT else { throw error }
            return
        }
        try SystemCalls.fsync(staging.descriptor)
    }

    /// The note in a staging folder; nil when there is none.
    static func read(in staging: Folder) throws(SystemError) -> SwapJournal? {
        let bytes: Data
        do {
            let file = try SystemCalls.openat(staging, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            bytes = try FileReading.bytes(of: file, expectedByteCount: 256)
        } catch {
            guard error.errno == ENOENT else { throw error }
            return nil
        }
        guard let journal = SwapJournal(text: String(decoding: bytes, as: UTF8.self)) else {
            throw SystemError(call: "read", errno: EINVAL, path: staging.place(of: name))
        }
        return journal
    }

    init(target: MemberPath) {
        self.target = target
    }

    /// Nil for a text that is none of ours.
    init?(text: String) {
        // By bytes: a name may end with a sign that takes in what follows it, or begin with one that belongs to what is before.
        guard text.utf8.last == UInt8(ascii: "\n") else { return nil }
        let parts = text.utf8.dropLast()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.first == Self.heading, let target = MemberPath(Array(parts.dropFirst())) else {
            return nil
        }
        self.target = target
    }

    /// Brings a swap that was cut short to its end, and removes the note.
    ///
    /// With neither version in place the new one is put there, or the old one when the new is gone.
    func finish(at site: SaveSite, staging: Folder) throws(SystemError) {
        if let (folder, name) = try targetPlace(at: site) {
            if try SystemCalls.statusIfPresent(folder, name) == nil {
                for version in [StagingFolder.nextName, StagingFolder.oldName]
                where try SystemCalls.statusIfPresent(staging, version) != nil {
                    try ReadOnlyFolder.moving(version, from: staging, to: folder) { () throws(SystemError) in
                        try SystemCalls.renameat2(staging, version, folder, name, .replace)
                    }
                    break
                }
            }
            // Also what was there already: the save may have died before it lasts, and needs its note until then.
            try SystemCalls.fsync(folder.descriptor)
            try SystemCalls.fsync(staging.descriptor)
        }
        try Self.remove(from: staging)
    }

    private func targetPlace(at site: SaveSite) throws(SystemError) -> (Folder, String)? {
        guard let name = target.name, let parent = target.parent else { return (site.folder, site.itemName) }
        do {
            return (try site.folder.folder(site.itemName).folder(parent), name)
        } catch {
            // The item has been removed since: nothing is left to bring to an end.
            guard error.isAbsent else { throw error }
            return nil
        }
    }
}

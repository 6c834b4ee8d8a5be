internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Sync

/// What is in one folder, or why that cannot be said.
struct FolderListing: Sendable {
    /// What is there, but for what is as it was seen last.
    let members: Result<[FolderMember], SystemError>
    /// The items that are.
    let unchanged: [ItemID]
    /// Why the kernel says nothing of some of them.
    let unreadable: SystemError?
    /// Names that are not UTF-8, mended.
    let unnamed: [String]

    private struct Part: Sendable {
        var members: [FolderMember] = []
        var unchanged: [ItemID] = []
    }

    /// - Parameter seen: The item that a member is which is as it was seen last; nil for any other. Any thread.
    init(of folder: FilePath, seen: @Sendable (FolderMember) -> ItemID? = { _ in nil }) {
        var unreadable: SystemError?
        var unnamed: [String] = []
        let parts = Result { () throws(SystemError) in
            try FolderScan.parts(of: folder, unreadable: &unreadable, unnamed: &unnamed, Part()) {
                part,
                member in
                if let item = seen(member) {
                    part.unchanged.append(item)
                } else {
                    part.members.append(member)
                }
            }
        }
        members = parts.map { Array($0.lazy.map(\.members).joined()) }
        // What keeps them from being listed is told of its members.
        unchanged = (try? parts.get()).map { Array($0.lazy.map(\.unchanged).joined()) } ?? []
        (self.unreadable, self.unnamed) = (unreadable, unnamed)
    }
}

/// What is in folders that are looked at one after another, listed by two threads: by who looks, and by one that goes ahead. What
/// the kernel does to tell of each name takes longer than all that is done about it.
///
/// Nothing is listed twice, and nobody waits as long as there is a folder that he can list himself.
final class FolderListings: @unchecked Sendable {
    // Sendable because all that is variable is only touched under the condition's lock.
    private let condition = NSCondition()
    private let folders: [FilePath?]
    /// Nil when nobody looks any more: what it refers to is to change then.
    private var seen: (@Sendable (Int, FolderMember) -> ItemID?)?
    /// The first folder that nobody has begun to list.
    private var next = 0
    /// What was listed ahead, by the folder's index.
    private var listed: [Int: FolderListing] = [:]
    private var memberCount = 0
    private var isOver = false

    private let memberCountMax: Int

    /// A few are listed as soon as another thread has begun.
    private static let folderCountMin = 4

    /// - Parameters:
    ///   - folders: In the order in which they are looked at; nil for one that is not.
    ///   - memberCountMax: So many members are held of folders that were listed ahead, and those of one more for each thread.
    ///   - seen: The item that a member of a folder is which is as it was seen last; nil for any other.
    /// - Returns: Nil for so few that it is not worth it.
    init?(
        of folders: [FilePath?],
        memberCountMax: Int = 16_384,
        seen: @escaping @Sendable (Int, FolderMember) -> ItemID? = { _, _ in nil }
    ) {
        guard folders.count >= Self.folderCountMin else { return nil }
        (self.folders, self.memberCountMax, self.seen) = (folders, memberCountMax, seen)
        DispatchQueue(label: "sheaf.folder-listings", qos: .userInitiated).async { [self] in goAhead() }
    }

    /// What is in a folder. Each is asked for once at most, in order.
    func listing(at index: Int) -> FolderListing? {
        guard let folder = folders[index] else { return nil }
        condition.lock()
        defer { condition.unlock() }
        for passed in listed.keys where passed < index { drop(passed) }
        next = max(next, index)
        while true {
            if let listing = drop(index) { return listing }
            if next == index {
                next += 1
                return list(folder, index)
            }
            // It is being listed ahead, so the one after it is next.
            if isRoom { listNext() } else { condition.wait() }
        }
    }

    /// Nobody looks any more.
    func end() {
        condition.lock()
        (isOver, seen) = (true, nil)
        condition.broadcast()
        condition.unlock()
    }

    private func goAhead() {
        condition.lock()
        defer { condition.unlock() }
        while !isOver, next < folders.count {
            if isRoom { listNext() } else { condition.wait() }
        }
    }

    // MARK: Under the lock

    private var isRoom: Bool { next < folders.count && memberCount < memberCountMax }

    private func listNext() {
        let index = next
        next += 1
        guard let folder = folders[index] else { return }
        let listing = list(folder, index)
        listed[index] = listing
        memberCount += listing.memberCount
        condition.broadcast()
    }

    /// Lists a folder, without the lock.
    private func list(_ folder: FilePath, _ index: Int) -> FolderListing {
        let seen = seen
        condition.unlock()
        defer { condition.lock() }
        return FolderListing(of: folder) { seen?(index, $0) }
    }

    @discardableResult
    private func drop(_ index: Int) -> FolderListing? {
        guard let listing = listed.removeValue(forKey: index) else { return nil }
        memberCount -= listing.memberCount
        condition.broadcast()
        return listing
    }
}

extension FolderListing {
    /// How many members it holds.
    fileprivate var memberCount: Int { ((try? members.get().count) ?? 0) + unchanged.count }
}

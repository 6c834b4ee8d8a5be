internal import Coordination
internal import FileSystem
internal import Foundation

/// The folders that are watched, each once, with the folders above it: a renamed folder takes along what is in
/// it.
///
/// 1. A folder is watched while someone uses it: an item in it, or a watched folder in it.
/// 2. Every watched folder but the root uses the one above it, where only names matter.
struct WatchedFolders {
    struct Folder {
        var path: ItemPath
        var parent: Int?
        var uses = 0
        var showsMembers = false
        var watch: FileEvents.Watch?
        var isUnwatchable = false
    }

    private(set) var folders: [Int: Folder] = [:]
    private var numbers: [ItemPath: Int] = [:]
    private var count = 0
    /// How many could not be watched because the system has no more watches.
    private(set) var unwatchableCount = 0
    private let begin: @Sendable (FilePath, _ namesOnly: Bool, _ number: Int) throws -> FileEvents.Watch

    init(_ begin: @escaping @Sendable (FilePath, Bool, Int) throws -> FileEvents.Watch) {
        self.begin = begin
    }

    func isWatched(_ path: ItemPath) -> Bool { numbers[path] != nil }

    /// The folders whose members matter.
    var itemFolders: [ItemPath] { folders.values.filter(\.showsMembers).map(\.path) }

    func path(_ number: Int) -> ItemPath? { folders[number]?.path }

    /// Watches a folder from now on; each use is to be released.
    ///
    /// - Parameter showsMembers: Whether what happens to the members' contents matters too.
    mutating func use(_ path: ItemPath, showsMembers: Bool = true) -> Int {
        let number = numbers[path] ?? insert(path)
        folders[number]?.uses += 1
        if showsMembers, folders[number]?.showsMembers == false {
            folders[number]?.showsMembers = true
            watch(number)
        }
        return number
    }

    private mutating func insert(_ path: ItemPath) -> Int {
        count += 1
        let number = count
        folders[number] = Folder(path: path)
        numbers[path] = number
        let parent = path.parent.map { use($0, showsMembers: false) }
        folders[number]?.parent = parent
        watch(number)
        return number
    }

    mutating func release(_ number: Int) {
        guard var folder = folders[number] else { return }
        folder.uses -= 1
        folders[number] = folder
        guard folder.uses == 0 else { return }
        folders[number] = nil
        if folder.isUnwatchable { unwatchableCount -= 1 }
        if numbers[folder.path] == number { numbers[folder.path] = nil }
        if let parent = folder.parent { release(parent) }
    }

    /// A folder is elsewhere now, with all that is in it.
    mutating func moved(from source: ItemPath, to target: ItemPath) {
        guard let moved = numbers[source] else { return }
        let inside = folders.compactMap { number, folder in
            folder.path.moved(from: source, to: target).map { (number, folder.path, $0) }
        }
        for (_, old, _) in inside { numbers[old] = nil }
        for (number, _, new) in inside {
            folders[number]?.path = new
            numbers[new] = number
        }
        let old = folders[moved]?.parent
        let parent = target.parent.map { use($0, showsMembers: false) }
        folders[moved]?.parent = parent
        if let old { release(old) }
    }

    /// Watches what bears a folder's name now, and the names in it: it may be another folder.
    mutating func refresh(_ path: ItemPath) {
        for (number, folder) in folders where path.holds(folder.path) { watch(number) }
    }

    private mutating func watch(_ number: Int) {
        guard let folder = folders[number] else { return }
        do {
            folders[number]?.watch = try begin(
                FilePath(folder.path.string),
                !folder.showsMembers,
                number
            )
            setUnwatchable(number, false)
        } catch {
            folders[number]?.watch = nil
            // What is not there, or not a folder, or not ours to see, is told of by the folder above it.
            let isShortage = [ENOSPC, EMFILE, ENFILE].contains((error as? SystemError)?.errno)
            setUnwatchable(number, isShortage)
        }
    }

    private mutating func setUnwatchable(_ number: Int, _ isUnwatchable: Bool) {
        guard folders[number]?.isUnwatchable != isUnwatchable else { return }
        folders[number]?.isUnwatchable = isUnwatchable
        unwatchableCount += isUnwatchable ? 1 : -1
    }
}

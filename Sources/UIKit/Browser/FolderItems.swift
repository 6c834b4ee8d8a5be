internal import FileSystem

/// Items by their names or their ids, byte for byte.
///
/// Of two names that only look alike, as with an accent that is in a letter of one and after a letter of the other, a folder has
/// an item each; to strings they are one.
struct FolderItems {
    private var items: [FilePath: FolderItem] = [:]

    init() {}

    /// Takes items under their ids.
    init(_ found: [FolderItem]) {
        reserveCapacity(found.count)
        for item in found { self[item.id] = item }
    }

    subscript(key: String) -> FolderItem? {
        get { items[FilePath(key)] }
        set { items[FilePath(key)] = newValue }
    }

    var keys: [String] { items.keys.map(\.string) }
    var values: Dictionary<FilePath, FolderItem>.Values { items.values }
    var isEmpty: Bool { items.isEmpty }

    mutating func reserveCapacity(_ count: Int) { items.reserveCapacity(count) }
}

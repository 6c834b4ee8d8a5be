internal import FileSystem
internal import Foundation

/// The items of a query's scopes, by number. Pure: looks at folders come in.
///
/// 1. An item keeps its number when it is renamed or moved within the scopes, and when its name is written anew, be it as a
///    file in place of a package or the other way round.
/// 2. A folder keeps its number with its item; all that is in it goes along.
/// 3. What is in a package is no item: the package's folders are known only to be watched.
struct ItemCatalogue {
    /// A name in a folder.
    struct Place: Hashable, Sendable {
        var folder: Int
        var name: ItemName
    }

    struct Member: Sendable {
        var id: Int
        var inode: UInt64
        var form: ItemForm
    }

    struct Folder: Sendable {
        /// Where it is; nil for a scope, which has a path.
        var place: Place?
        var root: FilePath?
        /// The package that it is in or is.
        var package: Int?
        var members: [ItemName: Member] = [:]
        var folders: [ItemName: Int] = [:]
    }

    private(set) var folders: [Int: Folder] = [:]
    /// The folders of the scopes, of which none ever goes.
    private(set) var roots: [FilePath: Int] = [:]
    private(set) var places: [Place?] = []
    private var folderCount = 0

    // MARK: Asking

    func path(ofFolder number: Int) -> FilePath? {
        guard let folder = folders[number] else { return nil }
        if let root = folder.root { return root }
        return folder.place.flatMap { path(of: $0) }
    }

    func path(of place: Place) -> FilePath? { path(ofFolder: place.folder)?.appending(place.name.text) }

    /// The folder at a path, if it is one of the scopes or in one.
    func folder(at path: FilePath) -> Int? {
        if let root = roots[path] { return root }
        guard path != path.parent, let above = folder(at: path.parent) else { return nil }
        return folders[above]?.folders[ItemName(path.name)]
    }

    func member(_ id: Int) -> Member? {
        guard places.indices.contains(id), let place = places[id] else { return nil }
        return folders[place.folder]?.members[place.name]
    }

    /// The path of an item, and what is known to be there.
    func whereabouts(of id: Int) -> (path: FilePath, inode: UInt64)? {
        guard let member = member(id), let place = places[id] else { return nil }
        return path(of: place).map { ($0, member.inode) }
    }

    /// All items that are in a folder or deeper.
    func items(inFolder number: Int) -> [Int] {
        guard let folder = folders[number], folder.package == nil else { return [] }
        return folder.members.values.map(\.id) + folder.folders.values.flatMap { items(inFolder: $0) }
    }

    // MARK: Changing

    mutating func addRoot(_ path: FilePath) -> Int {
        let number = insert(Folder(root: path))
        roots[path] = number
        return number
    }

    private mutating func insert(_ folder: Folder) -> Int {
        defer { folderCount += 1 }
        folders[folderCount] = folder
        return folderCount
    }

    /// A folder that is an item, or a folder in a package.
    mutating func addFolder(_ place: Place, package: Int?) -> Int {
        let number = insert(Folder(place: place, package: package))
        folders[place.folder]?.folders[place.name] = number
        return number
    }

    /// Numbers for so many items, one after another from the one returned on.
    mutating func reserve(_ count: Int) -> Int {
        places.append(contentsOf: repeatElement(nil, count: count))
        return places.count - count
    }

    /// Takes in the first list of a folder, with numbers that were reserved.
    mutating func fill(_ number: Int, with members: [ItemName: Member]) {
        for (name, member) in members { places[member.id] = Place(folder: number, name: name) }
        folders[number]?.members = members
    }

    /// A new item.
    mutating func add(_ item: ListedItem, form: ItemForm, in folder: Int) -> Int {
        let id = places.count
        let name = ItemName(item.name)
        places.append(Place(folder: folder, name: name))
        folders[folder]?.members[name] = Member(id: id, inode: item.inode, form: form)
        return id
    }

    /// The same item is another file now.
    mutating func replace(_ place: Place, inode: UInt64, form: ItemForm) {
        folders[place.folder]?.members[place.name]?.inode = inode
        folders[place.folder]?.members[place.name]?.form = form
    }

    /// An item has gone, with all that was in it.
    ///
    /// - Returns: The items that are gone and the folders that are to be watched no more.
    mutating func remove(_ place: Place) -> (items: [Int], folders: [Int]) {
        var gone: (items: [Int], folders: [Int]) = ([], [])
        if let member = folders[place.folder]?.members.removeValue(forKey: place.name) {
            places[member.id] = nil
            gone.items.append(member.id)
        }
        let inner = removeFolder(place)
        return (gone.items + inner.items, inner.folders)
    }

    /// A folder that an item or a package had is gone.
    mutating func removeFolder(_ place: Place) -> (items: [Int], folders: [Int]) {
        guard let number = folders[place.folder]?.folders.removeValue(forKey: place.name) else {
            return ([], [])
        }
        return empty(number)
    }

    private mutating func empty(_ number: Int) -> (items: [Int], folders: [Int]) {
        guard let folder = folders.removeValue(forKey: number) else { return ([], []) }
        var gone = (items: folder.members.values.map(\.id), folders: [number])
        for id in gone.items { places[id] = nil }
        for inner in folder.folders.values {
            let deeper = empty(inner)
            gone = (gone.items + deeper.items, gone.folders + deeper.folders)
        }
        return gone
    }

    /// An item has another name or another folder, with all that is in it. Nothing known may be at the target.
    ///
    /// - Returns: Every item whose path is another now.
    mutating func move(_ source: Place, to target: Place) -> [Int] {
        guard let member = folders[source.folder]?.members.removeValue(forKey: source.name) else { return [] }
        folders[target.folder]?.members[target.name] = member
        places[member.id] = target
        var moved = [member.id]
        if let number = folders[source.folder]?.folders.removeValue(forKey: source.name) {
            folders[target.folder]?.folders[target.name] = number
            folders[number]?.place = target
            moved += items(inFolder: number)
        }
        return moved
    }
}

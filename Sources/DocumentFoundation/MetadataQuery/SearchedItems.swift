internal import FileSystem
internal import Foundation

/// The items that a query is restricted to, and the way to each. Pure.
struct SearchedItems: Sendable {
    /// Where they are.
    let items: Set<FilePath>
    /// The folders to begin in, none of them in another but by way of a package: what is in one is no item.
    let roots: [FilePath]
    /// What is looked at in folders on the way, and in searched folders: nothing.
    private let members: [FilePath: Set<ItemName>]

    /// - Parameters:
    ///   - paths: Of the items, their folders resolved.
    ///   - types: What tells packages, in which all is looked at, from folders.
    init(_ paths: [FilePath], _ types: ItemTypes) {
        items = Set(paths)
        let folders = Set(paths.map(\.parent))
        func reaches(_ folder: FilePath, _ other: FilePath) -> Bool {
            guard folder != other, other.isInside(folder) else { return false }
            let names = (other.string.following(folder.string) ?? "").pathNames
            return names.allSatisfy { types.form(ofDirectory: $0) == .folder }
        }
        roots = folders.filter { folder in !folders.contains { reaches($0, folder) } }
            .sorted { $0.string < $1.string }
        var members: [FilePath: Set<ItemName>] = [:]
        for path in items {
            if types.form(ofDirectory: path.name) == .folder { members[path, default: []].formUnion([]) }
            var place = path
            while true {
                members[place.parent, default: []].insert(ItemName(place.name))
                if roots.contains(place.parent) || place.parent == place { break }
                place = place.parent
            }
        }
        self.members = members
    }

    /// What is looked at in a folder; nil for all.
    func names(in folder: FilePath) -> Set<ItemName>? { members[folder] }

    /// Where what `NSMetadataQuery.searchItems` has is.
    static func path(of item: Any) -> FilePath {
        let url =
            (item as? URL) ?? (item as? NSURL).map { $0 as URL }
            ?? (item as? NSMetadataItem)?.value(forAttribute: NSMetadataItemURLKey) as? URL
        guard let path = url.flatMap({ FilePath($0) }) else {
            fatalError("\(item) cannot be searched by a metadata query: give a file URL or a metadata item")
        }
        // In a folder that is not there nothing is, under any name.
        return ((try? path.parent.resolved()) ?? path.parent).appending(path.name)
    }
}

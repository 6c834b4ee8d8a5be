internal import FileSystem
internal import Foundation

/// How a folder's list differs from the one that was told last.
package struct FolderDifference: Hashable, Sendable {
    /// Items that are new or not as they were, in no order.
    package var put: [FolderItem] = []
    /// Ids of items that are there no more.
    package var drop: [String] = []

    package var isEmpty: Bool { put.isEmpty && drop.isEmpty }
}

/// What a folder holds, as far as we have seen.
///
/// Pure: looks come in, differences go out.
///
/// A package keeps its size, and a date later than its own, from its last count until the next.
struct FolderContents {
    /// What a count of a package's members has found.
    private struct Counted {
        var byteCount: Int64?
        var modificationDate: Date
    }

    private(set) var items = FolderItems()
    private var counts: [FilePath: Counted] = [:]

    /// Takes in a look at the whole folder.
    mutating func replaceAll(with found: [FolderItem]) -> FolderDifference {
        guard !items.isEmpty else { return begin(with: found) }
        var difference = FolderDifference()
        var gone = items
        for item in found {
            gone[item.name] = nil
            put(item, &difference)
        }
        for item in gone.values { drop(item.name, item, &difference) }
        return difference
    }

    /// Takes in a look at some names; nil where nothing bears the name.
    mutating func update(_ found: [(name: String, item: FolderItem?)]) -> FolderDifference {
        var difference = FolderDifference()
        for (name, item) in found {
            if let item {
                put(item, &difference)
            } else if let item = items[name] {
                drop(name, item, &difference)
            }
        }
        return difference
    }

    /// Takes items for never seen, so that the next look tells of those that are there.
    mutating func forget(_ names: some Sequence<String>) {
        for name in names { items[name] = nil }
    }

    /// Takes in what a package's members came to; nil when they were too many.
    mutating func count(_ name: String, _ summary: TreeSummary?) -> FolderDifference {
        guard let item = items[name], item.isPackage, !item.isEvicted else { return FolderDifference() }
        counts[FilePath(name)] = summary.map {
            Counted(byteCount: $0.byteCount, modificationDate: $0.modificationDate)
        }
        var bare = item
        bare.byteCount = nil
        var difference = FolderDifference()
        put(bare, &difference)
        return difference
    }

    /// The first look: nothing to compare with, and perhaps very much to take in.
    private mutating func begin(with found: [FolderItem]) -> FolderDifference {
        items.reserveCapacity(found.count)
        for item in found { items[item.name] = item }
        counts = [:]
        return FolderDifference(put: found)
    }

    private mutating func put(_ item: FolderItem, _ difference: inout FolderDifference) {
        var item = item
        if item.isPackage, !item.isEvicted, let count = counts[FilePath(item.name)] {
            item.byteCount = count.byteCount
            item.modificationDate = max(item.modificationDate, count.modificationDate)
        }
        guard items[item.name] != item else { return }
        items[item.name] = item
        difference.put.append(item)
    }

    private mutating func drop(_ name: String, _ item: FolderItem, _ difference: inout FolderDifference) {
        items[name] = nil
        counts[FilePath(name)] = nil
        difference.drop.append(item.id)
    }
}

internal import Foundation

/// Where one item is saved, and the names of what stands beside it while it is.
///
/// The staging of an item has one name that follows from the item's, so that what a dead save left is found
/// without listing the folder.
package final class SaveSite: Sendable {
    /// The folder that holds the item.
    let folder: Folder
    let itemName: String
    let stagingName: String

    /// The name of the item inside its staging folder: its own, unless that could be one of ours.
    var stagedName: String { itemName.hasPrefix(Self.ownPrefix) ? "_" + itemName : itemName }

    /// What names begin with that are ours: stagings, and whatever else stands beside documents, or for them, and is none.
    package static let ownPrefix = ".sheaf-"

    /// Whether a place is one of those, or in one: a package that a save has replaced is in its staging until it is thrown away.
    package static func isOwn(_ place: FilePath) -> Bool {
        place.string.pathNames.contains { isOwn($0) }
    }

    /// Whether a name is.
    package static func isOwn(_ name: some StringProtocol) -> Bool { name.hasPrefix(ownPrefix) }

    /// The item, links resolved.
    var item: FilePath { folder.place(of: itemName) }

    /// Opens the folder of an item.
    ///
    /// - Parameter item: Which item; it need not exist, its folder must.
    init(item: FilePath) throws(SystemError) {
        folder = try Folder.open(item.parent)
        itemName = item.name
        stagingName = Self.stagingName(for: item.name)
    }

    /// Follows a symbolic link at the end of a path to what it leads to, there or not.
    package static func resolvingLinks(_ item: FilePath) throws(SystemError) -> FilePath {
        var place = item
        for _ in 0..<linksFollowedMax {
            let text: String?
            do { text = try SystemCalls.readlinkat(.working, place.string) } catch {
                guard error.errno == ENOENT else { throw error }
                return place
            }
            guard let text else { return place }
            place = text.hasPrefix("/") ? FilePath(text) : place.parent.appending(text)
        }
        throw SystemError(call: "readlinkat", errno: ELOOP, path: item)
    }

    /// As many as the kernel follows, path_resolution(7).
    private static let linksFollowedMax = 40

    /// What every volume has room for: eCryptfs has the least.
    private static let nameByteCountMax = 143

    /// The name of an item's staging: a prefix, a hash of the whole name, and the name itself, which keeps
    /// its extension and is cut before it when it is too long.
    package static func stagingName(for name: String) -> String {
        let prefix = stagingPrefix(for: name)
        let room = nameByteCountMax - prefix.utf8.count
        guard name.utf8.count > room else { return prefix + name }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let extensionText = name[dot...].utf8.count < room ? name[dot...] : ""
        var stem = name[..<dot]
        while stem.utf8.count + extensionText.utf8.count > room { stem.unicodeScalars.removeLast() }
        return prefix + stem + extensionText
    }

    /// The name of the item whose staging has a name; nil where it had to be cut, and for any other name.
    package static func itemName(ofStaging name: String) -> String? {
        guard let rest = name.following(ownPrefix), let end = rest.utf8.firstIndex(of: UInt8(ascii: "-"))
        else { return nil }
        // By bytes: the item's name may begin with a sign that belongs to the one before it.
        let item = String(rest[rest.utf8.index(after: end)...])
        return stagingName(for: item).isSameInBytes(name) ? item : nil
    }

    private static func stagingPrefix(for name: String) -> String {
        let hash = String(StableHash.of(name), radix: 16)
        return ownPrefix + String(repeating: "0", count: 16 - hash.count) + hash + "-"
    }
}

internal import DocumentFoundation
package import FileSystem
internal import Foundation

/// The folder that a browser shows, and the only door to what is in it.
///
/// Items are named by ids, which come from a page and are not to be trusted: the path below the location as
/// text, "" for the location itself. Whoever works on an item gets its place here, after the id was checked.
///
/// 1. A place given out is inside the location, also after every symbolic link on the way to it.
/// 2. Nothing hidden has an id, and nothing inside a package.
///
/// Somebody who puts a link in place of a folder between the check and the work is not kept out; that takes
/// the right to write to the location, and then there is nothing left to keep.
package struct BrowserLocation: Sendable {
    /// Where it is, without a link on the way.
    package let root: FilePath
    package let kinds: ItemKinds

    /// - Throws: When there is no such folder.
    package init(_ url: URL, kinds: ItemKinds) throws(BrowserError) {
        guard let path = FilePath(url) else {
            throw BrowserError(.notInLocation, item: url.lastPathComponent)
        }
        do {
            root = try path.resolved()
        } catch {
            throw BrowserError(error, item: url.lastPathComponent)
        }
        self.kinds = kinds
    }

    package var url: URL { root.url(isDirectory: true) }

    /// The place of an item, which need not exist.
    ///
    /// A link is not followed at its end.
    ///
    /// Reads the disk.
    package func place(of id: String) throws(BrowserError) -> FilePath {
        let path = try member(id)
        guard let name = path.components.last else { return root }
        return try resolvedFolder(path.components.dropLast(), of: id).appending(name)
    }

    /// The place of a folder that exists, with links followed.
    ///
    /// Packages are no folders.
    ///
    /// Reads the disk.
    package func folder(_ id: String) throws(BrowserError) -> FilePath {
        try resolvedFolder(member(id).components[...], of: id)
    }

    /// The id of what is at a URL; nil when that is outside, hidden or inside a package, or its folder is
    /// missing.
    ///
    /// Reads the disk.
    package func id(of url: URL) -> String? {
        // A folder that cannot be resolved holds nothing of ours.
        guard let path = FilePath(url), let resolved = try? path.resolvedInFolder(), resolved.isInside(root)
        else {
            return nil
        }
        let below = resolved.string.utf8.dropFirst(root.string.utf8.count).drop { $0 == UInt8(ascii: "/") }
        let id = String(Substring(below))
        // The place is asked for the sake of its checks.
        return (try? place(of: id)) == nil ? nil : id
    }

    /// The id of an item in a folder.
    package static func id(_ name: String, in folderID: String) -> String {
        folderID.isEmpty ? name : folderID + "/" + name
    }

    /// The id of the folder that holds an item, and the item's name.
    package static func split(_ id: String) -> (folderID: String, name: String) {
        // By bytes: a name may begin with a sign that belongs to the slash.
        guard let slash = id.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", id) }
        return (String(id[..<slash]), String(id[id.utf8.index(after: slash)...]))
    }

    /// Whether items of this name are shown.
    ///
    /// What a save, ours or another's, keeps beside a document is hidden.
    static func isShown(_ name: String) -> Bool { !ItemNames.isHidden(name) }

    private func member(_ id: String) throws(BrowserError) -> MemberPath {
        guard !id.isEmpty else { return .top }
        let components = id.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard let path = MemberPath(components), components.allSatisfy(Self.isShown) else {
            throw BrowserError(.notInLocation, item: components.last ?? id)
        }
        return path
    }

    private func resolvedFolder(
        _ components: ArraySlice<String>,
        of id: String
    ) throws(BrowserError) -> FilePath {
        let path = components.reduce(root) { $0.appending($1) }
        let resolved: FilePath
        let kind: FileStamp.Kind
        do {
            resolved = components.isEmpty ? root : try path.resolved()
            kind = try FileStamp(of: resolved).kind
        } catch {
            throw BrowserError(error, item: path.name)
        }
        guard resolved.isInside(root) else { throw BrowserError(.notInLocation, item: path.name) }
        guard kind == .directory else { throw BrowserError(.notFolder, item: path.name) }
        try refusePackages(above: resolved)
        return resolved
    }

    private func refusePackages(above folder: FilePath) throws(BrowserError) {
        var path = folder
        while path != root, path.parent != path {
            guard !kinds.isPackage(path.url(isDirectory: true)) else {
                throw BrowserError(.notFolder, item: path.name)
            }
            path = path.parent
        }
    }
}

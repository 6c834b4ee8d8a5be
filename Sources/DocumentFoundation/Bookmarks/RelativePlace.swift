internal import FileSystem
internal import Foundation

/// The item that a bookmark is relative to: a folder, or a document whose folder counts.
struct RelativePlace {
    /// The folder that ways begin in, links resolved.
    let folder: FilePath
    /// Whether the item is that folder itself.
    let isFolder: Bool

    /// - Throws: `ENOENT` when the item is not there.
    init(base: URL) throws {
        guard let path = FilePath(base.absoluteURL) else {
            throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: base])
        }
        let (real, isFolder) = try Self.item(at: path)
        (self.isFolder, folder) = (isFolder, isFolder ? real : real.parent)
    }

    private static func item(at path: FilePath) throws(SystemError) -> (FilePath, isFolder: Bool) {
        do {
            let real = try path.resolved()
            return (real, try FileStamp(of: real).kind == .directory)
        } catch {
            // Of a document whose contents are not here the placeholder is there.
            guard error.isAbsent, let placeholder = Placeholder(standingFor: path) else { throw error }
            return (try path.resolvedInFolder(), placeholder.isDirectory)
        }
    }

    /// The way to an item.
    ///
    /// - Throws: A `CocoaError` when a bookmark with a security scope would lead out of the folder.
    func way(to item: FilePath, _ options: NSURL.BookmarkCreationOptions) throws -> String {
        if options.contains(.withSecurityScope), isFolder, !item.isInside(folder) {
            throw BookmarkErrors.outside(item, of: folder)
        }
        return Self.way(from: folder, to: item)
    }

    /// Where a way leads now.
    ///
    /// - Parameter isBound: Whether it must not lead out of a folder, by "..", by a link or by what it says.
    /// - Throws: A `CocoaError` when it does.
    func place(of way: String, isBound: Bool) throws -> FilePath {
        let joined = Self.join(folder, way)
        guard isBound, isFolder else { return joined }
        do { return try folder.beneath(way) } catch {
            switch error.errno {
            case EXDEV, ELOOP: throw BookmarkErrors.outside(joined, of: folder)
            // It may have moved inside the folder.
            case ENOENT,
                ENOTDIR where joined.isInside(folder):
                return joined
            // A kernel without openat2(2): what is found is still compared with the folder.
            case ENOSYS where joined.isInside(folder): return joined
            case ENOENT, ENOTDIR, ENOSYS: throw BookmarkErrors.outside(joined, of: folder)
            default: throw error
            }
        }
    }

    /// From one folder to an item, both without links: up as far as they share nothing, then down.
    static func way(from folder: FilePath, to item: FilePath) -> String {
        let (start, end) = (folder.string.pathNames, item.string.pathNames)
        let shared = zip(start, end).prefix { $0.isSameInBytes($1) }.count
        let way = Array(repeating: "..", count: start.count - shared) + end.dropFirst(shared)
        return way.isEmpty ? "." : way.joined(separator: "/")
    }

    /// Where a way leads by its text.
    static func join(_ folder: FilePath, _ way: String) -> FilePath {
        var names = way.hasPrefix("/") ? [] : folder.string.pathNames
        for name in way.pathNames where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return FilePath("/" + names.joined(separator: "/"))
    }
}

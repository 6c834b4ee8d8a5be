internal import FileSystem
package import Foundation

/// The trash that this desktop's file managers show too: the FreeDesktop trash specification 1.0.
///
/// An item goes to the home trash when that is on the item's volume; else to the volume's own trash, the one
/// its administrator made (`.Trash`, sticky) or one for the user alone (`.Trash-1000`). It is never copied,
/// so that it goes in one step, whole.
///
/// 1. An item in `files` has its note in `info`: the note is written first and removed last.
/// 2. Whoever made the note owns the name; no two items get one place.
package struct Trash: Sendable {
    private let settings: TrashSettings

    /// How many bytes a name may have so that ".trashinfo" can follow it.
    private static let nameByteCountMax = ItemNames.nameByteCountMax - noteSuffix.utf8.count
    private static let noteSuffix = ".trashinfo"

    package init(_ settings: TrashSettings = .current) {
        self.settings = settings
    }

    /// Puts an item into the trash.
    ///
    /// A symbolic link goes itself. Blocks on the disk; any thread.
    ///
    /// - Returns: Where it is now. Its last component differs from the item's where that was taken.
    /// - Throws: `CocoaError.featureUnsupported` when the item's volume can have no trash, and other
    ///   `CocoaError`s with the POSIX error underneath. The item is where it was then.
    package func discard(_ url: URL) throws -> URL {
        guard let path = FilePath(url) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        do {
            let item = try path.resolvedInFolder()
            let stamp = try FileStamp(of: item)
            var refusal: SystemError?
            for folder in try folders(for: item, on: stamp.device) {
                do {
                    try folder.make(for: settings.userID)
                    return try discard(item, into: folder).url(isDirectory: stamp.kind == .directory)
                } catch {
                    // A trash that cannot be made, or only seems to be on the volume: the next one, if any.
                    guard [EXDEV, EACCES, EPERM, EROFS, ENOTDIR, ELOOP].contains(error.errno) else {
                        throw error
                    }
                    refusal = refusal ?? error
                }
            }
            throw unavailable(url, refusal)
        } catch let error as SystemError {
            throw CocoaError(error, while: .writing, url: url)
        }
    }

    /// Puts an item from the trash back where it was, under another name when that is taken.
    ///
    /// - Parameter url: Where `discard(_:)` said that it is.
    /// - Returns: Where it is now.
    /// - Throws: `TrashError` when it is in no trash or its folder is no more, else a `CocoaError` with the
    ///   POSIX error underneath. The item is still in the trash then.
    package func restore(_ url: URL) throws -> URL {
        guard let path = FilePath(url) else { throw TrashError(code: .notInTrash, url: url) }
        let note = path.parent.parent.appending("info").appending(path.name + Self.noteSuffix)
        do {
            guard path.parent.name == "files", try FileStamp.ifPresent(at: path) != nil,
                try FileStamp.ifPresent(at: note) != nil
            else { throw TrashError(code: .notInTrash, url: url) }
            let original = try place(notedIn: note, of: path, url: url)
            let isFolder = try FileStamp(of: path).kind == .directory
            let target = try moveBack(path, to: original)
            // The item is back; a note without an item is passed over by everyone who reads a trash.
            try? ItemMoves.removeFile(note)
            return target.url(isDirectory: isFolder)
        } catch let error as SystemError {
            throw CocoaError(error, while: .writing, url: url)
        }
    }

    /// Whether a place is in some trash: the home trash or a volume's, whoever put the item there.
    package static func holds(_ url: URL) -> Bool {
        let names = url.deletingLastPathComponent().pathComponents.suffix(3)
        guard names.count == 3, names.last == "files" else { return false }
        let (outer, trash) = (names[names.startIndex], names[names.startIndex + 1])
        return trash == "Trash" || trash.hasPrefix(".Trash-") || outer == ".Trash"
    }

    // MARK: - Discarding

    private func folders(for item: FilePath, on device: UInt64) throws(SystemError) -> [TrashFolder] {
        var folders: [TrashFolder] = []
        if let home = FilePath(settings.homeTrash), try Self.device(above: home) == device {
            folders.append(TrashFolder(path: home, top: nil))
        }
        let top = try Self.topFolder(of: item, on: device)
        let shared = top.appending(".Trash")
        // Not a link, and sticky: else somebody could give the trash another place, or throw it away.
        if let stamp = try FileStamp.ifPresent(at: shared), stamp.kind == .directory,
            stamp.permissions & 0o1000 != 0
        {
            folders.append(TrashFolder(path: shared.appending(String(settings.userID)), top: top))
        }
        folders.append(TrashFolder(path: top.appending(".Trash-\(settings.userID)"), top: top))
        return folders
    }

    /// The volume of the deepest folder on the way to a path that exists.
    private static func device(above path: FilePath) throws(SystemError) -> UInt64 {
        var path = path
        while true {
            if let stamp = try FileStamp.ifPresent(at: path, followsSymbolicLink: true) {
                return stamp.device
            }
            path = path.parent
        }
    }

    /// The highest folder above an item that is on the item's volume.
    private static func topFolder(of item: FilePath, on device: UInt64) throws(SystemError) -> FilePath {
        var top = item.parent
        while top.parent != top, try FileStamp(of: top.parent).device == device { top = top.parent }
        return top
    }

    private func discard(_ item: FilePath, into folder: TrashFolder) throws(SystemError) -> FilePath {
        let noted = TrashInfo(
            path: folder.notedPath(of: item),
            deleted: settings.now(),
            in: settings.timeZone
        )
        var refused: Set<String> = []
        while true {
            let name = ItemNames.free(item.name, byteCountMax: Self.nameByteCountMax) { refused.contains($0) }
            let note = folder.info.appending(name + Self.noteSuffix)
            do {
                try ItemMoves.createFile(note, contents: Data(noted.text.utf8))
            } catch {
                guard error.errno == EEXIST else { throw error }
                refused.insert(name)
                continue
            }
            do {
                let target = folder.files.appending(name)
                try ItemMoves.move(item, toFree: target)
                return target
            } catch {
                // The move's error is the one to tell; a note without an item is passed over by everyone.
                try? ItemMoves.removeFile(note)
                guard error.errno == EEXIST else { throw error }
                refused.insert(name)
            }
        }
    }

    private func unavailable(_ url: URL, _ refusal: SystemError?) -> CocoaError {
        var userInfo: [String: Any] = [
            NSURLErrorKey: url,
            NSFilePathErrorKey: url.path,
            NSLocalizedFailureReasonErrorKey: "The volume of “\(url.lastPathComponent)” has no trash.",
            NSLocalizedRecoverySuggestionErrorKey:
                "Move the item to your home folder, or remove it for good.",
        ]
        if let refusal {
            userInfo[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(refusal.errno))
        }
        return CocoaError(.featureUnsupported, userInfo: userInfo)
    }

    // MARK: - Restoring

    private func place(notedIn note: FilePath, of path: FilePath, url: URL) throws -> FilePath {
        let text = String(decoding: try FileReading.contents(of: note), as: UTF8.self)
        guard let noted = TrashInfo(text: text) else { throw TrashError(code: .noteUnreadable, url: url) }
        guard !noted.path.hasPrefix("/") else { return FilePath(noted.path) }
        // Relative notes are from the top folder, and must not lead out of it.
        guard let member = MemberPath(noted.path.pathNames) else {
            throw TrashError(code: .noteUnreadable, url: url)
        }
        let top = try Self.topFolder(of: path.resolvedInFolder(), on: FileStamp(of: path).device)
        return member.components.reduce(top) { $0.appending($1) }
    }

    private func moveBack(_ path: FilePath, to original: FilePath) throws -> FilePath {
        guard try FileStamp.ifPresent(at: original.parent, followsSymbolicLink: true)?.kind == .directory
        else {
            throw TrashError(code: .folderMissing, url: original.url(isDirectory: false))
        }
        var refused: Set<String> = []
        while true {
            let name = ItemNames.free(original.name) { refused.contains($0) }
            let target = original.parent.appending(name)
            // A name is also taken by an item that only a placeholder is here of.
            guard Placeholder(standingFor: target) == nil else {
                refused.insert(name)
                continue
            }
            do {
                try ItemMoves.move(path, toFree: target)
                return target
            } catch {
                guard error.errno == EEXIST else { throw error }
                refused.insert(name)
            }
        }
    }
}

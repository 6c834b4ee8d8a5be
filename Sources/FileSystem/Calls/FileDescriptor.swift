internal import Glibc

/// An open file or folder; closes itself.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The kernel's number for it.
    let raw: CInt
    /// Where it was when it was opened; for messages.
    let path: FilePath

    /// Takes over an open descriptor.
    init(owning raw: CInt, path: FilePath) {
        self.raw = raw
        self.path = path
    }

    deinit {
        // Nothing can be done about a failing close: what must last has been synced before.
        if raw >= 0 { _ = Glibc.close(raw) }
    }
}

/// An open folder, relative to which calls name its members.
final class Folder: Sendable {
    let descriptor: FileDescriptor
    var raw: CInt { descriptor.raw }
    var path: FilePath { descriptor.path }

    /// The process's working directory, relative to which a path is meant.
    static let working = Folder(FileDescriptor(owning: AT_FDCWD, path: FilePath(".")))

    init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Opens a folder by its path, following links.
    static func open(_ path: FilePath) throws(SystemError) -> Folder {
        let flags = O_RDONLY | O_DIRECTORY
        return Folder(try SystemCalls.openat(.working, path.string, flags))
    }

    /// Opens a folder inside this one.
    ///
    /// The last name must not be a symbolic link.
    func folder(_ name: String) throws(SystemError) -> Folder {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        return Folder(try SystemCalls.openat(self, name, flags))
    }

    /// Opens a folder deeper inside this one, through folders only: a link on the way could lead out.
    func folder(_ path: MemberPath) throws(SystemError) -> Folder {
        var folder = self
        for name in path.components { folder = try folder.folder(name) }
        return folder
    }

    /// What a listed member is, asked for where the listing did not tell.
    func kind(of entry: FolderEntry) throws(SystemError) -> FileStamp.Kind {
        if let kind = entry.kind { return kind }
        return try SystemCalls.fstatat(self, entry.name).stamp.kind
    }

    /// Where a member is; for messages and for the few calls that take only paths.
    func place(of name: String) -> FilePath {
        raw == AT_FDCWD || name.hasPrefix("/") ? FilePath(name) : path.appending(name)
    }
}

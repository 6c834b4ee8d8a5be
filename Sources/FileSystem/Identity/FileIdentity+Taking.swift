internal import Foundation
internal import Glibc

/// An item's identity with what only the moment of taking it can tell.
package struct TakenIdentity: Hashable, Sendable {
    package var identity: FileIdentity
    /// Nil where the volume has no handles.
    package var handle: InodeHandle?

    package init(identity: FileIdentity, handle: InodeHandle?) {
        self.identity = identity
        self.handle = handle
    }
}

extension FileIdentity {
    /// The identity of the item at a path; a symbolic link's own. Changes nothing.
    ///
    /// - Throws: `ENOENT` when nothing is there.
    package init(of path: FilePath) throws(SystemError) {
        let file = try SystemCalls.openPath(path)
        try self.init(of: file)
    }

    /// The identity of the item at a path; nil when nothing is there.
    package static func ifPresent(at path: FilePath) throws(SystemError) -> FileIdentity? {
        do { return try FileIdentity(of: path) } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
    }

    init(of file: borrowing FileDescriptor) throws(SystemError) {
        let stamp = try SystemCalls.fstat(file).stamp
        let isMarkable = stamp.kind == .regular || stamp.kind == .directory
        self.init(
            mark: isMarkable ? try Self.mark(of: file) : nil,
            volume: try SystemCalls.volume(of: file),
            inode: stamp.inode,
            birth: try SystemCalls.birth(of: file),
            kind: stamp.kind
        )
    }

    private static func mark(of file: borrowing FileDescriptor) throws(SystemError) -> FileMark? {
        let count = FileMark.byteCount
        return try SystemCalls.attribute(FileMark.attributeName, of: file, byteCountMax: count)
            .flatMap { FileMark(bytes: $0) }
    }

    /// Takes the identity of the item at a path, and marks it where it bears no mark.
    ///
    /// Marking changes neither contents nor modification time, only the time of the last change of attributes.
    /// An item that cannot be marked (a link, a file that may not be written to, a volume without extended
    /// attributes or without space) is taken as it is.
    ///
    /// - Parameters:
    ///   - path: Where it is; a symbolic link itself.
    ///   - fresh: The mark to give.
    ///   - isForeign: Told the identity when it bears a mark; true when the mark is another item's, which this
    ///     one is a copy of. Then it is replaced.
    /// - Throws: `ENOENT` when nothing is there.
    package static func marking(
        _ path: FilePath,
        with fresh: FileMark,
        isForeign: (FileIdentity) -> Bool = { _ in false }
    ) throws(SystemError) -> TakenIdentity {
        let file = try SystemCalls.openPath(path)
        var identity = try FileIdentity(of: file)
        let handle = try SystemCalls.handle(of: file)
        guard identity.kind == .regular || identity.kind == .directory else {
            return TakenIdentity(identity: identity, handle: handle)
        }
        let hasForeignMark = identity.mark != nil && isForeign(identity)
        if identity.mark == nil || hasForeignMark {
            if try give(fresh, to: file, replacing: hasForeignMark) {
                identity.mark = fresh
            } else {
                identity.mark = try mark(of: file)
            }
        }
        return TakenIdentity(identity: identity, handle: handle)
    }

    /// The mark that the item at a path bears; nil when it bears none. A symbolic link bears none.
    ///
    /// - Throws: `ENOENT` when nothing is there.
    package static func mark(at path: FilePath) throws(SystemError) -> FileMark? {
        try SystemCalls.lgetxattr(path, FileMark.attributeName, byteCount: FileMark.byteCount)
            .flatMap { FileMark(bytes: $0) }
    }

    /// Gives the item at a path a mark.
    ///
    /// - Parameter replacing: Whether instead of a mark that it may bear.
    /// - Returns: False when the item cannot be marked, or bears a mark that is not to be replaced.
    /// - Throws: `ENOENT` when nothing is there.
    @discardableResult
    package static func give(
        _ mark: FileMark,
        toItemAt path: FilePath,
        replacing: Bool
    ) throws(SystemError) -> Bool {
        do {
            try SystemCalls.lsetxattr(path, FileMark.attributeName, mark.bytes, isNew: !replacing)
            return true
        } catch {
            guard Self.unmarkable.contains(error.errno) else { throw error }
            return false
        }
    }

    /// Has whoever watches the item at a path, or looks at it later, see that something about it is another, though it is as it was but
    /// for the time of its last change.
    ///
    /// - Throws: `ENOENT` when nothing is there.
    package static func touch(_ path: FilePath) throws(SystemError) {
        try SystemCalls.lchownToItself(path)
        // That nobody hears of, and of a mark that is given anew everybody, though it moves no time.
        if let mark = try mark(at: path) { try give(mark, toItemAt: path, replacing: true) }
    }

    /// Whether the item at a path could bear a mark, or does: not where its volume has no such attributes, or it must not be
    /// written to. Changes nothing.
    ///
    /// - Throws: `ENOENT` when nothing is there.
    package static func isMarkable(_ path: FilePath) throws(SystemError) -> Bool {
        do {
            // There is no such attribute to be replaced, which is said only where there could be one.
            try SystemCalls.lsetxattr(path, "user.sheaf.none", [0], isNew: false, isReplacing: true)
            return true
        } catch {
            if error.errno == ENODATA { return true }
            guard Self.unmarkable.contains(error.errno) else { throw error }
            return false
        }
    }

    /// - Returns: False when the item cannot be marked, or somebody was faster.
    private static func give(
        _ mark: FileMark,
        to file: borrowing FileDescriptor,
        replacing: Bool
    ) throws(SystemError) -> Bool {
        do {
            let name = FileMark.attributeName
            try SystemCalls.setAttribute(name, mark.bytes, isNew: !replacing, of: file)
            return true
        } catch {
            guard Self.unmarkable.contains(error.errno) else { throw error }
            return false
        }
    }

    /// What says that an item bears no mark of ours and nothing is broken.
    private static let unmarkable: Set<CInt> = [
        EEXIST, EACCES, EPERM, EROFS, EOPNOTSUPP, ENOSPC, EDQUOT, E2BIG,
    ]
}

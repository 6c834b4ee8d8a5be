internal import CLinux
internal import Foundation
internal import Glibc

/// The kernel's file calls, each under the name of its page in section 2 of the manual.
///
/// Nothing else in this target calls the kernel about files. Calls interrupted by a signal are made again,
/// descriptors are never inherited, and every call shows itself to the observer, if there is one.
enum SystemCalls {
    /// Makes a call until no signal interrupts it.
    @inline(__always)
    static func perform<Value: SignedInteger>(
        _ name: StaticString,
        at place: @autoclosure () -> FilePath,
        from source: @autoclosure () -> FilePath? = nil,
        effect: @autoclosure () -> SystemCallEffect = .none,
        mustNotExist: Bool = false,
        _ body: () -> Value
    ) throws(SystemError) -> Value {
        guard let observer = SystemCallObservation.current else {
            return try repeating(name, at: place(), body)
        }
        let call = SystemCall(
            name: "\(name)",
            path: place(),
            source: source(),
            effect: effect(),
            mustNotExist: mustNotExist
        )
        let refusal = observer.willMake(call)
        guard refusal == 0 else { throw SystemError(call: call.name, errno: refusal, path: call.path) }
        let value = try repeating(name, at: call.path, body)
        observer.didMake(call)
        return value
    }

    @inline(__always)
    private static func repeating<Value: SignedInteger>(
        _ name: StaticString,
        at place: @autoclosure () -> FilePath,
        _ body: () -> Value
    ) throws(SystemError) -> Value {
        while true {
            let value = body()
            if value != -1 { return value }
            let code = errno
            if code != EINTR { throw SystemError(call: "\(name)", errno: code, path: place()) }
        }
    }

    /// openat(2).
    ///
    /// With `O_CREAT` the name must be free.
    static func openat(
        _ folder: Folder,
        _ name: String,
        _ flags: CInt,
        permissions: UInt32 = 0
    ) throws(SystemError) -> FileDescriptor {
        let creates = flags & O_CREAT != 0
        let raw = try perform(
            "openat",
            at: folder.place(of: name),
            effect: creates ? .createFile(folder: folder.raw, name: name) : .none
        ) { Glibc.openat(folder.raw, name, flags | O_CLOEXEC | (creates ? O_EXCL : 0), permissions) }
        return FileDescriptor(owning: raw, path: folder.place(of: name))
    }

    /// mkdirat(2).
    static func mkdirat(_ folder: Folder, _ name: String, permissions: UInt32) throws(SystemError) {
        _ = try perform(
            "mkdirat",
            at: folder.place(of: name),
            effect: .createFolder(folder: folder.raw, name: name)
        ) { Glibc.mkdirat(folder.raw, name, permissions) }
    }

    /// symlinkat(2).
    static func symlinkat(_ text: String, _ folder: Folder, _ name: String) throws(SystemError) {
        _ = try perform(
            "symlinkat",
            at: folder.place(of: name),
            effect: .createSymbolicLink(folder: folder.raw, name: name, text: text)
        ) { Glibc.symlinkat(text, folder.raw, name) }
    }

    /// linkat(2); links symbolic links themselves, never what they lead to.
    static func linkat(
        _ sourceFolder: Folder,
        _ source: String,
        _ targetFolder: Folder,
        _ target: String
    ) throws(SystemError) {
        _ = try perform(
            "linkat",
            at: targetFolder.place(of: target),
            from: sourceFolder.place(of: source),
            effect: .link(
                sourceFolder: sourceFolder.raw,
                source: source,
                targetFolder: targetFolder.raw,
                target: target
            )
        ) { Glibc.linkat(sourceFolder.raw, source, targetFolder.raw, target, 0) }
    }

    /// unlinkat(2).
    static func unlinkat(_ folder: Folder, _ name: String, isFolder: Bool = false) throws(SystemError) {
        _ = try perform(
            "unlinkat",
            at: folder.place(of: name),
            effect: .remove(folder: folder.raw, name: name)
        ) { Glibc.unlinkat(folder.raw, name, isFolder ? AT_REMOVEDIR : 0) }
    }

    /// How renameat2(2) treats what bears the target name.
    enum RenameMode {
        case replace, mustNotExist, exchange

        var flags: UInt32 {
            switch self {
            case .replace: 0
            case .mustNotExist: UInt32(CDOC_RENAME_NOREPLACE)
            case .exchange: UInt32(CDOC_RENAME_EXCHANGE)
            }
        }
    }

    /// renameat2(2).
    static func renameat2(
        _ sourceFolder: Folder,
        _ source: String,
        _ targetFolder: Folder,
        _ target: String,
        _ mode: RenameMode = .replace
    ) throws(SystemError) {
        _ = try perform(
            "renameat2",
            at: targetFolder.place(of: target),
            from: sourceFolder.place(of: source),
            effect: .rename(
                sourceFolder: sourceFolder.raw,
                source: source,
                targetFolder: targetFolder.raw,
                target: target,
                exchanges: mode == .exchange
            ),
            mustNotExist: mode == .mustNotExist
        ) { cdoc_renameat2(sourceFolder.raw, source, targetFolder.raw, target, mode.flags) }
    }

    /// fsync(2).
    static func fsync(_ file: borrowing FileDescriptor) throws(SystemError) {
        let raw = file.raw
        _ = try perform("fsync", at: file.path, effect: .sync(file: raw)) { Glibc.fsync(raw) }
    }

    /// syncfs(2).
    static func syncfs(_ folder: Folder) throws(SystemError) {
        _ = try perform("syncfs", at: folder.path, effect: .syncVolume(file: folder.raw)) {
            cdoc_syncfs(folder.raw)
        }
    }

    /// flock(2), exclusive.
    ///
    /// - Parameter waits: Whether to wait for whoever holds the lock.
    /// - Returns: Whether the lock is held now.
    static func flock(_ file: borrowing FileDescriptor, waits: Bool) throws(SystemError) -> Bool {
        let raw = file.raw
        do {
            _ = try perform("flock", at: file.path) { cdoc_flock(raw, LOCK_EX | (waits ? 0 : LOCK_NB)) }
            return true
        } catch {
            guard error.errno == EWOULDBLOCK else { throw error }
            return false
        }
    }

    /// Gives up a lock, for copies of the descriptor too that a process just being started still has.
    ///
    /// It cannot fail on an open file.
    static func unlock(_ file: borrowing FileDescriptor) {
        _ = cdoc_flock(file.raw, LOCK_UN)
    }

    /// write(2) until all is written.
    static func write(_ data: Data, to file: borrowing FileDescriptor) throws(SystemError) {
        let (raw, path) = (file.raw, file.path)
        let outcome = data.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try writeAll(bytes, to: raw, at: path) }
        }
        try outcome.get()
    }

    /// write(2) until all is written.
    static func writeAll(
        _ bytes: UnsafeRawBufferPointer,
        to raw: CInt,
        at path: FilePath
    ) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let byteCount = try perform(
                "write",
                at: path,
                effect: .write(file: raw, bytes: Data(part))
            ) { Glibc.write(raw, part.baseAddress, part.count) }
            rest = rest.dropFirst(byteCount)
        }
    }

    /// read(2) once.
    ///
    /// - Returns: The number of bytes read; 0 at the end.
    static func read(
        _ file: borrowing FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let raw = file.raw
        return try perform("read", at: file.path) { Glibc.read(raw, buffer.baseAddress, buffer.count) }
    }

    /// copy_file_range(2) from one file's offset to the other's.
    ///
    /// - Returns: The number of bytes copied; 0 at the end.
    static func copy_file_range(
        from source: borrowing FileDescriptor,
        to target: borrowing FileDescriptor,
        byteCount: Int
    ) throws(SystemError) -> Int {
        let (sourceRaw, targetRaw) = (source.raw, target.raw)
        return try perform("copy_file_range", at: target.path, effect: .copy(file: targetRaw)) {
            cdoc_copy_file_range(sourceRaw, targetRaw, byteCount)
        }
    }

    /// ioctl_ficlone(2): the target gets the source's blocks, shared until one is written.
    static func ficlone(
        from source: borrowing FileDescriptor,
        to target: borrowing FileDescriptor
    ) throws(SystemError) {
        let (sourceRaw, targetRaw) = (source.raw, target.raw)
        _ = try perform("ioctl_ficlone", at: target.path, effect: .copy(file: targetRaw)) {
            cdoc_ficlone(targetRaw, sourceRaw)
        }
    }
}

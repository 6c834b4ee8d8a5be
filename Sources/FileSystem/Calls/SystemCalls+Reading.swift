internal import CLinux
internal import Foundation
internal import Glibc

/// A member of a folder, as a listing names it.
package struct FolderEntry: Hashable, Sendable {
    package var name: String
    /// What it is; nil where the volume does not tell in listings.
    package var kind: FileStamp.Kind?
}

extension SystemCalls {
    /// readlinkat(2); nil when the item is no symbolic link.
    ///
    /// A text that is not UTF-8 cannot be told apart from others and fails with `EILSEQ`.
    static func readlinkat(_ folder: Folder, _ name: String) throws(SystemError) -> String? {
        guard let bytes = try linkBytes(folder, name) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SystemError(call: "readlinkat", errno: EILSEQ, path: folder.place(of: name))
        }
        return text
    }

    /// readlinkat(2) of a link of proc(5)'s; nil when the item is none.
    ///
    /// In the place of what is not UTF-8 it has signs for people to see: such a text leads nowhere, and tells what it can.
    static func readProcessLink(_ path: String) throws(SystemError) -> String? {
        guard let bytes = try linkBytes(.working, path) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// readlinkat(2) and symlinkat(2): makes a link that says what another one says, byte for byte.
    ///
    /// - Returns: False when the item is no symbolic link.
    static func copyLink(
        _ source: String,
        in sourceFolder: Folder,
        as target: String,
        in targetFolder: Folder
    ) throws(SystemError) -> Bool {
        guard let bytes = try linkBytes(sourceFolder, source) else { return false }
        let text = bytes.map { CChar(bitPattern: $0) } + [0]
        _ = try perform(
            "symlinkat",
            at: targetFolder.place(of: target),
            effect: .createSymbolicLink(
                folder: targetFolder.raw,
                name: target,
                text: String(decoding: bytes, as: UTF8.self)
            )
        ) { Glibc.symlinkat(text, targetFolder.raw, target) }
        return true
    }

    /// readlinkat(2), byte for byte; nil when the item is no symbolic link.
    private static func linkBytes(_ folder: Folder, _ name: String) throws(SystemError) -> [UInt8]? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        do {
            let byteCount = try perform("readlinkat", at: folder.place(of: name)) {
                Glibc.readlinkat(folder.raw, name, &buffer, buffer.count)
            }
            return buffer[..<byteCount].map(UInt8.init(bitPattern:))
        } catch {
            guard error.errno == EINVAL else { throw error }
            return nil
        }
    }

    /// readdir(3) of the whole folder, in the volume's order, without "." and "..".
    ///
    /// A name that is not UTF-8 cannot be told apart from others and fails with `EILSEQ`, at its place as people see it.
    static func readdir(_ folder: Folder) throws(SystemError) -> [FolderEntry] {
        var entries: [FolderEntry] = []
        try forEachEntry(of: folder) { (entry) throws(SystemError) in
            guard let member = FolderEntry(entry) else {
                let mended = FolderEntry.mendedName(entry)
                throw SystemError(call: "getdents", errno: EILSEQ, path: folder.place(of: mended))
            }
            if member.name != ".", member.name != ".." { entries.append(member) }
            return true
        }
        return entries
    }

    /// readdir(3), one member after another, without "." and ".." and what is not UTF-8.
    ///
    /// - Parameters:
    ///   - unnamed: Told each name that is not UTF-8, mended.
    ///   - body: Told each member; false ends the listing.
    static func forEachMember(
        of folder: Folder,
        unnamed: (_ mended: String) -> Void = { _ in },
        _ body: (_ name: String, _ inode: UInt64, _ kind: FileStamp.Kind?) throws(SystemError) -> Bool
    ) throws(SystemError) {
        try forEachEntry(of: folder) { (entry) throws(SystemError) in
            guard let member = FolderEntry(entry) else {
                unnamed(FolderEntry.mendedName(entry))
                return true
            }
            guard member.name != ".", member.name != ".." else { return true }
            return try body(member.name, UInt64(entry.pointee.d_ino), member.kind)
        }
    }

    /// readdir(3) and renameat2(2): gives each member whose name is not UTF-8 one that is.
    ///
    /// For folders that nobody else works in.
    ///
    /// - Parameter prefix: What the new names begin with; a number follows.
    static func renameUnnamed(in folder: Folder, to prefix: String) throws(SystemError) {
        var names: [[CChar]] = []
        try forEachEntry(of: folder) { (entry) throws(SystemError) in
            if FolderEntry(entry) == nil { names.append(FolderEntry.bytes(of: entry)) }
            return true
        }
        var number = 0
        for name in names {
            while try statusIfPresent(folder, prefix + String(number)) != nil { number += 1 }
            let target = prefix + String(number)
            _ = try perform(
                "renameat2",
                at: folder.place(of: target),
                effect: .rename(
                    sourceFolder: folder.raw,
                    source: String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self),
                    targetFolder: folder.raw,
                    target: target,
                    exchanges: false
                )
            ) { cdoc_renameat2(folder.raw, name, folder.raw, target, 0) }
        }
    }

    /// readdir(3), one entry after another.
    ///
    /// - Parameter body: Told each entry; false ends the listing.
    private static func forEachEntry(
        of folder: Folder,
        _ body: (UnsafeMutablePointer<dirent>) throws(SystemError) -> Bool
    ) throws(SystemError) {
        let raw = try perform("openat", at: folder.path) {
            Glibc.openat(folder.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard let stream = fdopendir(raw) else {
            let code = errno
            _ = Glibc.close(raw)
            throw SystemError(call: "fdopendir", errno: code, path: folder.path)
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = Glibc.readdir(stream) else {
                let code = errno
                guard code == 0 else { throw SystemError(call: "getdents", errno: code, path: folder.path) }
                return
            }
            guard try body(entry) else { return }
        }
    }

    /// mmap(2), private and for reading.
    static func mmap(
        _ file: borrowing FileDescriptor,
        byteCount: Int
    ) throws(SystemError) -> UnsafeMutableRawPointer {
        let raw = file.raw
        var address: UnsafeMutableRawPointer?
        _ = try perform("mmap", at: file.path) {
            address = Glibc.mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, raw, 0)
            return address == MAP_FAILED ? -1 : 0
        }
        guard let address else { throw SystemError(call: "mmap", errno: ENOMEM, path: file.path) }
        return address
    }
}

extension FolderEntry {
    /// A name with signs in the place of what is not UTF-8, for people to see.
    fileprivate static func mendedName(_ entry: UnsafeMutablePointer<dirent>) -> String {
        withUnsafePointer(to: &entry.pointee.d_name) {
            String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
        }
    }

    /// A name as it is, with the NUL that ends it.
    fileprivate static func bytes(of entry: UnsafeMutablePointer<dirent>) -> [CChar] {
        withUnsafePointer(to: &entry.pointee.d_name) {
            let start = UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)
            return Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
        }
    }

    fileprivate init?(_ entry: UnsafeMutablePointer<dirent>) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            String(validatingCString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
        }
        guard let name else { return nil }
        self.name = name
        kind =
            switch Int(entry.pointee.d_type) {
            case Int(DT_UNKNOWN): nil
            case Int(DT_REG): .regular
            case Int(DT_DIR): .directory
            case Int(DT_LNK): .symbolicLink
            default: .other
            }
    }
}

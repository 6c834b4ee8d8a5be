internal import Cryptography
internal import FileSystem
internal import Foundation

/// The key that names are made with: a file that nobody else can read, with the key in it twice.
///
/// Each copy has a check, so that a flipped bit is found and the other copy used.
enum VaultKey {
    static let fileName = "key"
    private static let magic = Array("sheafkey".utf8)
    /// Magic, key, and the first bytes of the key's code under itself.
    private static let copyByteCount = 8 + MessageAuthentication.keyByteCount + 8

    /// What a program that was stopped while it mended the key may have left it under.
    private static let formerFileName = fileName + ".old"

    /// The key in a folder, made at its first use.
    ///
    /// It appears whole, under its name, or not at all. Where packs are, none is made: without the one that they were
    /// written with nobody can read them.
    ///
    /// - Parameters:
    ///   - packs: The folder of packs and lent files.
    ///   - given: The key to use when there is none yet; nil for a new one.
    /// - Throws: `VaultError` with code `notPrivate` when others can read it, `damaged` when no copy is whole, or when
    ///   it is gone and there are packs.
    static func load(
        from folder: StorageFolder,
        for packs: StorageFolder,
        orMake given: [UInt8]?
    ) throws -> [UInt8] {
        if try folder.status(of: fileName) == nil {
            precondition(
                given.map { $0.count == MessageAuthentication.keyByteCount } ?? true,
                "a vault's key has \(MessageAuthentication.keyByteCount) bytes"
            )
            let names = try packs.entries().map(\.name).filter { name in
                PackID(fileName: name) != nil || PackID(lentFileName: name) != nil
            }
            if names.isEmpty {
                try make(try given ?? [UInt8](MessageAuthentication.newKey()), in: folder)
            } else {
                try findAgain(in: folder, for: packs, names.compactMap(PackID.init(fileName:)), given)
            }
        }
        let path = folder.path.appending(fileName)
        guard try folder.isPrivate(fileName) else {
            let detail = "Others can read the vault's key. Check who did, then chmod 600."
            throw VaultError(code: .notPrivate, path: path, detail: detail)
        }
        guard let key = try soundCopy(in: folder, fileName) else {
            let detail = "The vault's key is damaged. Put it back from a backup of this file."
            throw VaultError(code: .damaged, path: path, detail: detail)
        }
        return key
    }

    /// Puts the key back in its place where it is at hand: under its former name, or with who opens the vault.
    ///
    /// - Parameters:
    ///   - ids: The packs that there are; by them the key is known again.
    ///   - given: The key that another device's vault has.
    private static func findAgain(
        in folder: StorageFolder,
        for packs: StorageFolder,
        _ ids: [PackID],
        _ given: [UInt8]?
    ) throws {
        if let former = try soundCopy(in: folder, formerFileName), try fits(former, packs, ids) {
            do { try folder.move(formerFileName, toFree: fileName) } catch {
                // Somebody else has just put it back.
                guard error.isTaken || error.isAbsent else { throw error }
            }
            return try folder.sync()
        }
        if let given, try fits(given, packs, ids) { return try make(given, in: folder) }
        // Who opened the vault in this moment may have made both, the key first.
        guard try folder.status(of: fileName) == nil else { return }
        let detail = "The vault's key is gone. Put it back from a backup; packs stay as they are until then."
        throw VaultError(code: .damaged, path: folder.path.appending(fileName), detail: detail)
    }

    /// Whether packs were written with a key, as far as any of them has a header to tell by.
    private static func fits(_ key: [UInt8], _ packs: StorageFolder, _ ids: [PackID]) throws -> Bool {
        let hasher = try VaultHasher(key: key)
        var isRefuted = false
        for id in ids {
            let header = try packs.open(id.fileName).read(at: 0, byteCount: PackFormat.headerByteCount)
            guard header.count == PackFormat.headerByteCount else { continue }
            if try header == hasher.packHeader(id) { return true }
            isRefuted = true
        }
        return !isRefuted
    }

    /// Whether the file is there with both copies whole and the same, and nothing else is in it.
    static func isWhole(in folder: StorageFolder) throws -> Bool {
        guard let byteCount = try folder.status(of: fileName)?.stamp.byteCount else { return false }
        let copies = try copies(in: folder, fileName)
        return copies[0] != nil && copies[0] == copies[1] && byteCount == Int64(2 * copyByteCount)
    }

    /// Writes the file anew, with two whole copies.
    ///
    /// Whoever looks finds the old file or the new one in its place, after a crash or a power cut too.
    ///
    /// - Throws: `SystemError`, `CryptographyError`; the key is where it was then.
    static func rewrite(_ key: [UInt8], in folder: StorageFolder) throws {
        guard try folder.status(of: fileName) != nil else { return try make(key, in: folder) }
        let own = try write(key, in: folder)
        let replacement = ItemReplacement(
            of: folder.path.appending(fileName),
            by: folder.path.appending(own),
            leavesAttributes: true
        )
        do { try replacement.perform() } catch {
            // The first error is what the caller must know; a file that cannot be removed stays behind.
            try? folder.remove(own)
            throw error
        }
    }

    /// The first whole copy in a file; nil when there is none, or no file.
    private static func soundCopy(in folder: StorageFolder, _ name: String) throws -> [UInt8]? {
        do { return try copies(in: folder, name).compactMap { $0 }.first } catch let error as SystemError
            where error.isAbsent
        {
            return nil
        }
    }

    private static func copies(in folder: StorageFolder, _ name: String) throws -> [[UInt8]?] {
        let bytes = try folder.open(name).read(at: 0, byteCount: 2 * copyByteCount)
        return try [0, copyByteCount].map { start in
            guard bytes.count >= start + copyByteCount else { return nil }
            let copy = Array(bytes[start..<start + copyByteCount])
            let key = Array(copy[magic.count..<magic.count + MessageAuthentication.keyByteCount])
            return try encode(key) == copy ? key : nil
        }
    }

    private static func encode(_ key: [UInt8]) throws -> [UInt8] {
        magic + key + [UInt8](try MessageAuthentication.code(of: Data(magic), key: Data(key))).prefix(8)
    }

    private static func make(_ key: [UInt8], in folder: StorageFolder) throws {
        let own = try write(key, in: folder)
        do { try folder.move(own, toFree: fileName) } catch {
            try folder.remove(own)
            guard error.isTaken else { throw error }
        }
        try folder.sync()
    }

    /// Writes a key into a file of its own, durably.
    ///
    /// - Returns: The file's name.
    private static func write(_ key: [UInt8], in folder: StorageFolder) throws -> String {
        let own = "\(fileName).\(UUID().uuidString)"
        let file = try folder.create(own)
        do {
            let copy = try encode(key)
            try (copy + copy).withUnsafeBytes { bytes throws in try file.append(bytes) }
            try file.sync()
        } catch {
            // The first error is what the caller must know; a file that cannot be removed stays behind.
            try? folder.remove(own)
            throw error
        }
        return own
    }
}

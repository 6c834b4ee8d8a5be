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

    /// The key in a folder, made at its first use.
    ///
    /// It appears whole, under its name, or not at all.
    ///
    /// - Parameter given: The key to use when there is none yet; nil for a new one.
    /// - Throws: `VaultError` with code `notPrivate` when others can read it, `damaged` when no copy is whole.
    static func load(from folder: StorageFolder, orMake given: [UInt8]?) throws -> [UInt8] {
        if try folder.status(of: fileName) == nil {
            precondition(
                given.map { $0.count == MessageAuthentication.keyByteCount } ?? true,
                "a vault's key has \(MessageAuthentication.keyByteCount) bytes"
            )
            try make(try given ?? [UInt8](MessageAuthentication.newKey()), in: folder)
        }
        let path = folder.path.appending(fileName)
        guard try folder.isPrivate(fileName) else {
            let detail = "Others can read the vault's key. Check who did, then chmod 600."
            throw VaultError(code: .notPrivate, path: path, detail: detail)
        }
        guard let key = try copies(in: folder).compactMap({ $0 }).first else {
            let detail = "The vault's key is damaged. Put it back from a backup of this file."
            throw VaultError(code: .damaged, path: path, detail: detail)
        }
        return key
    }

    /// Whether both copies are whole and the same, and nothing else is in the file.
    static func isWhole(in folder: StorageFolder) throws -> Bool {
        let copies = try copies(in: folder)
        let byteCount = try folder.status(of: fileName)?.stamp.byteCount
        return copies[0] != nil && copies[0] == copies[1] && byteCount == Int64(2 * copyByteCount)
    }

    /// Writes the file anew, with two whole copies.
    static func rewrite(_ key: [UInt8], in folder: StorageFolder) throws {
        try folder.remove(fileName + ".old")
        try folder.move(fileName, toFree: fileName + ".old")
        try make(key, in: folder)
        try folder.remove(fileName + ".old")
    }

    private static func copies(in folder: StorageFolder) throws -> [[UInt8]?] {
        let bytes = try folder.open(fileName).read(at: 0, byteCount: 2 * copyByteCount)
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
        let own = "\(fileName).\(UUID().uuidString)"
        let file = try folder.create(own)
        let copy = try encode(key)
        try (copy + copy).withUnsafeBytes { bytes throws in try file.append(bytes) }
        try file.sync()
        do { try folder.move(own, toFree: fileName) } catch {
            try folder.remove(own)
            guard error.isTaken else { throw error }
        }
        try folder.sync()
    }
}

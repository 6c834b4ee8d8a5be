internal import Cryptography
internal import FileSystem
internal import Foundation
internal import KeyValues

/// The file of a key-value store, which several processes and the sync engine write: each reads what is there, adds its
/// own, and puts the outcome in place only if that is still what it read.
struct KeyValueFile: Sendable {
    let path: FilePath
    private let container: String?
    /// A file that others replace all the time is left alone after so many attempts.
    private static let attemptCountMax = 20

    init(_ settings: KeyValueSettings) {
        path = (settings.folder ?? FilePath("/nonexistent")).appending(settings.fileName)
        container = settings.container
    }

    /// What is there; nil when nothing is.
    ///
    /// - Throws: `KeyValueError` for what is no such file, `SystemError`.
    func load() throws -> KeyValueState? {
        guard let stamp = try FileStamp.ifPresent(at: path) else { return nil }
        guard stamp.kind == .regular, stamp.byteCount <= KeyValueState.fileByteCountMax else {
            throw SystemError(call: "read", errno: EFBIG, path: path)
        }
        return try KeyValueState(encoded: [UInt8](try FileReading.contents(of: path)))
    }

    /// Makes the file and a state one. Both have all that either had, on stable storage, when this returns.
    ///
    /// A damaged file is put aside under another name.
    ///
    /// - Returns: The state that is in the file now.
    /// - Throws: `KeyValueError` for a file of a later version, which is left as it is; `SystemError`.
    func join(_ state: KeyValueState) throws -> KeyValueState {
        try makePlace()
        for _ in 0..<Self.attemptCountMax {
            let stamp = try FileStamp.ifPresent(at: path)
            var joined = KeyValueState()
            do { joined = try load() ?? KeyValueState() } catch let error as KeyValueError {
                guard error.code == .malformed else { throw error }
                try putAside(error)
                continue
            }
            let found = joined
            joined.merge(state)
            if joined == found, stamp != nil || found == KeyValueState() { return joined }
            if try write(joined, over: stamp) { return joined }
        }
        throw SystemError(call: "rename", errno: EBUSY, path: path)
    }

    // MARK: In a container

    /// Makes the folder, and in a container also the file: both are to be the same items on all devices, whichever made
    /// them first, so they bear marks that all devices give them.
    func makePlace() throws {
        guard let container else {
            try ItemMoves.createFolders(path.parent, permissions: 0o700)
            return
        }
        if try FileStamp.ifPresent(at: path.parent) == nil {
            try make(path.parent, in: container) { try ItemMoves.createFolder($0, permissions: 0o700) }
        }
        if try FileStamp.ifPresent(at: path) == nil {
            let empty = Data(KeyValueState().encoded)
            try make(path, in: container) { try ItemMoves.createFile($0, contents: empty) }
        }
    }

    /// Makes something under a name that is not synced, and moves it to its own when it bears its mark.
    private func make(_ place: FilePath, in container: String, _ body: (FilePath) throws -> Void) throws {
        let made = place.parent.appending(".sheaf-keyvalues-\(UUID().uuidString)")
        try body(made)
        let digest = try SHA256Digest.hash(of: [Array("sheaf \(container) \(place.name)".utf8)])
        if let mark = FileMark(bytes: digest.prefix(16)) {
            _ = try FileIdentity.marking(made, with: mark, isForeign: { _ in true })
        }
        do { try ItemMoves.move(made, toFree: place) } catch {
            // Another process was faster, or another device's has come.
            guard error.errno == EEXIST || error.errno == ENOTEMPTY else { throw error }
            try FileManager.default.removeItem(at: made.url(isDirectory: false))
        }
    }

    /// - Returns: Whether the file was still what it was; if not, nothing was written.
    private func write(_ state: KeyValueState, over stamp: FileStamp?) throws(SystemError) -> Bool {
        let path = path
        let save = try StagedSave(item: path, followsSymbolicLink: false)
        save.beforeSwap = { () throws(SystemError) in
            guard try FileStamp.ifPresent(at: path) == stamp else {
                throw SystemError(call: "rename", errno: EAGAIN, path: path)
            }
        }
        do throws(SystemError) {
            try save.write(Data(state.encoded))
            _ = try save.commit(MemberAttributes(permissions: 0o600))
            return true
        } catch {
            guard error.errno == EAGAIN else { throw error }
            return false
        }
    }

    private func putAside(_ error: KeyValueError) throws {
        let aside = FilePath(path.string + ".damaged-" + UUID().uuidString.prefix(8))
        do { try ItemMoves.move(path, toFree: aside) } catch {
            // Another process was faster.
            guard error.errno == ENOENT else { throw error }
            return
        }
        KeyValueCore.warn("\(error.detail) It is kept as \(aside).")
    }
}

internal import FileSystem
internal import Foundation
internal import KeyValues

/// The file of a key-value store, which several processes and the sync engine write: each reads what is there, adds its
/// own, and puts the outcome in place only if that is still what it read.
struct KeyValueFile: Sendable {
    let path: FilePath
    /// A file that others replace all the time is left alone after so many attempts.
    private static let attemptCountMax = 20

    init(_ settings: KeyValueSettings) {
        path = (settings.folder ?? FilePath("/nonexistent")).appending(settings.fileName)
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
        try ItemMoves.createFolders(path.parent, permissions: 0o700)
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

internal import Cryptography
package import FileSystem
internal import Foundation
internal import KeyValues

/// The file of a key-value store, which several processes and the sync engine write: each reads what is there, adds its
/// own, and puts the outcome in place only if that is still what it read.
package struct KeyValueFile: Sendable {
    let path: FilePath
    private let container: String?
    /// A file that others replace all the time is left alone after so many attempts.
    private static let attemptCountMax = 20

    init(_ settings: KeyValueSettings) {
        path = (settings.folder ?? FilePath("/nonexistent")).appending(settings.fileName)
        // What waits for its folder is this device's own until then.
        container = settings.isAway ? nil : settings.container
    }

    /// A file of a container that is there.
    package init(at path: FilePath) { (self.path, container) = (path, nil) }

    /// Adds what another file of the store has, as the store's processes do.
    ///
    /// - Returns: Whether something of it was lacking.
    /// - Throws: `KeyValueError` when one of the two is no such file; `SystemError`.
    package func add(_ other: FilePath) throws -> Bool {
        guard let own = try load(), let other = try Self.load(other) else { return false }
        var both = own
        both.merge(other)
        guard both != own else { return false }
        _ = try join(other)
        return true
    }

    /// What is there; nil when nothing is.
    ///
    /// - Throws: `KeyValueError` for what is no such file, `SystemError`.
    func load() throws -> KeyValueState? { try Self.load(path) }

    private static func load(_ path: FilePath) throws -> KeyValueState? {
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
    /// - Parameter values: Gives the state, for what the file has.
    /// - Returns: The state that is in the file now.
    /// - Throws: `KeyValueError` for a file of a later version, which is left as it is; `SystemError`.
    func join(_ values: (KeyValueState) -> KeyValueState) throws -> KeyValueState {
        try makePlace()
        var displaced = KeyValueState()
        for _ in 0..<Self.attemptCountMax {
            let stamp = try FileStamp.ifPresent(at: path)
            var joined = KeyValueState()
            do { joined = try load() ?? KeyValueState() } catch let error as KeyValueError {
                guard error.code == .malformed else { throw error }
                try putAside(error)
                continue
            }
            let found = joined
            joined.merge(values(found))
            joined.merge(displaced)
            if joined == found, stamp != nil || found == KeyValueState() { return joined }
            guard let replaced = try write(joined, over: stamp, found) else { continue }
            if replaced == found { return joined }
            // Read by nobody here, and not in the file any more.
            displaced.merge(replaced)
        }
        throw SystemError(call: "rename", errno: EBUSY, path: path)
    }

    func join(_ state: KeyValueState) throws -> KeyValueState { try join { _ in state } }

    // MARK: What is to be in the container's file

    /// What was written where the container's file is not: while its folder was not there, or before something was joined.
    struct Waiting {
        let values: KeyValueState
        fileprivate let file: KeyValueFile
        fileprivate let stamp: FileStamp?

        /// Removes the file, now that all of it is where it belongs.
        ///
        /// Where that fails, or another process has written to it meanwhile, it is merged once more: then it changes nothing, or has
        /// that process's.
        func remove() {
            guard let now = try? FileStamp.ifPresent(at: file.path), now == stamp else { return }
            try? ItemMoves.removeFile(file.path)
        }

        /// Gives the file another name, now that all of it is where it belongs: the account's values may have taken the place of some.
        ///
        /// Where that fails, or another process has written to it meanwhile, it is merged once more: that changes nothing, or has that
        /// process's.
        func putAside() {
            guard let now = try? FileStamp.ifPresent(at: file.path), now == stamp else { return }
            let aside = file.freePlace("joined")
            guard (try? ItemMoves.move(file.path, toFree: aside)) != nil else { return }
            if let moved = try? FileStamp.ifPresent(at: aside), moved != stamp {
                // In that instant. Whoever has written it has another one in place, or this one is again.
                try? ItemMoves.move(aside, toFree: file.path)
            }
        }
    }

    /// What has waited for the folder that a store is in now; nil for nothing.
    static func waiting(for settings: KeyValueSettings) throws -> Waiting? {
        try settings.waiting.flatMap(undamaged)
    }

    /// What this device's own store has of before something was joined; nil for nothing.
    static func own(before settings: KeyValueSettings) throws -> Waiting? {
        try settings.own.flatMap(undamaged)
    }

    private static func undamaged(_ settings: KeyValueSettings) throws -> Waiting? {
        let file = KeyValueFile(settings)
        let stamp = try FileStamp.ifPresent(at: file.path)
        do {
            return try file.load().map { Waiting(values: $0, file: file, stamp: stamp) }
        } catch let error as KeyValueError {
            guard error.code == .malformed else { throw error }
            try file.putAside(error)
            return nil
        }
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

    /// Other saves of the file are waited for until this one is in place; who replaces it in another way can be faster still.
    ///
    /// - Returns: What the file has taken the place of; nil when it was not what it was any more, and nothing was written.
    private func write(
        _ state: KeyValueState,
        over stamp: FileStamp?,
        _ found: KeyValueState
    ) throws -> KeyValueState? {
        let path = path
        let save = try StagedSave(item: path, followsSymbolicLink: false)
        save.beforeSwap = { () throws(SystemError) in
            guard try FileStamp.ifPresent(at: path) == stamp else {
                throw SystemError(call: "rename", errno: EAGAIN, path: path)
            }
        }
        // What is no store's file has nothing that could be merged.
        var displaced = found
        save.didReplace = { _, place in displaced = (try? Self.load(place)) ?? nil ?? found }
        do throws(SystemError) {
            try save.write(Data(state.encoded))
            _ = try save.commit(MemberAttributes(permissions: 0o600))
            return displaced
        } catch {
            guard error.errno == EAGAIN else { throw error }
            return nil
        }
    }

    private func putAside(_ error: KeyValueError) throws {
        let aside = freePlace("damaged")
        do { try ItemMoves.move(path, toFree: aside) } catch {
            // Another process was faster.
            guard error.errno == ENOENT else { throw error }
            return
        }
        KeyValueCore.warn("\(error.detail) It is kept as \(aside).")
    }

    private func freePlace(_ reason: String) -> FilePath {
        FilePath(path.string + ".\(reason)-" + UUID().uuidString.prefix(8))
    }
}

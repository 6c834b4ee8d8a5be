internal import FileSystem
internal import Foundation
internal import Locks
internal import SQLite

/// The disk of a make-believe device: some folders of this machine's, in which there is room, or none, and which may fail.
///
/// State: one struct under one lock. The kernel's calls and SQLite's are seen for the whole process, while something is wrong
/// with the disk, and told by their paths.
final class WorldDisk: SystemCallObserver, SQLiteCallJudge {
    private struct State {
        var isFull = false
        var faults: [Fault] = []
        var crash = Crash.none
        var isWrong: Bool { isFull || !faults.isEmpty || crash.isDue }
    }

    /// That the device to which it belongs crashes.
    private enum Crash {
        case none
        /// After so many more writes; then that is told.
        case due(writeCount: Int, then: @Sendable () -> Void)
        /// Nothing is written any more.
        case done

        var isDue: Bool { if case .none = self { false } else { true } }
        var isDone: Bool { if case .done = self { true } else { false } }
    }

    private struct Fault {
        /// The path of what it is about, with all that is in it; nil for the whole disk.
        let path: String?
        let access: WorldDevice.DiskAccess
    }

    private let folders: [String]
    private let state = Locked(State())

    /// - Parameter folders: What is on it, by paths without a link on their way.
    init(_ folders: [URL]) { self.folders = folders.map(\.path) }

    /// - Throws: Where SQLite's writes cannot be refused.
    func fill() throws { try change { $0.isFull = true } }

    /// - Throws: As `fill`.
    func breakDown(_ access: WorldDevice.DiskAccess, at path: String?) throws {
        try change { $0.faults.append(Fault(path: path, access: access)) }
    }

    /// Takes so many more writes, and then none.
    ///
    /// A disk that takes none any more takes none after it either.
    ///
    /// - Parameter then: Called at once as that is so, by who wants to write then; by this, where it is none.
    /// - Throws: As `fill`.
    func crash(afterWrites count: Int, then: @escaping @Sendable () -> Void) throws {
        var hasCrashed = false
        try change { state in
            hasCrashed = state.crash.isDone
            if !hasCrashed { state.crash = count == 0 ? .done : .due(writeCount: count, then: then) }
        }
        if count == 0, !hasCrashed { then() }
    }

    /// Ends `crash`, whether it has come or not.
    func start() { ease { $0.crash = .none } }

    var isCrashDue: Bool { state.withLock { $0.crash.isDue } }
    var hasCrashed: Bool { state.withLock { $0.crash.isDone } }

    func free() { ease { $0.isFull = false } }

    func mend() { ease { $0.faults = [] } }

    /// Whether something on it cannot be read.
    var isUnreadable: Bool { state.withLock { $0.faults.contains { $0.access.contains(.reading) } } }

    private func change(_ body: (inout State) -> Void) throws {
        let former = state.withLock { state in
            defer { body(&state) }
            return state
        }
        guard !former.isWrong else { return }
        do { try SQLiteVolumes.add(self) } catch {
            state.withLock { $0 = former }
            throw error
        }
        SystemCallObservation.add(self)
    }

    private func ease(_ body: (inout State) -> Void) {
        let isRightAgain = state.withLock { state in
            let wasWrong = state.isWrong
            body(&state)
            return wasWrong && !state.isWrong
        }
        guard isRightAgain else { return }
        SystemCallObservation.remove(self)
        SQLiteVolumes.remove(self)
    }

    private func has(_ path: String) -> Bool {
        folders.contains { Self.isInside(path, $0) }
    }

    private static func isInside(_ path: String, _ folder: String) -> Bool {
        path.isSameInBytes(folder) || path.following(folder + "/") != nil
    }

    // MARK: What is refused

    func judge(readOf path: String) -> CInt { fails(.reading, path) ? EIO : 0 }

    func judge(writeTo path: String) -> CInt {
        if fails(.writing, path) { return EIO }
        if isFull, has(path) { return ENOSPC }
        return isCrashed(beforeWriteTo: [path]) ? EIO : 0
    }

    func willMake(_ call: SystemCall) -> CInt {
        let path = call.path.string
        guard call.effect.isMutating else { return readsDisk(call) && fails(.reading, path) ? EIO : 0 }
        // What leaves this disk, or a place on it that fails, changes it as much as what comes to it.
        let places = [call.source?.string, path].compactMap(\.self)
        if places.contains(where: { fails(.writing, $0) }) { return EIO }
        if isFull, takesRoom(call), has(path) { return ENOSPC }
        return isCrashed(beforeWriteTo: places) ? EIO : 0
    }

    func didMake(_ call: SystemCall) {}

    private var isFull: Bool { state.withLock { $0.isFull } }

    private func fails(_ access: WorldDevice.DiskAccess, _ path: String) -> Bool {
        let faults = state.withLock { $0.faults }.filter { $0.access.contains(access) }
        guard !faults.isEmpty, has(path) else { return false }
        return faults.contains { $0.path.map { Self.isInside(path, $0) } ?? true }
    }

    /// Counts a write that is about to be done: one, be it to two places.
    ///
    /// - Returns: Whether the device has crashed before it.
    private func isCrashed(beforeWriteTo places: [String]) -> Bool {
        guard isCrashDue, places.contains(where: has) else { return false }
        let (isCrashed, then) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            switch state.crash {
            case .none: return (false, nil)
            case .done: return (true, nil)
            case .due(let count, let then) where count == 0:
                state.crash = .done
                return (true, then)
            case .due(let count, let then):
                state.crash = .due(writeCount: count - 1, then: then)
                return (false, nil)
            }
        }
        then?()
        return isCrashed
    }

    /// Whether a call that changes nothing has to look at the disk: what is about an open file's inode, a lock or a watch, the
    /// kernel has in its memory.
    private func readsDisk(_ call: SystemCall) -> Bool {
        !["fstat", "fstatfs", "flock"].contains(call.name)
            && !["inotify_", "fanotify_"].contains { call.name.hasPrefix($0) }
    }

    private func takesRoom(_ call: SystemCall) -> Bool {
        switch call.effect {
        case .createFile(let folder, let name), .createFolder(let folder, let name),
            .createSymbolicLink(let folder, let name, _), .link(_, _, let folder, let name):
            // The kernel looks whether the name is free before it looks for room.
            !Self.isTaken(name, in: folder)
        case .write, .copy: true
        // Cutting bytes off gives room back.
        case .change: call.name != "ftruncate"
        // Bytes that others wrote by other ways, such as Data's own: a volume that puts off finding room for them says so
        // when they are to last.
        case .sync(let file): Self.isRegularFile(file)
        case .syncVolume: true
        // A rename takes the other's room; permissions, times and marks have theirs in the inode.
        case .none, .read, .remove, .rename, .setAttributes: false
        }
    }

    private static func isTaken(_ name: String, in folder: CInt) -> Bool {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    private static func isRegularFile(_ file: CInt) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

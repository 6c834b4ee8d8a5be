package import FileSystem
internal import Foundation
internal import Locks

/// Lets a volume look as if it could not exchange names.
private func refusal(of call: SystemCall, refusesExchange: Bool) -> CInt {
    guard refusesExchange, case .rename(_, _, _, _, exchanges: true) = call.effect else { return 0 }
    return EINVAL
}

/// A volume, some folder of this machine's, whose rename knows no conditions, as NFS, sshfs and older versions of OpenZFS have it.
///
/// Seen for one thread, or for the whole process.
package final class PlainRenames: SystemCallObserver {
    private let folder: String
    private let refusesAll: Bool

    /// - Parameter refusesAll: Whether nothing can be renamed at all.
    package init(in folder: FilePath, refusesAll: Bool = false) {
        self.folder = folder.url(isDirectory: true).resolvingSymlinksInPath().path
        self.refusesAll = refusesAll
    }

    package func willMake(_ call: SystemCall) -> CInt {
        guard case .rename(_, _, _, _, let exchanges) = call.effect, call.path.string.hasPrefix(folder)
        else { return 0 }
        return refusesAll ? EACCES : exchanges || call.mustNotExist ? EINVAL : 0
    }

    package func didMake(_ call: SystemCall) {}
}

/// Kills the process before its nth call that changes the disk.
package final class Killer: SystemCallObserver {
    private let remainingCallCount: Locked<Int>
    private let refusesExchange: Bool

    /// - Parameter callNumber: Which call is not made any more, from 1.
    package init(callNumber: Int, refusesExchange: Bool) {
        remainingCallCount = Locked(callNumber)
        self.refusesExchange = refusesExchange
    }

    package func willMake(_ call: SystemCall) -> CInt {
        if call.effect.isMutating { pass() }
        return refusal(of: call, refusesExchange: refusesExchange)
    }

    /// Counts one call.
    package func pass() {
        let remaining = remainingCallCount.withLock { count -> Int in
            count -= 1
            return count
        }
        if remaining == 0 { kill(getpid(), SIGKILL) }
    }

    package func didMake(_ call: SystemCall) {}
}

/// Fails the nth call, of any kind.
package final class FaultInjector: SystemCallObserver {
    private struct State {
        var callCount = 0
        var failed: SystemCall?
    }

    private let state = Locked(State())
    private let callNumber: Int
    private let code: CInt
    private let refusesExchange: Bool

    /// - Parameters:
    ///   - callNumber: Which call fails, from 1; 0 for none.
    ///   - code: The errno it fails with.
    package init(callNumber: Int, errno code: CInt, refusesExchange: Bool = false) {
        self.callNumber = callNumber
        self.code = code
        self.refusesExchange = refusesExchange
    }

    package func willMake(_ call: SystemCall) -> CInt {
        let isDue = state.withLock { state -> Bool in
            state.callCount += 1
            if state.callCount == callNumber { state.failed = call }
            return state.callCount == callNumber
        }
        return isDue ? code : refusal(of: call, refusesExchange: refusesExchange)
    }

    package func didMake(_ call: SystemCall) {}

    /// The call that was failed; nil when there were not so many.
    package var failed: SystemCall? { state.withLock { $0.failed } }
    /// How many calls there were.
    package var callCount: Int { state.withLock { $0.callCount } }
}

/// Writes down every change of a folder, by the identity of what is changed, to replay parts of it.
package final class CallRecorder: SystemCallObserver {
    private struct State {
        var operations: [DiskOperation] = []
        /// What a call is about to move, asked for before it is moved.
        var moving: (source: NodeID?, target: NodeID?) = (nil, nil)
    }

    private let state = Locked(State())
    private let refusesExchange: Bool

    package init(refusesExchange: Bool) {
        self.refusesExchange = refusesExchange
    }

    /// What has been written down.
    package var operations: [DiskOperation] { state.withLock { $0.operations } }

    /// Writes down that the commit has returned.
    package func didCommit() { add(.commit) }

    private func add(_ operation: DiskOperation) { state.withLock { $0.operations.append(operation) } }

    package func willMake(_ call: SystemCall) -> CInt {
        if case .rename(let sourceFolder, let source, let targetFolder, let target, _) = call.effect {
            let moving = (NodeID(source, in: sourceFolder), NodeID(target, in: targetFolder))
            state.withLock { $0.moving = moving }
        }
        return refusal(of: call, refusesExchange: refusesExchange)
    }

    package func didMake(_ call: SystemCall) {
        switch call.effect {
        case .none, .read, .setAttributes: break
        case .createFile(let folder, let name): addEntry(folder, name, .file(Data()))
        case .createFolder(let folder, let name): addEntry(folder, name, .folder)
        case .createSymbolicLink(let folder, let name, let text): addEntry(folder, name, .link(text))
        case .link(AT_FDCWD, _, let folder, let name):
            // An open file of somebody else's: nobody saw how its bytes came there, or whether they last.
            addEntry(folder, name, .file(Data()))
            guard let node = NodeID(name, in: folder), let bytes = contents(of: name, in: folder) else {
                return
            }
            add(.replaceContents(node, bytes))
        case .link(_, _, let folder, let name): addEntry(folder, name, nil)
        case .remove(let folder, let name):
            guard let folder = NodeID(fd: folder) else { return }
            add(.entries(syncedBy: [folder], [DirectoryEntry(folder, name): NodeID?.none]))
        case .rename(let sourceFolder, let source, let targetFolder, let target, let exchanges):
            addRename((sourceFolder, source), (targetFolder, target), exchanges: exchanges)
        case .write(let file, let bytes):
            guard let node = NodeID(fd: file) else { return }
            add(.append(node, bytes))
        case .copy(let file), .change(let file):
            guard let node = NodeID(fd: file), let bytes = contents(fd: file) else { return }
            add(.replaceContents(node, bytes))
        case .sync(let file):
            guard let node = NodeID(fd: file) else { return }
            add(.sync(node))
        case .syncVolume: add(.syncAll)
        }
    }

    private func addEntry(_ folder: CInt, _ name: String, _ new: DiskNode?) {
        guard let node = NodeID(name, in: folder), let folder = NodeID(fd: folder) else { return }
        if let new { add(.make(node, new)) }
        add(.entries(syncedBy: [folder], [DirectoryEntry(folder, name): node]))
    }

    private func addRename(
        _ source: (folder: CInt, name: String),
        _ target: (folder: CInt, name: String),
        exchanges: Bool
    ) {
        guard let sourceFolder = NodeID(fd: source.folder), let targetFolder = NodeID(fd: target.folder)
        else {
            return
        }
        let moving = state.withLock { $0.moving }
        // Renaming one link of a file onto another does nothing, rename(2).
        if moving.source == moving.target { return }
        // A rename lasts from the sync of the folder it leads to; for an exchange we ask for both.
        add(
            .entries(
                syncedBy: exchanges ? [sourceFolder, targetFolder] : [targetFolder],
                [
                    DirectoryEntry(sourceFolder, source.name): exchanges ? moving.target : nil,
                    DirectoryEntry(targetFolder, target.name): moving.source,
                ]
            )
        )
    }

    private func contents(of name: String, in folder: CInt) -> Data? {
        FileManager.default.contents(atPath: "/proc/self/fd/\(folder)/\(name)")
    }

    private func contents(fd: CInt) -> Data? {
        FileManager.default.contents(atPath: "/proc/self/fd/\(fd)")
    }
}

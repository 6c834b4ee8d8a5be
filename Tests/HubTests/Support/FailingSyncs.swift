import FileSystem
import Foundation
import Locks

/// The volume of a hub, some folder of this machine's, that has lost what was written to its segments, and tells that as the
/// kernel does: each descriptor that a segment is synced by, once.
///
/// The kernel's calls are seen for the whole process, until `end`, and told by their paths.
final class FailingSyncs: SystemCallObserver {
    private struct State {
        var isFailing = false
        var told: Set<CInt> = []
    }

    private let folder: String
    private let state = Locked(State())

    init(_ folder: FilePath) {
        self.folder = folder.url(isDirectory: true).resolvingSymlinksInPath().path
        SystemCallObservation.add(self)
    }

    /// From now on what was written is lost; or what will be is not.
    func fail(_ isFailing: Bool) { state.withLock { $0 = State(isFailing: isFailing) } }

    func end() { SystemCallObservation.remove(self) }

    func willMake(_ call: SystemCall) -> CInt {
        guard case .sync(let file) = call.effect, call.path.string.hasPrefix(folder),
            call.path.string.hasSuffix(".segment")
        else { return 0 }
        return state.withLock { state in
            guard state.isFailing else { return 0 }
            return state.told.insert(file).inserted ? EIO : 0
        }
    }

    func didMake(_ call: SystemCall) {}
}

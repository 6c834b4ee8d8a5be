import FileSystem
import Foundation
import Locks

/// The volume of a hub, some folder of this machine's, of whose segments some bytes cannot be read.
///
/// The kernel's calls are seen for the whole process, until `end`, and told by their paths.
final class FailingReads: SystemCallObserver {
    private struct State {
        var bytes = 0..<0
        var reason: CInt = 0
    }

    private let folder: String
    private let state = Locked(State())

    init(_ folder: FilePath) {
        self.folder = folder.url(isDirectory: true).resolvingSymlinksInPath().path
        SystemCallObservation.add(self)
    }

    /// Refuses from now on to read any of these bytes of a segment.
    func refuse(_ bytes: Range<Int>, _ reason: CInt) {
        state.withLock { $0 = State(bytes: bytes, reason: reason) }
    }

    func end() { SystemCallObservation.remove(self) }

    func willMake(_ call: SystemCall) -> CInt {
        guard case .read(let bytes) = call.effect, call.path.string.hasPrefix(folder),
            call.path.string.hasSuffix(".segment")
        else { return 0 }
        return state.withLock { $0.bytes.overlaps(bytes) ? $0.reason : 0 }
    }

    func didMake(_ call: SystemCall) {}
}

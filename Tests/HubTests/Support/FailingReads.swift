import FileSystem
import Foundation
import Locks

/// The volume of a hub, some folder of this machine's, of whose segments, or files of blobs, some bytes cannot be read.
///
/// The kernel's calls are seen for the whole process, until `end`, and told by their paths.
final class FailingReads: SystemCallObserver {
    private struct State {
        var bytes = 0..<0
        var reason: CInt = 0
        var suffix = ".segment"
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

    /// Refuses from now on to read any of these bytes of a blob's own file.
    func refuse(ofFiles bytes: Range<Int>, _ reason: CInt) {
        state.withLock { $0 = State(bytes: bytes, reason: reason, suffix: ".blob") }
    }

    func end() { SystemCallObservation.remove(self) }

    func willMake(_ call: SystemCall) -> CInt {
        guard case .read(let bytes) = call.effect, call.path.string.hasPrefix(folder) else { return 0 }
        return state.withLock { state in
            guard call.path.string.hasSuffix(state.suffix) else { return 0 }
            return state.bytes.overlaps(bytes) ? state.reason : 0
        }
    }

    func didMake(_ call: SystemCall) {}
}

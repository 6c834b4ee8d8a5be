import FileSystem
import Foundation
import Locks

/// A kernel that has no watch for a folder.
final class UnwatchedFolder: SystemCallObserver {
    private let place: String
    private let errno: Locked<CInt>

    init(_ folder: URL, _ errno: CInt) { (place, self.errno) = (folder.path, Locked(errno)) }

    func end() { errno.withLock { $0 = 0 } }

    func willMake(_ call: SystemCall) -> CInt {
        call.name.contains("notify_") && call.path.string == place ? errno.withLock { $0 } : 0
    }

    func didMake(_ call: SystemCall) {}
}

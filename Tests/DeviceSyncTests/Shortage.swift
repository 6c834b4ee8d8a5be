import FileSystem
import Foundation
import Locks

/// A disk on which there is room for anything but some files.
final class Shortage: SystemCallObserver {
    private let start: String
    private let refused = Locked(0)

    /// - Parameter start: How their paths begin.
    init(at start: String) { self.start = start }

    /// How many calls were refused.
    var refusalCount: Int { refused.withLock { $0 } }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.path.string.hasPrefix(start) else { return 0 }
        refused.withLock { $0 += 1 }
        return ENOSPC
    }

    func didMake(_ call: SystemCall) {}
}

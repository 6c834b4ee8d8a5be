import FileSystem
import Foundation
import Locks

/// A disk on which there is room for anything but some files, or that refuses these for another reason.
final class Shortage: SystemCallObserver {
    private let start: String
    private let errno: CInt
    private let refused = Locked(0)

    private let name: String?

    /// - Parameters:
    ///   - start: How their paths begin.
    ///   - name: The one call that is refused; nil for all.
    init(at start: String, _ errno: CInt = ENOSPC, _ name: String? = nil) {
        (self.start, self.errno, self.name) = (start, errno, name)
    }

    /// How many calls were refused.
    var refusalCount: Int { refused.withLock { $0 } }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.path.string.hasPrefix(start), name.map({ $0 == call.name }) ?? true else { return 0 }
        refused.withLock { $0 += 1 }
        return errno
    }

    func didMake(_ call: SystemCall) {}
}

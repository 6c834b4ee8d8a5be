import FileSystem
import Foundation
import Locks

/// Somebody who does something just before one of the calls that are made in a folder.
final class Intruder: SystemCallObserver {
    private let folder: String
    private let isMutating: Bool
    private let left: Locked<Int>
    private let act: @Sendable () -> Void

    /// - Parameters:
    ///   - number: So many calls are let through before.
    ///   - isMutating: Whether only those count that change something.
    ///   - act: Must make no call that is observed.
    init(in folder: URL, after number: Int, isMutating: Bool = false, _ act: @escaping @Sendable () -> Void) {
        (self.folder, self.isMutating, left, self.act) = (folder.path, isMutating, Locked(number), act)
    }

    var isDone: Bool { left.withLock { $0 < 0 } }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.path.string == folder || call.path.string.hasPrefix(folder + "/"),
            !isMutating || call.effect.isMutating
        else { return 0 }
        left.withLock { left in
            left -= 1
            if left == -1 { act() }
        }
        return 0
    }

    func didMake(_ call: SystemCall) {}
}

import FileSystem
import Glibc
import Locks

/// A disk that refuses, once, to write to a vault's packs or lent files.
struct FullOnce: SystemCallObserver {
    let call: String
    private let isDone = Locked(false)

    init(call: String) { self.call = call }

    var hasRefused: Bool { isDone.withLock { $0 } }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.name == self.call, call.path.string.contains("/packs/") else { return 0 }
        return isDone.withLock { isDone in
            defer { isDone = true }
            return isDone ? 0 : ENOSPC
        }
    }

    func didMake(_ call: SystemCall) {}
}

import FileSystem
import Locks

/// Some of the kernel's calls about a folder and what is in it, which it refuses.
final class RefusedCalls: SystemCallObserver {
    private let folder: FilePath
    private let names: Set<String>
    private let errno: CInt
    private let refused = Locked(0)

    /// How many it has refused.
    var count: Int { refused.withLock { $0 } }

    init(_ names: Set<String>, in folder: FilePath, _ errno: CInt) {
        (self.folder, self.names, self.errno) = (folder, names, errno)
    }

    /// Runs something meanwhile.
    func during<Value>(_ body: () throws -> Value) rethrows -> Value {
        SystemCallObservation.add(self)
        defer { SystemCallObservation.remove(self) }
        return try body()
    }

    func willMake(_ call: SystemCall) -> CInt {
        guard names.contains(call.name), call.path.isInside(folder) else { return 0 }
        refused.withLock { $0 += 1 }
        return errno
    }

    func didMake(_ call: SystemCall) {}
}

package import Foundation
internal import Synchronization

/// What one kernel call is about to do to the file system.
package enum SystemCallEffect: Sendable {
    /// Nothing that lasts: a read, a lock, an inquiry.
    case none
    case createFile(folder: CInt, name: String)
    case createFolder(folder: CInt, name: String)
    case createSymbolicLink(folder: CInt, name: String, text: String)
    case link(sourceFolder: CInt, source: String, targetFolder: CInt, target: String)
    case remove(folder: CInt, name: String)
    case rename(sourceFolder: CInt, source: String, targetFolder: CInt, target: String, exchanges: Bool)
    case write(file: CInt, bytes: Data)
    /// Bytes of another file are copied or cloned into this one.
    case copy(file: CInt)
    /// Bytes of this file are cut off, or written elsewhere than at its end.
    case change(file: CInt)
    /// Permissions, owner, times or extended attributes.
    case setAttributes(file: CInt)
    case sync(file: CInt)
    case syncVolume(file: CInt)

    /// Whether the state on disk can be another after the call.
    package var isMutating: Bool { if case .none = self { false } else { true } }
}

/// One kernel call as an observer sees it.
package struct SystemCall: Sendable {
    package var name: String
    package var path: FilePath
    package var effect: SystemCallEffect
}

/// Sees every kernel call of this target before it is made and after it succeeded, and can refuse it.
///
/// Tests and harnesses are built on it. It is called on the thread that makes the call, which may hold locks;
/// it must make no call of this target.
package protocol SystemCallObserver: Sendable {
    /// Before the call.
    ///
    /// - Returns: 0 to let the call happen, or the errno to fail it with instead.
    func willMake(_ call: SystemCall) -> CInt
    /// After the call succeeded.
    func didMake(_ call: SystemCall)
}

/// Where observers are put in.
///
/// Costs one branch per call while there is none in the process.
package enum SystemCallObservation {
    private static let observerCount = Atomic<Int>(0)
    @TaskLocal private static var taskObserver: (any SystemCallObserver)?

    /// Shows all calls that `body` makes on this thread to an observer.
    package static func withObserver<Value>(
        _ observer: any SystemCallObserver,
        _ body: () throws -> Value
    ) rethrows -> Value {
        observerCount.add(1, ordering: .sequentiallyConsistent)
        defer { observerCount.subtract(1, ordering: .sequentiallyConsistent) }
        return try $taskObserver.withValue(observer, operation: body)
    }

    /// The observer for calls made here and now.
    static var current: (any SystemCallObserver)? {
        observerCount.load(ordering: .relaxed) == 0 ? nil : taskObserver
    }
}

package import Foundation
internal import Locks
internal import Synchronization

/// What one kernel call is about to do to the file system.
package enum SystemCallEffect: Sendable {
    /// Nothing that lasts: a read, a lock, an inquiry.
    case none
    /// As `none`: these bytes of a file are read.
    case read(Range<Int>)
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
    /// Permissions, owner, times or extended attributes; of no open file where only the item's place was given.
    case setAttributes(file: CInt?)
    case sync(file: CInt)
    case syncVolume(file: CInt)

    /// Whether the state on disk can be another after the call.
    package var isMutating: Bool {
        switch self {
        case .none, .read: false
        default: true
        }
    }
}

/// One kernel call as an observer sees it.
package struct SystemCall: Sendable {
    package var name: String
    /// What it is about: of a rename and a link, where the item comes to be.
    package var path: FilePath
    /// Of a rename and a link: where the item is before. Nil for all else, and for a file that has no place yet.
    package var source: FilePath?
    package var effect: SystemCallEffect
    /// Of a rename: whether it is refused where the new name is taken, which not every volume knows how to do.
    package var mustNotExist = false
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

/// Where observers are put in: for one thread, or for the whole process.
///
/// Costs one branch per call while there is none in the process.
package enum SystemCallObservation {
    private static let observerCount = Atomic<Int>(0)
    @TaskLocal private static var taskObserver: (any SystemCallObserver)?
    /// Those that see the calls of all threads.
    private static let processObservers = Locked<[any SystemCallObserver & AnyObject]>([])

    /// Shows all calls that `body` makes on this thread to an observer.
    package static func withObserver<Value>(
        _ observer: any SystemCallObserver,
        _ body: () throws -> Value
    ) rethrows -> Value {
        observerCount.add(1, ordering: .sequentiallyConsistent)
        defer { observerCount.subtract(1, ordering: .sequentiallyConsistent) }
        return try $taskObserver.withValue(observer, operation: body)
    }

    /// Shows all calls that any thread makes from now on to an observer, until `remove`.
    ///
    /// It sees those of others too, who know nothing of it: it is to tell by their paths which are meant. It is called on many
    /// threads at once.
    package static func add(_ observer: any SystemCallObserver & AnyObject) {
        processObservers.withLock { $0.append(observer) }
        observerCount.add(1, ordering: .sequentiallyConsistent)
    }

    /// Ends `add`. Calls that are under way may still be shown.
    package static func remove(_ observer: any SystemCallObserver & AnyObject) {
        let count = processObservers.withLock { observers in
            let before = observers.count
            observers.removeAll { $0 === observer }
            return before - observers.count
        }
        observerCount.subtract(count, ordering: .sequentiallyConsistent)
    }

    /// The observer for calls made here and now.
    static var current: (any SystemCallObserver)? {
        guard observerCount.load(ordering: .relaxed) != 0 else { return nil }
        let everywhere = processObservers.withLock { $0 }
        guard !everywhere.isEmpty else { return taskObserver }
        return SeveralObservers(all: (taskObserver.map { [$0] } ?? []) + everywhere)
    }

    /// The observer of this thread's calls alone.
    static var ofThisThread: (any SystemCallObserver)? {
        observerCount.load(ordering: .relaxed) == 0 ? nil : taskObserver
    }
}

/// Observers of the same call, the thread's own first.
private struct SeveralObservers: SystemCallObserver {
    let all: [any SystemCallObserver]

    func willMake(_ call: SystemCall) -> CInt {
        for observer in all {
            let refusal = observer.willMake(call)
            if refusal != 0 { return refusal }
        }
        return 0
    }

    func didMake(_ call: SystemCall) {
        for observer in all { observer.didMake(call) }
    }
}

internal import Dispatch
internal import Locks

/// A value that one thread makes and others wait for.
final class Promised<Value: Sendable>: Sendable {
    private let result = Locked<Result<Value, any Error>?>(nil)
    private let isKept = DispatchSemaphore(value: 0)

    /// Keeps the promise, once; the second time nothing happens.
    func keep(_ make: () throws -> Value) {
        let made = Result { try make() }
        let isFirst = result.withLock { result in
            defer { result = result ?? made }
            return result == nil
        }
        if isFirst { isKept.signal() }
    }

    /// Waits for it.
    var value: Value {
        get throws {
            isKept.wait()
            isKept.signal()
            guard let result = result.withLock({ $0 }) else {
                preconditionFailure("nobody goes on before the promise is kept")
            }
            return try result.get()
        }
    }
}

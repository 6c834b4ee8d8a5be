internal import Dispatch
internal import HubProtocol

/// A hub that says that it was asked too often is left alone for a while: it makes guessing slow, and who is honest waits.
struct AskedTooOften: Sendable {
    /// How often the hub may say so.
    private static let attemptCountMax = 20

    /// For how long it is left alone then.
    var pauseSeconds = 2.0

    /// - Parameter body: MUST be the same when it is done twice.
    func patiently<Value>(_ body: () throws -> Value) throws -> Value {
        for _ in 1..<Self.attemptCountMax {
            do { return try body() } catch let failure as HubFailure where failure.error.code == .tooMany {
                rest()
            }
        }
        return try body()
    }

    func rest() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + pauseSeconds) }
}

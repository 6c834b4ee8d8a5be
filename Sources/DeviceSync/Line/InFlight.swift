internal import Dispatch
internal import Locks

/// Pieces of work of which a few are under way at a time, each on a thread of its own, while who makes them goes on.
final class InFlight: Sendable {
    private let group = DispatchGroup()
    private let room: DispatchSemaphore
    private let failure = Locked<(any Error)?>(nil)

    private init(countMax: Int) { room = DispatchSemaphore(value: countMax) }

    /// Has pieces made, and returns when all of them are done.
    ///
    /// - Parameters:
    ///   - countMax: How many are under way at a time.
    ///   - body: Makes them; nothing that it is given may leave it.
    /// - Throws: What the body throws, or the first piece that throws.
    static func run<Value>(_ countMax: Int, _ body: (InFlight) throws -> Value) throws -> Value {
        let work = InFlight(countMax: countMax)
        let result = Result { try body(work) }
        work.group.wait()
        let value = try result.get()
        if let failure = work.failure.withLock({ $0 }) { throw failure }
        return value
    }

    /// Begins a piece as soon as there is room for it.
    ///
    /// - Throws: What a piece has thrown that began before; this one does not begin then.
    func begin(_ piece: @escaping @Sendable () throws -> Void) throws {
        room.wait()
        if let failure = failure.withLock({ $0 }) {
            room.signal()
            throw failure
        }
        DispatchQueue(label: "sheaf.in-flight", qos: .userInitiated).async(group: group) { [self] in
            do { try piece() } catch { failure.withLock { $0 = $0 ?? error } }
            room.signal()
        }
    }
}

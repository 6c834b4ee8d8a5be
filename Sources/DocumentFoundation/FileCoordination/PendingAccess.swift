internal import Coordination
internal import Foundation
internal import Locks

/// An access that others have to make way for first. It is told when they have.
package final class PendingAccess: Sendable {
    private let id: AccessID
    private let registry: FileAccessRegistry

    init(_ id: AccessID, in registry: FileAccessRegistry) { (self.id, self.registry) = (id, registry) }

    /// Has it fail with `CocoaError.userCancelled`, if nothing has come of it yet.
    package func cancel() { registry.cancel(id) }

    /// Finds out whom it waits for.
    ///
    /// - Parameter tell: Called once, on any thread, soon or at once: with a clause for each, as “Color (process 72) reads it”;
    ///   with none when it waits no more, or nobody can say.
    package func findHolders(_ tell: @escaping @Sendable ([String]) -> Void) {
        // As an agent calls it, and as the registry itself does.
        let ids = [registry.identity, FileAccessRegistry.client].map {
            AccessID(client: $0, number: id.number)
        }
        registry.findReport { report in
            tell(report.flatMap { report in ids.map(report.holders).first { !$0.isEmpty } } ?? [])
        }
    }

    /// Whom it waits for, as `findHolders` tells.
    ///
    /// Blocks the thread, for so many seconds at most; nobody can say after that.
    package func holders(within seconds: Double) -> [String] {
        let found = Locked<[String]>([])
        let isFound = DispatchSemaphore(value: 0)
        findHolders { holders in
            found.withLock { $0 = holders }
            isFound.signal()
        }
        _ = isFound.wait(timeout: .now() + seconds)
        return found.withLock { $0 }
    }
}

/// An access that was granted, for one use. It ends after that, or when nobody has it any more.
package final class HeldAccess: Sendable {
    private let access: GrantedAccess
    private let reservation: Reservation
    private let registry: FileAccessRegistry

    init(_ access: GrantedAccess, in registry: FileAccessRegistry) {
        (self.access, self.registry) = (access, registry)
        reservation = Reservation(access, in: registry)
    }

    /// Gives it back unused.
    package func end() { reservation.end() }

    /// Runs what the access is for, on this thread, and ends it.
    ///
    /// - Throws: `FileCoordinationError` with code `claimLost` when others have been let in already; what `body` throws.
    package func run<Value>(_ body: () throws -> Value) throws -> Value {
        if registry.hasLost(access.id.number) {
            reservation.end()
            if let error = reservation.error { throw error }
        }
        defer {
            reservation.end()
            if let error = reservation.error { FileAccessRegistry.log(error) }
        }
        return try ThreadNesting.enter(.granted(access), of: registry) { try body() }
    }
}

internal import Foundation
internal import Locks

/// An access that ends when told so, or when no one is left to tell.
final class Reservation: Sendable {
    private struct State: Sendable {
        var access: GrantedAccess?
        var error: FileCoordinationError?
    }

    private let state: Locked<State>
    private let registry: FileAccessRegistry

    init(_ access: GrantedAccess, in registry: FileAccessRegistry) {
        state = Locked(State(access: access))
        self.registry = registry
    }

    /// Set when the access has ended and others may have used the items meanwhile.
    var error: FileCoordinationError? { state.withLock { $0.error } }

    deinit { end() }

    func end() {
        let access = state.withLock { state in
            defer { state.access = nil }
            return state.access
        }
        guard let access, let error = registry.end(access) else { return }
        state.withLock { $0.error = error }
    }
}

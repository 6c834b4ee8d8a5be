internal import Coordination
internal import Foundation

/// What a thread is inside of: accesses it was granted or waits for, and messages it handles.
///
/// From it the arbiter knows who cannot go on before whom. It goes by threads and not by tasks: a task that an
/// accessor starts may outlive it, and no one waits for it.
final class ThreadNesting {
    enum Frame {
        /// One that is waited for.
        case access(AccessID)
        case granted(GrantedAccess)
        case message(Ticket)
    }

    private struct Entry {
        let registry: ObjectIdentifier
        let frame: Frame
    }

    /// The innermost last.
    private var entries: [Entry] = []

    /// Nil when the system has no room for another thread-specific value; then nothing is known of nesting.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { nesting in
            if let nesting { Unmanaged<ThreadNesting>.fromOpaque(nesting).release() }
        }
        return status == 0 ? key : nil
    }()

    /// The calling thread's own; it goes with the thread.
    private static var current: ThreadNesting? {
        guard let key else { return nil }
        if let known = pthread_getspecific(key) {
            return Unmanaged<ThreadNesting>.fromOpaque(known).takeUnretainedValue()
        }
        let nesting = Unmanaged.passRetained(ThreadNesting())
        guard pthread_setspecific(key, nesting.toOpaque()) == 0 else {
            nesting.release()
            return nil
        }
        return nesting.takeUnretainedValue()
    }

    /// Runs `body`, which is part of an access or answers a message.
    static func enter<Result>(
        _ frame: Frame,
        of registry: FileAccessRegistry,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let nesting = current
        nesting?.entries.append(Entry(registry: ObjectIdentifier(registry), frame: frame))
        defer { _ = nesting?.entries.popLast() }
        return try body()
    }

    /// The innermost access of a registry that the thread is inside of, and the message it handles inside that.
    static func surroundings(of registry: FileAccessRegistry) -> (access: AccessID?, message: Ticket?) {
        guard let entries = current?.entries, !entries.isEmpty else { return (nil, nil) }
        var message: Ticket?
        for entry in entries.reversed() where entry.registry == ObjectIdentifier(registry) {
            switch entry.frame {
            case .access(let id): return (id, message)
            case .granted(let access): return (access.id, message)
            case .message(let ticket): message = message ?? ticket
            }
        }
        return (nil, message)
    }

    /// What the accesses of a registry want that the thread has been granted and is inside of, the outermost first.
    static func claims(of registry: FileAccessRegistry) -> [AccessClaim] {
        guard let entries = current?.entries, !entries.isEmpty else { return [] }
        return entries.flatMap { entry -> [AccessClaim] in
            guard entry.registry == ObjectIdentifier(registry), case .granted(let access) = entry.frame else {
                return []
            }
            return access.claims
        }
    }
}

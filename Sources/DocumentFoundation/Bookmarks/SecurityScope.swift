internal import FileSystem
package import Foundation
internal import Locks

/// What this process was given to access.
///
/// Nothing here is enforced by the kernel: the process can open whatever its user can. What is given, counted
/// and refused is what an app asks for with `startAccessingSecurityScopedResource()`, so that an app that asks
/// touches nothing outside of what a person chose. Any thread.
package final class SecurityScope: Sendable {
    /// The process's own; a test puts its own in place.
    @TaskLocal package static var shared = SecurityScope()

    private let ledger = Locked(ScopeLedger())

    package init() {}

    /// Gives an item, and all in it when it is a folder; what a link leads to, where it is one.
    ///
    /// An item that is not there is not given.
    package func grant(_ url: URL, isReadOnly: Bool = false) {
        // What has no place in the file system needs no permission and gets none.
        guard let path = FilePath(url.absoluteURL), let real = try? path.resolved() else { return }
        ledger.withLock { $0.grant(real, isReadOnly: isReadOnly) }
    }

    /// Begins an access, if the item is given: where it really is counts, whatever links and ".." say.
    ///
    /// - Returns: Whether it is; then `stop(_:)` must follow.
    package func start(_ url: URL) -> Bool {
        guard let path = FilePath(url.absoluteURL), let real = Self.real(path) else { return false }
        return ledger.withLock { $0.start(path, at: real) }
    }

    /// Ends an access.
    package func stop(_ url: URL) {
        guard let path = FilePath(url.absoluteURL) else { return }
        ledger.withLock { $0.stop(path) }
    }

    /// How often an access has begun and not ended.
    package func accessCount(of url: URL) -> Int {
        guard let path = FilePath(url.absoluteURL) else { return 0 }
        return ledger.withLock { $0.accessCount(of: path) }
    }

    /// An item that is to be made has a folder; what has not, or may not be looked at, is not given.
    private static func real(_ path: FilePath) -> FilePath? {
        if let real = try? path.resolved() { return real }
        guard (try? FileStamp.ifPresent(at: path)) == .some(nil), path.name != "..", path.name != "." else {
            return nil
        }
        return try? path.resolvedInFolder()
    }
}

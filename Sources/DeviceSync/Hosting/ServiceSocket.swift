internal import Dispatch
internal import FileSystem
internal import LocalSockets
internal import Locks
internal import SyncMessages

/// Where a service is asked: a socket in the user's runtime folder.
///
/// Its name may be taken away: when the last session of the user has ended, all of that folder may go, and another one is there with
/// the next. The socket is opened anew then.
///
/// Any thread; only one waits and takes.
final class ServiceSocket: Sendable {
    private let runtime: RuntimeFolder
    private let bell: SocketBell
    private let listener = Locked<LocalListener?>(nil)
    /// Tells that the name may have gone.
    private let watch = Locked<DirectoryWatch?>(nil)

    /// After so long it is tried again to have a name that was taken away.
    private static let renewalMilliseconds: Int32 = 10_000
    /// After so long it is tried again to take a connection for which there was no room.
    private static let roomMilliseconds: Int32 = 100

    /// - Parameter bell: Ends the waiting.
    init(in runtime: RuntimeFolder, _ bell: SocketBell) { (self.runtime, self.bell) = (runtime, bell) }

    var isOpen: Bool { listener.withLock { $0 != nil } }

    /// Whether it can be found under its name.
    private var hasName: Bool { listener.withLock { $0 }?.hasName == true }

    /// Has it be there from now on, in place of whatever has its name.
    func open() throws {
        // Nobody else's, and made where it is not there.
        let folder = try RuntimeFolder(path: runtime.path)
        let made = try LocalListener(at: folder.place(of: SyncQuery.socketName))
        listener.withLock { $0 = made }
        let queue = DispatchQueue(label: "sheaf.service-socket")
        // Where there are too few watches, it is had anew with the next start.
        let watch = try? DirectoryWatch(FilePath(folder.path), on: queue) { [bell] events in
            if events.contains(where: { $0.name == nil || $0.name == SyncQuery.socketName }) { bell.ring() }
        }
        self.watch.withLock { $0 = watch }
    }

    /// Waits until somebody asks or the bell rings, and takes whoever asks.
    ///
    /// - Parameters:
    ///   - renew: Opens it anew where it has no name any more. What fails is tried again after a while.
    ///   - serve: Gets a connection.
    func take(renewing renew: () throws -> Void, _ serve: (LocalSocket) -> Void) throws(SocketError) {
        // What it is in may not be there yet.
        if !hasName { try? renew() }
        guard let listener = listener.withLock({ $0 }) else { return }
        let milliseconds = listener.hasName ? -1 : Self.renewalMilliseconds
        guard listener.waitUntilReadable(or: bell, milliseconds: milliseconds) else { return }
        do {
            while let socket = try listener.accept() { serve(socket) }
        } catch {
            guard error.isWantOfRoom else { throw error }
            // What waits to be taken can be read all the while: only a conversation's end makes room.
            bell.wait(milliseconds: Self.roomMilliseconds)
        }
    }
}

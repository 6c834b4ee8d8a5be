internal import CLinux
internal import Foundation

/// A place where processes of this machine can connect.
package final class LocalListener: Sendable {
    let descriptor: SocketDescriptor
    /// Nil for one that was handed to this process.
    private let place: Place?

    /// The name of a socket, and by what it is known there. No other file gets its inode as long as it listens.
    private struct Place: Sendable {
        let path: String
        let device: dev_t
        let inode: ino_t
    }

    private init(_ descriptor: SocketDescriptor) {
        (self.descriptor, place) = (descriptor, nil)
    }

    /// Listens at a path, in place of whatever is there.
    ///
    /// The path is there only once connections are taken.
    package init(at path: String) throws(SocketError) {
        let descriptor = try SocketCalls.makeSocket(for: path)
        let hidden = path + "~"
        // A leftover of one that was killed here; if it cannot be removed, bind(2) says so.
        _ = unlink(hidden)
        try SocketCalls.withAddress("bind", hidden) { bind(descriptor.number, $0, $1) }
        _ = try SocketCalls.check("listen", path) { listen(descriptor.number, Self.waitingMax) }
        var status = stat()
        _ = try SocketCalls.check("lstat", hidden) { lstat(hidden, &status) }
        _ = try SocketCalls.check("rename", path) { rename(hidden, path) }
        self.descriptor = descriptor
        place = Place(path: path, device: status.st_dev, inode: status.st_ino)
    }

    /// Removes the name that it was given, unless somebody else listens under that by now, as systemd may.
    package func removeName() {
        guard let place, hasName else { return }
        // What cannot be removed is a leftover that says nothing: nobody listens there.
        _ = unlink(place.path)
    }

    /// Whether it is still under the name that it was given.
    package var hasName: Bool {
        var status = stat()
        guard let place, lstat(place.path, &status) == 0 else { return false }
        return status.st_dev == place.device && status.st_ino == place.inode
    }

    /// The listener that systemd handed to this process: sd_listen_fds(3); nil when it did not.
    ///
    /// - Parameter environment: The process's environment.
    package static func inherited(environment: [String: String]) throws(SocketError) -> LocalListener? {
        guard environment["LISTEN_PID"] == "\(getpid())", let count = environment["LISTEN_FDS"] else {
            return nil
        }
        guard count == "1" else {
            let detail = "The agent takes one listening socket, but the environment says LISTEN_FDS=\(count)."
            throw SocketError(call: "sd_listen_fds", errno: 0, path: "LISTEN_FDS", detail: detail)
        }
        let descriptor = SocketDescriptor(owning: firstInherited)
        let flags = try SocketCalls.check("fcntl", "LISTEN_FDS") { fcntl(descriptor.number, F_GETFL) }
        _ = try SocketCalls.check("fcntl", "LISTEN_FDS") {
            fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK)
        }
        _ = try SocketCalls.check("fcntl", "LISTEN_FDS") { fcntl(descriptor.number, F_SETFD, FD_CLOEXEC) }
        return LocalListener(descriptor)
    }

    /// Takes a connection; nil when none waits.
    ///
    /// - Throws: `SocketError`, with `isWantOfRoom` where it goes on waiting until there is room for it.
    package func accept() throws(SocketError) -> LocalSocket? {
        do {
            return LocalSocket(
                SocketDescriptor(
                    owning: try SocketCalls.check("accept4", "a listener") {
                        cdoc_accept(descriptor.number, nil, nil)
                    }
                )
            )
        } catch {
            // Gone before it was taken: accept(2) has these among its errors.
            if error.errno == EAGAIN || error.errno == ECONNABORTED { return nil }
            throw error
        }
    }

    /// Waits until a connection can be taken, or the bell rings.
    ///
    /// - Parameter milliseconds: At most so long.
    /// - Returns: Whether one can; not when the bell has rung, the time was too short, or a signal came.
    package func waitUntilReadable(or bell: SocketBell, milliseconds: Int32) -> Bool {
        bell.wait(for: descriptor, milliseconds: milliseconds)
    }

    /// SD_LISTEN_FDS_START of sd_listen_fds(3).
    private static let firstInherited: CInt = 3
    /// Connections that may wait to be taken; the kernel has a limit of its own, net.core.somaxconn.
    private static let waitingMax: CInt = 4096
}

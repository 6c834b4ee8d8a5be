internal import CLinux
internal import Foundation

/// A file that says, by its lock, that its process lives: flock(2). The lock goes with the process, however it ends.
package final class LockFile: Sendable {
    /// Far more than there are looks in the way; one that was stopped halfway is not waited for.
    private static let lookCountMax = 10_000

    package let path: String
    let descriptor: SocketDescriptor

    /// Takes the lock, once whoever has it has let go.
    package init(waitingFor path: String) throws(SocketError) {
        let descriptor = try SocketCalls.open(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        _ = try SocketCalls.check("flock", path) { cdoc_flock(descriptor.number, LOCK_EX) }
        self.path = path
        self.descriptor = descriptor
    }

    /// Takes the lock if nobody has it; nil if somebody does.
    ///
    /// Who looks whether somebody does has it for an instant, shared with others who look; that is waited out.
    package init?(ifFree path: String) throws(SocketError) {
        let descriptor = try SocketCalls.open(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        var lookCount = 0
        while try !Self.takes(descriptor, path, LOCK_EX) {
            lookCount += 1
            guard lookCount < Self.lookCountMax, try !Self.isHeld(path) else { return nil }
            sched_yield()
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { Self.letGo(descriptor) }

    /// Whether somebody has the lock of a file.
    ///
    /// One that is not there has no lock.
    package static func isHeld(_ path: String) throws(SocketError) -> Bool {
        do {
            let descriptor = try SocketCalls.open(path, O_RDWR | O_NOFOLLOW)
            guard try takes(descriptor, path, LOCK_SH) else { return true }
            letGo(descriptor)
            return false
        } catch {
            if error.errno == ENOENT { return false }
            throw error
        }
    }

    /// Removes a file, unless somebody has its lock.
    ///
    /// It has the lock itself meanwhile: who has opened the file to take it finds, once he has it, that it is held nowhere
    /// (`isHeld`), and makes another.
    ///
    /// - Returns: Whether somebody has it. One that is not there has no lock.
    package static func removeUnlessHeld(_ path: String) throws(SocketError) -> Bool {
        do {
            let descriptor = try SocketCalls.open(path, O_RDWR | O_NOFOLLOW)
            guard try takes(descriptor, path, LOCK_EX) else { return true }
            // What cannot be removed is a leftover that says nothing.
            _ = unlink(path)
            letGo(descriptor)
            return false
        } catch {
            if error.errno == ENOENT { return false }
            throw error
        }
    }

    /// Closing alone would leave the lock to a process that is just being started, until it runs its program.
    private static func letGo(_ descriptor: SocketDescriptor) {
        _ = cdoc_flock(descriptor.number, LOCK_UN)
    }

    /// Takes the lock now, to hold it alone (`LOCK_EX`) or with others (`LOCK_SH`).
    private static func takes(
        _ descriptor: SocketDescriptor,
        _ path: String,
        _ kind: Int32
    ) throws(SocketError) -> Bool {
        do {
            _ = try SocketCalls.check("flock", path) { cdoc_flock(descriptor.number, kind | LOCK_NB) }
            return true
        } catch {
            if error.errno == EWOULDBLOCK { return false }
            throw error
        }
    }

    /// Writes who has the lock into the file, for people.
    package func write(_ text: String) throws(SocketError) {
        _ = try SocketCalls.check("ftruncate", path) { ftruncate(descriptor.number, 0) }
        let bytes = Array(text.utf8)
        _ = try SocketCalls.check("pwrite", path) {
            pwrite(descriptor.number, bytes, bytes.count, 0)
        }
    }
}

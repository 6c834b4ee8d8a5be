internal import CLinux
internal import Foundation
internal import Glibc

/// An open file of one of our stores, or one that is being filled: read and written at places of one's choice.
///
/// Any thread; every call may block on the disk.
package final class StorageFile: Sendable {
    let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Where it was when it was opened.
    package var path: FilePath { descriptor.path }

    /// How long it is now.
    package func byteCount() throws(SystemError) -> Int {
        Int(try SystemCalls.fstat(descriptor).stamp.byteCount)
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes read.
    package func read(
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try SystemCalls.pread(descriptor, into: buffer, at: offset)
    }

    /// Reads bytes; fewer where the file ends before.
    package func read(at offset: Int, byteCount: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filledCount in
            do throws(SystemError) {
                filledCount = try SystemCalls.pread(
                    descriptor,
                    into: UnsafeMutableRawBufferPointer(buffer),
                    at: offset
                )
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes at the end.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try SystemCalls.writeAll(bytes, to: descriptor.raw, at: descriptor.path)
    }

    /// Writes at a place.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        try SystemCalls.pwrite(bytes, to: descriptor, at: offset)
    }

    /// Has what was written to a place go to the disk by and by, so that `sync` has less to wait for.
    package func beginSync(at offset: Int, byteCount: Int) {
        // Only a hint: what is refused is for `sync` to say.
        _ = cdoc_begin_writing(descriptor.raw, offset, byteCount)
    }

    /// Takes room for a new file's bytes, so that writing them need not look for any. Without effect on a volume that
    /// cannot do so.
    ///
    /// - Throws: `ENOSPC` when there is not as much.
    package func reserve(_ byteCount: Int) throws(SystemError) {
        do throws(SystemError) { try SystemCalls.fallocate(descriptor, byteCount: byteCount) } catch {
            guard error.errno == EOPNOTSUPP || error.errno == ENOSYS else { throw error }
        }
    }

    /// Gives the room of some bytes back to the volume; they read as zeros afterwards, and the file stays as long as it
    /// is. Without effect on a volume that cannot do so.
    package func free(_ bytes: Range<Int>) throws(SystemError) {
        do throws(SystemError) { try SystemCalls.punchHole(descriptor, bytes) } catch {
            guard error.errno == EOPNOTSUPP || error.errno == ENOSYS else { throw error }
        }
    }

    /// Makes the file this long: what is beyond is lost.
    package func cut(to byteCount: Int) throws(SystemError) {
        try SystemCalls.ftruncate(descriptor, byteCount: byteCount)
    }

    /// Makes all that was written durable.
    package func sync() throws(SystemError) {
        try SystemCalls.fsync(descriptor)
    }

    /// Takes the file's one lock, which another opening of the file, in this process too, may hold.
    ///
    /// - Parameter waits: Whether to wait for whoever holds it.
    /// - Returns: Whether it is held now.
    package func lock(waits: Bool) throws(SystemError) -> Bool {
        try SystemCalls.flock(descriptor, waits: waits)
    }

    /// Gives the lock up.
    package func unlock() {
        SystemCalls.unlock(descriptor)
    }

    /// Whether a name in a folder still leads to this very file.
    package func isStill(_ name: String, in folder: StorageFolder) throws(SystemError) -> Bool {
        guard let found = try SystemCalls.statusIfPresent(folder.folder, name) else { return false }
        return found.isSameItem(as: try SystemCalls.fstat(descriptor))
    }

    /// Gives it what a restored member bears, beside its bytes.
    ///
    /// - Parameter isDated: Whether its date is among that; if not, it keeps the one that it has.
    /// - Returns: What the volume has it bear instead; nil when it bears all of it.
    @discardableResult
    package func dress(_ dress: MemberDress, isDated: Bool = true) throws(SystemError) -> MemberDress? {
        try dress.apply(to: descriptor, isDated: isDated)
    }
}

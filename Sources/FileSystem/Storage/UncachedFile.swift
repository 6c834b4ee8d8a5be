internal import Glibc
internal import Synchronization

/// A large file that is being filled, past the kernel's cache.
///
/// What is written through the cache takes memory from what others have there, page by page, and is copied once more; of a
/// file that nobody may ever read that is dear. Where a volume takes no such writes, or `/proc` is not there, the cache
/// is written through as ever. Any thread; several may write at a time, to places that do not overlap.
package final class UncachedFile: Sendable {
    /// Places in memory and in the file are to be as far from a multiple of this: no page of the cache is to hold both what goes
    /// through it and what does not.
    package static let alignment = max(4096, Int(sysconf(CInt(_SC_PAGESIZE))))

    private let file: StorageFile
    /// The same file, opened once more; nil where that cannot be.
    private let uncached: StorageFile?
    /// Whether the volume has refused such a write.
    private let isRefused = Atomic<Bool>(false)

    package init(_ file: StorageFile) {
        self.file = file
        // What cannot be opened so is written as ever.
        uncached = try? StorageFile(SystemCalls.reopenUncached(file.descriptor))
    }

    /// Writes at a place. What is no whole block, at both ends, goes through the cache.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        let start = (offset + Self.alignment - 1) & -Self.alignment
        let end = (offset + bytes.count) & -Self.alignment
        guard start < end else { return try file.write(bytes, at: offset) }
        if start > offset {
            try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(start - offset)]), at: offset)
        }
        try writeBlocks(UnsafeRawBufferPointer(rebasing: bytes[(start - offset)..<(end - offset)]), at: start)
        if end < offset + bytes.count {
            try file.write(UnsafeRawBufferPointer(rebasing: bytes[(end - offset)...]), at: end)
        }
    }

    private func writeBlocks(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        let isAligned = Int(bitPattern: bytes.baseAddress) % Self.alignment == 0
        guard let uncached, isAligned, !isRefused.load(ordering: .relaxed) else {
            return try file.write(bytes, at: offset)
        }
        do throws(SystemError) { try uncached.write(bytes, at: offset) } catch {
            guard error.errno == EINVAL else { throw error }
            isRefused.store(true, ordering: .relaxed)
            try file.write(bytes, at: offset)
        }
    }
}

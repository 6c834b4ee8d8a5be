internal import Dispatch
internal import FileSystem
internal import Locks

/// What stands one behind the other in a file that is being filled, gathered until it is worth a write past the kernel's cache;
/// that is waited for by a thread of its own while more is gathered. For one thread at a time.
final class FileStretch {
    private let file: UncachedFile
    private let queue = DispatchQueue(label: "sheaf.filling", qos: .userInitiated)
    /// What is gathered in, and what is being written out of.
    private var memory: UnsafeMutableRawBufferPointer
    private var written: UnsafeMutableRawBufferPointer
    /// Where in the file what is gathered begins; as far from a multiple of the alignment as it is in memory.
    private var start = 0
    private var byteCount = 0
    private var isWriting = false
    private let done = DispatchSemaphore(value: 0)
    /// Why bytes that were taken are nowhere: nothing is written behind them as if they were there.
    private let failure = Locked<(any Error)?>(nil)

    private static let byteCountMax = 1 << 20

    init(_ file: StorageFile) {
        self.file = UncachedFile(file)
        func room() -> UnsafeMutableRawBufferPointer {
            .allocate(
                byteCount: Self.byteCountMax + PackFormat.objectByteCountMax + UncachedFile.alignment,
                alignment: UncachedFile.alignment
            )
        }
        (memory, written) = (room(), room())
    }

    deinit {
        if isWriting { done.wait() }
        memory.deallocate()
        written.deallocate()
    }

    private var shift: Int { start % UncachedFile.alignment }
    private var gathered: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[shift..<shift + byteCount])
    }

    /// Where what is about to be written at a place may be put beforehand, and need not be copied then.
    ///
    /// - Returns: Nil for what is not to be right behind what was written last.
    func room(_ byteCount: Int, at offset: Int) -> UnsafeMutableRawBufferPointer? {
        guard offset == start + self.byteCount else { return nil }
        let end = shift + self.byteCount
        return UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + byteCount])
    }

    /// Writes at a place, soon.
    ///
    /// - Parameter bytes: May be in the room for it.
    /// - Throws: What went wrong with this, or with what was written before.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        try throwFailure()
        if offset != start + byteCount {
            try flush()
            start = offset
        }
        let end = shift + byteCount
        let room = UnsafeMutableRawBufferPointer(rebasing: memory[end...])
        if room.baseAddress.map(UnsafeRawPointer.init) != bytes.baseAddress { room.copyMemory(from: bytes) }
        byteCount += bytes.count
        if byteCount >= Self.byteCountMax { try beginWriting() }
    }

    /// Has whole blocks written; what is begun of the last stays.
    private func beginWriting() throws {
        try finishWriting()
        let end = (start + byteCount) & -UncachedFile.alignment
        guard end > start else { return }
        let blocks = UnsafeRawBufferPointer(rebasing: gathered[..<(end - start)])
        let rest = UnsafeRawBufferPointer(rebasing: gathered[blocks.count...])
        written.copyMemory(from: rest)
        // Nobody touches it before the writing has ended: that is waited for.
        nonisolated(unsafe) let bytes = blocks
        let forThisThread = SystemCallObservation.forThisThread()
        queue.async { [file, failure, done, start] in
            do { try forThisThread { try file.write(bytes, at: start) } } catch {
                failure.withLock { $0 = error }
            }
            done.signal()
        }
        isWriting = true
        swap(&memory, &written)
        (start, byteCount) = (end, rest.count)
    }

    private func finishWriting() throws {
        if isWriting {
            done.wait()
            isWriting = false
        }
        try throwFailure()
    }

    private func throwFailure() throws {
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Returns when all is written.
    func flush() throws {
        try finishWriting()
        guard byteCount > 0 else { return }
        try file.write(gathered, at: start)
        (start, byteCount) = (start + byteCount, 0)
    }
}

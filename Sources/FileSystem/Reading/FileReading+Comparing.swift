internal import Glibc

extension FileReading {
    private static let pieceByteCount = 1 << 20

    /// Whether two files hold the same bytes.
    ///
    /// They are read piece by piece up to the first difference, and only where they are of one size: files of any length
    /// are compared in the same memory.
    ///
    /// - Throws: `EINVAL` when one is no file.
    package static func haveSameBytes(_ one: FilePath, _ other: FilePath) throws(SystemError) -> Bool {
        let first = try openFile(one)
        let second = try openFile(other)
        let (own, its) = (try SystemCalls.fstat(first).stamp, try SystemCalls.fstat(second).stamp)
        for (stamp, path) in [(own, one), (its, other)] where stamp.kind != .regular {
            throw SystemError(call: "read", errno: EINVAL, path: path)
        }
        guard own.byteCount == its.byteCount else { return false }
        if own.device == its.device, own.inode == its.inode { return true }
        let pieces = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * pieceByteCount, alignment: 16)
        defer { pieces.deallocate() }
        let (left, right) = (
            UnsafeMutableRawBufferPointer(rebasing: pieces[..<pieceByteCount]),
            UnsafeMutableRawBufferPointer(rebasing: pieces[pieceByteCount...])
        )
        while true {
            let byteCount = try fill(left, from: first)
            guard try fill(right, from: second) == byteCount else { return false }
            guard byteCount > 0, let own = left.baseAddress, let its = right.baseAddress else { return true }
            guard memcmp(own, its, byteCount) == 0 else { return false }
        }
    }

    private static func openFile(_ path: FilePath) throws(SystemError) -> FileDescriptor {
        // As in `stampedContents`: a pipe nobody writes to does not hold us for ever.
        try SystemCalls.openat(.working, path.string, O_RDONLY | O_NONBLOCK)
    }

    /// Reads until a buffer is full or the file ends.
    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from file: borrowing FileDescriptor
    ) throws(SystemError) -> Int {
        var filledByteCount = 0
        while filledByteCount < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filledByteCount...])
            let byteCount = try SystemCalls.read(file, into: rest)
            guard byteCount > 0 else { break }
            filledByteCount += byteCount
        }
        return filledByteCount
    }
}

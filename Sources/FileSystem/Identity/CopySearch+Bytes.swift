internal import Glibc

extension CopySearch {
    /// Whether a file holds what another one does to which maybe no name leads any more.
    ///
    /// What cannot be read is no copy that a document could follow to.
    static func hasBytes(of handle: ItemHandle, at place: FilePath) -> Bool {
        guard let old = try? handle.open(),
            let new = try? SystemCalls.openat(.working, place.string, O_RDONLY)
        else { return false }
        let count = 1 << 18
        return withUnsafeTemporaryAllocation(byteCount: 2 * count, alignment: 16) { buffer in
            while true {
                let (first, second) = (
                    UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]),
                    UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                )
                guard let oldCount = try? read(old, into: first), let newCount = try? read(new, into: second),
                    oldCount == newCount, first.prefix(oldCount).elementsEqual(second.prefix(newCount))
                else { return false }
                if oldCount == 0 { return true }
            }
        }
    }

    /// Reads until the buffer is full or the file ends.
    private static func read(
        _ file: borrowing FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = try SystemCalls.read(file, into: .init(rebasing: buffer[filled...]))
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }
}

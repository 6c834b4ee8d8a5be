extension UnsafeRawBufferPointer {
    /// Whether there are the same bytes in both. Eight at a time: at a start what the disk has of each item is compared with what
    /// the log has.
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var at = 0
        while count - at >= MemoryLayout<UInt64>.size {
            let (word, otherWord) = (
                loadUnaligned(fromByteOffset: at, as: UInt64.self),
                other.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            )
            guard word == otherWord else { return false }
            at += MemoryLayout<UInt64>.size
        }
        while at < count {
            guard self[at] == other[at] else { return false }
            at += 1
        }
        return true
    }
}

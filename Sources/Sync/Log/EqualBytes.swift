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

extension String {
    /// Whether both are the same bytes.
    func hasBytes(of other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (own, its) = (self, other)
        return own.withUTF8 { own in
            its.withUTF8 { UnsafeRawBufferPointer(own).isEqual(to: UnsafeRawBufferPointer($0)) }
        }
    }
}

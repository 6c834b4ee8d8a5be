/// Bytes among which zeros come in rows, in less room: a zero is followed by how many more there are.
enum ZeroFolding {
    /// Folds bytes, with one more in front.
    static func folded(_ bytes: UnsafeRawBufferPointer, after first: UInt8) -> [UInt8] {
        // At worst every second byte is a lone zero, and takes two.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 + bytes.count + bytes.count / 2) { folded in
            folded[0] = first
            var (count, index) = (1, 0)
            while index < bytes.count {
                let byte = bytes[index]
                folded[count] = byte
                (count, index) = (count + 1, index + 1)
                guard byte == 0 else { continue }
                let start = index
                while index < bytes.count, bytes[index] == 0, index - start < UInt8.max { index += 1 }
                folded[count] = UInt8(index - start)
                count += 1
            }
            // An array of just that size: one with room to spare would keep it.
            return [UInt8](UnsafeBufferPointer(rebasing: folded[..<count]))
        }
    }

    /// What was folded.
    static func unfolded(_ folded: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * folded.count)
        var isAfterZero = false
        for byte in folded {
            if isAfterZero {
                for _ in 0..<byte { bytes.append(0) }
            } else {
                bytes.append(byte)
            }
            isAfterZero = !isAfterZero && byte == 0
        }
        return bytes
    }

    /// Whether what was folded comes before other bytes that were, by their first byte that differs; what is the beginning of
    /// the other comes before it.
    static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        let count = min(left.count, right.count)
        var (at, isAfterZero) = (0, false)
        while at < count, left[at] == right[at] {
            isAfterZero = !isAfterZero && left[at] == 0
            at += 1
        }
        guard at < count else { return left.count < right.count }
        guard isAfterZero else { return left[at] < right[at] }
        // Of one the row of zeros ends earlier, with bytes that are more than that, or with nothing.
        return left[at] < right[at] ? left.count == at + 1 : right.count > at + 1
    }

    /// Whether bytes are what was folded.
    static func isFolded(_ bytes: UnsafeRawBufferPointer, to folded: UnsafeRawBufferPointer) -> Bool {
        var (at, isAfterZero) = (0, false)
        for byte in folded {
            let (count, wanted) = isAfterZero ? (Int(byte), 0) : (1, byte)
            guard bytes.count - at >= count else { return false }
            for index in at..<at + count where bytes[index] != wanted { return false }
            at += count
            isAfterZero = !isAfterZero && byte == 0
        }
        return at == bytes.count
    }
}

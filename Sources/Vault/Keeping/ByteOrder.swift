internal import Foundation

extension String {
    /// Whether this stands before the other, byte by byte.
    ///
    /// Swift takes names for the same that differ in bytes only; a volume does not.
    func precedesInBytes(_ other: String) -> Bool {
        let order = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { its in
                let order = Self.order(own, its)
                return order == 0 ? own.count < its.count : order < 0
            }
        }
        if case .some(.some(let precedes)) = order { return precedes }
        return utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// The first eight bytes as a number that orders as they do; a string that ends before is as if zeros followed.
    fileprivate var firstBytes: UInt64 {
        var (number, count) = (UInt64(0), 0)
        for byte in utf8.prefix(8) { (number, count) = (number << 8 | UInt64(byte), count + 1) }
        return number << (8 * UInt64(8 - count))
    }

    private static func order(_ own: UnsafeBufferPointer<UInt8>, _ its: UnsafeBufferPointer<UInt8>) -> CInt {
        guard let first = own.baseAddress, let second = its.baseAddress else { return 0 }
        return memcmp(first, second, Swift.min(own.count, its.count))
    }
}

extension [String] {
    /// Where the strings are in the order of their bytes.
    ///
    /// Most names differ in their first eight bytes, and are told by one comparison of numbers.
    var orderInBytes: [Int] {
        enumerated().map { (first: $1.firstBytes, index: $0) }.sorted { one, other in
            one.first == other.first
                ? self[one.index].precedesInBytes(self[other.index]) : one.first < other.first
        }.map(\.index)
    }
}

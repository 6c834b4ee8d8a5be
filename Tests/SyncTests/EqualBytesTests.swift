import SeededNumbers
import Testing

@testable import Sync

@Suite("Sync: bytes that are equal")
struct EqualBytesTests {
    @Test("Bytes are equal where all of them are, wherever they begin and however many there are")
    func equal() {
        var random = seededNumbers(for: "equal bytes")
        for count in 0..<40 {
            for _ in 0..<20 {
                let bytes = (0..<count).map { _ in UInt8(random.below(256)) }
                // Where a word begins is any address.
                let (start, otherStart) = (random.below(8), random.below(8))
                var other = [UInt8](repeating: 0, count: otherStart) + bytes
                let one = [UInt8](repeating: 1, count: start) + bytes
                #expect(isEqual(one, from: start, other, from: otherStart))
                #expect(!isEqual(one, from: start, other + [0], from: otherStart))
                guard count > 0 else { continue }
                other[otherStart + random.below(count)] ^= 1 << UInt8(random.below(8))
                #expect(!isEqual(one, from: start, other, from: otherStart))
            }
        }
    }

    private func isEqual(_ one: [UInt8], from start: Int, _ other: [UInt8], from otherStart: Int) -> Bool {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                UnsafeRawBufferPointer(rebasing: one[start...])
                    .isEqual(to: UnsafeRawBufferPointer(rebasing: other[otherStart...]))
            }
        }
    }
}

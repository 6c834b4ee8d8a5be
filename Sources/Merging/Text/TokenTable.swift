internal import ChangeSets
import Foundation

/// Gives equal runs of bytes equal numbers, across all versions of a text.
struct TokenTable {
    private struct Token {
        let version: Int32
        let start: Int32
        let count: Int32
    }

    private var versions: [[UInt8]] = []
    private var tokens: [Token] = []
    /// By hash, open addressing: the upper half of the hash above the token's number; all bits set where none is.
    private var slots: [UInt64]

    var count: Int { tokens.count }

    /// - Parameter tokenCount: About how many different ones there will be.
    init(tokenCount: Int) {
        var capacity = 64
        while capacity < tokenCount * 2 { capacity *= 2 }
        slots = Array(repeating: .max, count: capacity)
    }

    /// The numbers of a version's tokens.
    ///
    /// - Parameter ends: Where each token ends, ascending; the next one begins there.
    mutating func numbers(of version: [UInt8], ends: [Int32]) -> [Int32] {
        versions.append(version)
        var numbers: [Int32] = []
        numbers.reserveCapacity(ends.count)
        var start: Int32 = 0
        version.withUnsafeBytes { bytes in
            for end in ends {
                let token = UnsafeRawBufferPointer(rebasing: bytes[Int(start)..<Int(end)])
                numbers.append(number(of: token, start))
                start = end
            }
        }
        return numbers
    }

    private mutating func number(of bytes: UnsafeRawBufferPointer, _ start: Int32) -> Int32 {
        if tokens.count * 2 >= slots.count { grow() }
        let hash = ByteHash.hash(bytes)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != .max {
            let number = Int(UInt32(truncatingIfNeeded: slots[slot]))
            if slots[slot] >> 32 == hash >> 32, isEqual(tokens[number], bytes) { return Int32(number) }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = hash & ~0xFFFF_FFFF | UInt64(tokens.count)
        tokens.append(Token(version: Int32(versions.count - 1), start: start, count: Int32(bytes.count)))
        return Int32(tokens.count - 1)
    }

    private func isEqual(_ token: Token, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard Int(token.count) == bytes.count else { return false }
        guard let address = bytes.baseAddress, token.count > 0 else { return true }
        return versions[Int(token.version)].withUnsafeBytes { all in
            all.baseAddress.map { memcmp($0 + Int(token.start), address, bytes.count) == 0 } ?? false
        }
    }

    private mutating func grow() {
        slots = Array(repeating: .max, count: slots.count * 2)
        for (number, token) in tokens.enumerated() {
            let hash = versions[Int(token.version)].withUnsafeBytes { all in
                ByteHash.hash(
                    UnsafeRawBufferPointer(rebasing: all[Int(token.start)..<Int(token.start + token.count)])
                )
            }
            var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[slot] != .max { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = hash & ~0xFFFF_FFFF | UInt64(number)
        }
    }
}

/// Where the tokens of a text end.
enum TokenEnds {
    /// Lines, each with its line feed; the last may have none.
    static func lines(_ bytes: [UInt8]) -> [Int32] {
        var ends: [Int32] = []
        ends.reserveCapacity(bytes.count / 32)
        bytes.withUnsafeBytes { raw in
            guard let first = raw.baseAddress else { return }
            var position = 0
            while position < raw.count {
                let found = memchr(first + position, 0x0A, raw.count - position)
                position = found.map { UnsafeRawPointer($0) - first + 1 } ?? raw.count
                ends.append(Int32(position))
            }
        }
        return ends
    }

    /// Words, runs of white space, and everything else byte by byte. Bytes beyond ASCII belong to words.
    ///
    /// What holds a number together belongs to the word, too: of `12.50` and `2024-01-15` no part changes by itself.
    static func words(_ bytes: [UInt8]) -> [Int32] {
        var ends: [Int32] = []
        var last = Kind.other
        for position in bytes.indices {
            let kind = isBinding(bytes, position) ? .word : Kind(bytes[position])
            if position > 0, kind != last || kind == .other { ends.append(Int32(position)) }
            last = kind
        }
        if !bytes.isEmpty { ends.append(Int32(bytes.count)) }
        return ends
    }

    /// Whether a byte between two of words makes one of them, as at least one of the two is a digit.
    ///
    /// A comma binds digits alone, beside a letter it parts two fields. So does a space: `1 200` is a number, and
    /// `2024-01-15 10:30` one moment, but `12 km` are two words.
    private static func isBinding(_ bytes: [UInt8], _ position: Int) -> Bool {
        guard position > 0, position + 1 < bytes.count else { return false }
        let (before, after) = (bytes[position - 1], bytes[position + 1])
        guard Kind(before) == .word, Kind(after) == .word else { return false }
        let digitCount = (isDigit(before) ? 1 : 0) + (isDigit(after) ? 1 : 0)
        return switch bytes[position] {
        case UInt8(ascii: ","), UInt8(ascii: " "): digitCount == 2
        case UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "+"),
            UInt8(ascii: "'"), UInt8(ascii: "@"), UInt8(ascii: "%"):
            digitCount > 0
        default: false
        }
    }

    /// Whether a token is a word, or a number, of more than one letter or digit.
    static func isWord(_ token: ArraySlice<UInt8>) -> Bool {
        token.count > 1 && token.first.map { Kind($0) == .word } ?? false
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private enum Kind {
        case word, space, other

        init(_ byte: UInt8) {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x80...: self = .word
            case 0x20, 0x09: self = .space
            default: self = .other
            }
        }
    }
}

/// Bytes as groups of letters and digits that people copy from paper: Crockford's base 32, with a check in each group.
///
/// A group is four signs of data and one of check, which depends on the group's place: one wrong sign, two
/// that were exchanged, and two groups that were exchanged are found for certain; anything else in 31 of 32 groups.
enum GroupCode {
    /// No I, L, O and U: read as 1, 1 and 0, or as a mistake.
    private static let signs: [Character] = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    static let dataSignCount = 4
    static let groupSignCount = dataSignCount + 1

    /// Groups for numbers of 5 bits; as many numbers as fill groups.
    static func groups(of numbers: [UInt8]) -> [String] {
        precondition(numbers.count % dataSignCount == 0, "\(numbers.count) numbers do not fill groups")
        return stride(from: 0, to: numbers.count, by: dataSignCount).map { start in
            let data = Array(numbers[start..<start + dataSignCount])
            let check = check(of: data, at: start / dataSignCount)
            return text(of: data + [check])
        }
    }

    /// The numbers of a group; nil when it is mistyped.
    static func numbers(of group: some StringProtocol, at place: Int) -> [UInt8]? {
        let numbers = group.compactMap(number)
        guard numbers.count == groupSignCount, group.count == groupSignCount else { return nil }
        let data = Array(numbers.dropLast())
        return check(of: data, at: place) == numbers.last ? data : nil
    }

    /// Cuts what was typed into groups: signs that mean nothing are left out.
    static func cut(_ text: String) -> [String] {
        let signs = text.filter { $0.isLetter || $0.isNumber }
        return stride(from: 0, to: signs.count, by: groupSignCount).map { start in
            String(signs.dropFirst(start).prefix(groupSignCount))
        }
    }

    /// Numbers of 5 bits as signs.
    static func text(of numbers: some Sequence<UInt8>) -> String { String(numbers.map { signs[Int($0)] }) }

    /// What a sign stands for; nil for none of ours.
    static func number(_ sign: Character) -> UInt8? {
        switch sign {
        case "o", "O": 0
        case "i", "I", "l", "L": 1
        default: signs.firstIndex { String($0) == sign.uppercased() }.map(UInt8.init)
        }
    }

    /// The sum of the numbers, each times another element of the field of 32, and of the group's place.
    static func check(of data: [UInt8], at place: Int) -> UInt8 {
        precondition(place < 32, "a group at place \(place)")
        var (sum, factor) = (UInt8(place), UInt8(1))
        for number in data {
            factor = product(factor, 2)
            sum ^= product(number, factor)
        }
        return sum
    }

    /// In the field of 32 elements with x^5 + x^2 + 1.
    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in 0..<5 where right >> bit & 1 == 1 {
            var term = left
            for _ in 0..<bit { term = term << 1 ^ (term & 0x10 == 0 ? 0 : 0x25) }
            product ^= term & 0x1F
        }
        return product
    }

    /// Bits in groups of five, the highest first; what is left over at the end is filled up with `filling`.
    static func numbers(of bytes: [UInt8], filling: UInt8) -> [UInt8] {
        var (numbers, buffer, bitCount) = ([UInt8](), UInt32(0), 0)
        for byte in bytes {
            (buffer, bitCount) = (buffer << 8 | UInt32(byte), bitCount + 8)
            while bitCount >= 5 {
                bitCount -= 5
                numbers.append(UInt8(buffer >> bitCount & 31))
            }
        }
        if bitCount > 0 {
            let free = 5 - bitCount
            numbers.append(UInt8(buffer & (1 << bitCount - 1)) << free | filling & (1 << free - 1))
        }
        return numbers
    }

    /// Undoes `numbers(of:filling:)`.
    static func bytes(of numbers: [UInt8], count: Int) -> (bytes: [UInt8], filling: UInt8) {
        var (bytes, buffer, bitCount) = ([UInt8](), UInt32(0), 0)
        for number in numbers {
            (buffer, bitCount) = (buffer << 5 | UInt32(number), bitCount + 5)
            if bitCount >= 8, bytes.count < count {
                bitCount -= 8
                bytes.append(UInt8(buffer >> bitCount & 255))
            }
        }
        return (bytes, UInt8(buffer & (1 << bitCount - 1)))
    }
}

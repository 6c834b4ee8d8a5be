/// SHA-1 of FIPS 180-4, for the handshake of RFC 6455 and for entity tags.
///
/// Not a security function: collisions can be made at will. The handshake only shows that the server
/// understood the request, and a tag only tells one file of ours from another.
enum SHA1 {
    /// The 20 bytes of the digest.
    static func digest(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var schedule = [UInt32](repeating: 0, count: 80)
        let padded = message + padding(byteCount: message.count)
        for start in stride(from: 0, to: padded.count, by: 64) {
            for index in 0..<16 {
                let at = start + index * 4
                schedule[index] =
                    UInt32(padded[at]) << 24 | UInt32(padded[at + 1]) << 16 | UInt32(padded[at + 2]) << 8
                    | UInt32(padded[at + 3])
            }
            for index in 16..<80 {
                schedule[index] = rotated(
                    schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16],
                    1
                )
            }
            mix(schedule, into: &state)
        }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
    }

    private static func padding(byteCount: Int) -> [UInt8] {
        let zeroCount = (119 - byteCount % 64) % 64
        let bitCount = UInt64(byteCount) * 8
        return [0x80] + [UInt8](repeating: 0, count: zeroCount)
            + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bitCount >> UInt64($0)) }
    }

    private static func mix(_ schedule: [UInt32], into state: inout [UInt32]) {
        var (one, two, three, four, five) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (choice, constant): (UInt32, UInt32) =
                switch index / 20 {
                case 0: ((two & three) | (~two & four), 0x5A82_7999)
                case 1: (two ^ three ^ four, 0x6ED9_EBA1)
                case 2: ((two & three) | (two & four) | (three & four), 0x8F1B_BCDC)
                default: (two ^ three ^ four, 0xCA62_C1D6)
                }
            let next = rotated(one, 5) &+ choice &+ five &+ constant &+ schedule[index]
            (five, four, three, two, one) = (four, three, rotated(two, 30), one, next)
        }
        state[0] &+= one
        state[1] &+= two
        state[2] &+= three
        state[3] &+= four
        state[4] &+= five
    }

    private static func rotated(_ word: UInt32, _ bitCount: UInt32) -> UInt32 {
        word << bitCount | word >> (32 - bitCount)
    }
}

/// A number for a text or bytes that is the same in every process and release, unlike `hashValue`: FNV-1a, of 64 bits.
package enum StableHash {
    package static func of(_ text: String) -> UInt64 { of(text.utf8) }

    package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

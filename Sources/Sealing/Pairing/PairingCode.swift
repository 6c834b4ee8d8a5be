package import Cryptography

/// What a person carries from the first device to the second: twelve signs in three groups.
///
/// Eight are the hub's name of the pairing, three are random and known to the two devices only, one is a check. They keep
/// strangers from the pairing, who would have to guess them; the hub, which passes the messages on and could
/// alter them, is found by the check phrase.
package struct PairingCode: Hashable, Sendable, CustomStringConvertible {
    /// How many signs the hub's name of a pairing has, of Crockford's base 32.
    package static let pairingSignCount = 8
    private static let secretSignCount = 3
    private static let dataSignCount = pairingSignCount + secretSignCount
    private static let textMark = "#pair="

    /// The hub's name of the pairing, in capitals.
    package let pairing: String
    /// All but the check, as numbers of 5 bits.
    let signs: [UInt8]

    /// A code for a pairing that the hub has begun.
    ///
    /// - Parameter pairing: The hub's name, as it gave it.
    /// - Throws: `malformed` for a name that no hub of ours gives.
    package init(pairing: String, random: RandomSource) throws(SealingError) {
        let name = pairing.compactMap(GroupCode.number)
        guard name.count == Self.pairingSignCount, GroupCode.text(of: name) == pairing else {
            throw .malformed("The hub's name of the pairing", "it has not eight capitals and digits of ours")
        }
        let secret = try SealingError.calling { () throws(CryptographyError) in
            try random(Self.secretSignCount)
        }
        (self.pairing, signs) = (pairing, name + secret.map { $0 & 31 })
    }

    /// Reads what was typed in, or a QR code's text; case, spaces and dashes do not matter.
    ///
    /// - Throws: `mistyped`.
    package init(typed text: String) throws(SealingError) {
        let code = text.firstRange(of: Self.textMark).map { text[$0.upperBound...] } ?? text[...]
        let typed = code.filter { $0.isLetter || $0.isNumber }
        let signs = typed.compactMap(GroupCode.number)
        guard typed.count == signs.count, signs.count == Self.dataSignCount + 1,
            GroupCode.check(of: Array(signs.dropLast()), at: 0) == signs.last
        else { throw SealingError(.mistyped, "The code is not as on the other device. Type it once more.") }
        self.signs = Array(signs.dropLast())
        pairing = GroupCode.text(of: signs.prefix(Self.pairingSignCount))
    }

    /// As it is shown: three groups of four.
    package var description: String {
        let text = GroupCode.text(of: signs + [GroupCode.check(of: signs, at: 0)])
        return stride(from: 0, to: text.count, by: 4)
            .map { String(text.dropFirst($0).prefix(4)) }
            .joined(separator: "-")
    }

    /// For a QR code: the hub's address, and the code in its fragment, which browsers send to nobody.
    package func text(hub address: String) -> String { address + Self.textMark + description }

    /// The hub's address in a QR code's text; nil when there is none.
    package static func hubAddress(in text: String) -> String? {
        text.firstRange(of: textMark).map { String(text[..<$0.lowerBound]) }
    }
}

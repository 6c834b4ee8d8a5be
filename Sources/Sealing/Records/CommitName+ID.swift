package import HubProtocol
package import Sync

extension CommitName {
    /// What a commit is called at the hub: device, session and number in hexadecimal digits with dots between.
    package init(_ id: Commit.ID) {
        let digits = { (number: UInt64) in
            HexadecimalText.text(of: withUnsafeBytes(of: number.bigEndian) { Array($0) })
        }
        let text = "\(digits(id.device.number)).\(digits(id.session)).\(String(id.number, radix: 16))"
        guard let name = CommitName(text) else { preconditionFailure("digits and dots are a name: \(text)") }
        self = name
    }

    /// The commit that is called so; nil for a name that no commit has.
    package var commitID: Commit.ID? {
        let digits = Array(text.utf8)
        guard digits.count > 34, digits[16] == UInt8(ascii: "."), digits[33] == UInt8(ascii: "."),
            let device = Self.number(digits[..<16]), let session = Self.number(digits[17..<33]),
            // Written in one way only.
            let number = Self.number(digits[34...]), digits.count == 35 || digits[34] != UInt8(ascii: "0")
        else { return nil }
        return Commit.ID(DeviceID(device), session: session, number)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard digits.count <= 16 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}

extension ItemName {
    /// What an item is called at the hub.
    package init(_ item: ItemID) {
        self.init(
            unchecked: [item.high, item.low].flatMap { withUnsafeBytes(of: $0.bigEndian) { Array($0) } }
        )
    }

    package var itemID: ItemID {
        let number = { (part: ArraySlice<UInt8>) in part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return ItemID(number(bytes[..<8]), number(bytes[8...]))
    }
}

extension ItemID {
    /// Stands for the list of a container's devices in its log. No commit of a device's engine is about it.
    package static let devices = ItemID(0, 1)
}

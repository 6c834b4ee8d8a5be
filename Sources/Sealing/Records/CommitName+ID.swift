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
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 16, parts[1].count == 16,
            let device = UInt64(parts[0], radix: 16), let session = UInt64(parts[1], radix: 16),
            let number = UInt64(parts[2], radix: 16)
        else { return nil }
        let id = Commit.ID(DeviceID(device), session: session, number)
        // Written in one way only.
        return CommitName(id) == self ? id : nil
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

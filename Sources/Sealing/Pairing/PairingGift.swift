/// What the second device of a pairing is given.
package struct PairingGift: Hashable, Sendable {
    /// How many bytes an invitation has at most.
    package static let invitationByteCountMax = 256

    package let keys: ContainerKeys
    /// For the hub, which registers the device for it.
    package let invitation: String
    /// Who shares the container by what the first device has read, the second one among them.
    package let list: DeviceListMark

    package init(_ keys: ContainerKeys, invitation: String, list: DeviceListMark) {
        (self.keys, self.invitation, self.list) = (keys, invitation, list)
    }

    /// - Throws: `beyondLimit`.
    package func encoded() throws(SealingError) -> [UInt8] {
        guard invitation.utf8.count <= Self.invitationByteCountMax else {
            throw .beyondLimit("bytes of an invitation", Self.invitationByteCountMax)
        }
        var writer = ByteWriter()
        writer.text(invitation)
        writer.integer(list.number)
        writer.raw(list.hash.bytes)
        writer.sized(keys.encoded)
        return writer.bytes
    }

    /// - Throws: `malformed`, and what the keys in it throw.
    package init(encoded bytes: [UInt8]) throws(SealingError) {
        var reader = ByteReader(bytes, "What the first device sent")
        invitation = try reader.text(byteCountMax: Self.invitationByteCountMax)
        let number: UInt32 = try reader.integer()
        let hash = DeviceListHash(unchecked: try reader.raw(DeviceListHash.byteCount))
        list = DeviceListMark(number: number, hash: hash)
        keys = try ContainerKeys(encoded: try reader.sized(byteCountMax: WrappedKeys.byteCountMax))
        try reader.finish()
    }
}

package import Sync

/// What the second device of a pairing is given.
package struct PairingGift: Hashable, Sendable {
    /// How many bytes an invitation has at most.
    package static let invitationByteCountMax = 256

    package let keys: ContainerKeys
    /// For the hub, which registers the device for it.
    package let invitation: String
    /// Where in the container's log it stands that the device was added: until it has read so far, its list of devices
    /// lacks itself.
    package let addedAt: LogPosition

    package init(_ keys: ContainerKeys, invitation: String, addedAt: LogPosition) {
        (self.keys, self.invitation, self.addedAt) = (keys, invitation, addedAt)
    }

    func encoded() throws(SealingError) -> [UInt8] {
        guard invitation.utf8.count <= Self.invitationByteCountMax else {
            throw .beyondLimit("bytes of an invitation", Self.invitationByteCountMax)
        }
        var writer = ByteWriter()
        writer.text(invitation)
        writer.integer(addedAt)
        writer.sized(keys.encoded)
        return writer.bytes
    }

    init(encoded bytes: [UInt8]) throws(SealingError) {
        var reader = ByteReader(bytes, "What the first device sent")
        invitation = try reader.text(byteCountMax: Self.invitationByteCountMax)
        addedAt = try reader.integer()
        keys = try ContainerKeys(encoded: try reader.sized(byteCountMax: WrappedKeys.byteCountMax))
        try reader.finish()
    }
}

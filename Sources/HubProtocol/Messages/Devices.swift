package import Cryptography

/// `POST /v1/devices`, without a token: a device becomes one of the account that an invitation is of.
package struct DeviceRegistration: Codable, Hashable, Sendable {
    /// What `sheaf hub` or another device gave; it works once, and for an hour.
    package var invitation: String
    /// What its owner calls the device. The hub refuses one with control characters.
    package var name: String
    /// Ed25519.
    package var signingKey: PublicKeyBytes
    /// X25519.
    package var agreementKey: PublicKeyBytes
    /// By the signing key, of this invitation and both keys: these are known to all who share something with the device, and
    /// nobody of them is to be registered as what it is. Nil only in what comes from before registrations were signed.
    package var signature: SignatureBytes?

    /// Asks for a device to be registered, with "?" for each control character of its name: it may be a host's, or from before
    /// hubs refused such.
    ///
    /// - Throws: `CryptographyError` for want of memory.
    package init(
        invitation: String,
        name: String,
        signing: SigningKey,
        agreementKey: PublicKeyBytes
    ) throws(CryptographyError) {
        let scalars: [Unicode.Scalar] = name.unicodeScalars.map { Self.isControl($0) ? "?" : $0 }
        (self.invitation, self.name) = (invitation, String(String.UnicodeScalarView(scalars)))
        (signingKey, self.agreementKey) = (PublicKeyBytes(unchecked: signing.publicBytes), agreementKey)
        signature = SignatureBytes(unchecked: try signing.signature(of: try signedBytes()))
    }

    /// Whether it comes from who has the private half of the signing key.
    ///
    /// - Throws: `CryptographyError` for want of memory.
    package func isSigned() throws(CryptographyError) -> Bool {
        guard let signature else { return false }
        return try VerifyingKey(publicBytes: signingKey.bytes)
            .isSignature(signature.bytes, of: try signedBytes())
    }

    /// Of the invitation as it stands in the message, so that the signature is worth nothing with any other.
    private func signedBytes() throws(CryptographyError) -> [UInt8] {
        let invited = try SHA256Digest.hash(of: [Array(invitation.utf8)])
        return Array("sheaf register 1".utf8) + invited + signingKey.bytes + agreementKey.bytes
    }

    /// Whether the name has nothing that a terminal would obey, or that would begin another line.
    package var hasPlainName: Bool { !name.unicodeScalars.contains(where: Self.isControl) }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }
}

/// The answer, 201. The hub keeps no more of the token than its hash: who loses it registers anew.
package struct DeviceCredentials: Codable, Hashable, Sendable {
    package var device: DeviceName
    /// For `Authorization: Bearer`.
    package var token: String

    package init(device: DeviceName, token: String) { (self.device, self.token) = (device, token) }
}

/// A device of the account, as `GET /v1/devices` lists it.
///
/// What the hub says here is the hub's word only: whom to trust is in what devices have signed.
package struct DeviceListing: Codable, Hashable, Sendable {
    package var device: DeviceName
    package var name: String
    package var signingKey: PublicKeyBytes
    package var agreementKey: PublicKeyBytes
    /// When it was registered by the hub's clock, in whole seconds since 1970.
    package var registered: Int
    /// Whether its token is worth nothing any longer.
    package var isRevoked: Bool
    /// How far it has read logs, as far as the hub knows: those at which it has waited, and the device that asks as well, since
    /// the hub was put back if it was. Nil of a hub that does not say.
    package var reads: [ReadPosition]?
    /// The device by whose invitation it was registered. Nil for an invitation of the hub's own command, and of a hub that does
    /// not say.
    package var inviter: DeviceName?

    package init(
        device: DeviceName,
        name: String,
        signingKey: PublicKeyBytes,
        agreementKey: PublicKeyBytes,
        registered: Int,
        isRevoked: Bool
    ) {
        (self.device, self.name, self.registered) = (device, name, registered)
        (self.signingKey, self.agreementKey, self.isRevoked) = (signingKey, agreementKey, isRevoked)
    }
}

/// How far a device has read a log: to where it waited for more.
package struct ReadPosition: Codable, Hashable, Sendable {
    package var container: ContainerName
    /// All entries to this one.
    package var position: UInt64
    /// When it asked last, by the hub's clock, in whole seconds since 1970.
    package var asked: Int

    package init(_ container: ContainerName, to position: UInt64, asked: Int) {
        (self.container, self.position, self.asked) = (container, position, asked)
    }
}

/// The answer to `GET /v1/devices`: those that were revoked, too, as their commits are still in logs.
package struct DeviceListings: Codable, Hashable, Sendable {
    package var devices: [DeviceListing]

    package init(_ devices: [DeviceListing]) { self.devices = devices }
}

/// `POST /v1/invitations`: the answer, 201. For a device that invites another one.
package struct Invitation: Codable, Hashable, Sendable {
    package var invitation: String
    /// How long it works, in seconds.
    package var seconds: Int

    package init(_ invitation: String, seconds: Int) {
        (self.invitation, self.seconds) = (invitation, seconds)
    }
}

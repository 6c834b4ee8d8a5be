internal import Foundation
package import HubProtocol

/// Whose containers, devices and bytes belong together: a person's, as a rule. None sees anything of another.
package struct AccountID: Hashable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    /// The account that a hub begins with.
    package static let first = AccountID(1)
}

/// Who sends a request: a device with a token that is worth something.
package struct HubCaller: Hashable, Sendable {
    package let device: DeviceName
    package let account: AccountID

    package init(device: DeviceName, account: AccountID) {
        (self.device, self.account) = (device, account)
    }
}

/// A device that is to be registered, with what is kept of its token.
package struct NewDevice: Hashable, Sendable {
    package var device: DeviceName
    package var tokenHash: [UInt8]
    package var name: String
    package var signingKey: PublicKeyBytes
    package var agreementKey: PublicKeyBytes

    package init(
        device: DeviceName,
        tokenHash: [UInt8],
        name: String,
        signingKey: PublicKeyBytes,
        agreementKey: PublicKeyBytes
    ) {
        (self.device, self.tokenHash, self.name) = (device, tokenHash, name)
        (self.signingKey, self.agreementKey) = (signingKey, agreementKey)
    }
}

/// What happened in a store, from whatever process, that somebody may be waiting for.
package enum HubNews: Hashable, Sendable {
    /// A container's log is longer.
    case entries(ContainerName)
    /// The hub's owner has removed a container.
    case removed(ContainerName)
    /// A device's token is worth nothing any longer.
    case revoked(DeviceName)
    /// A pairing has one more message.
    case pairing(String)
}

/// Keeps accounts, devices, containers, wrapped keys and logs, and passes on what two devices that pair leave for each other.
///
/// What it has acknowledged is on stable storage, but for pairings, which last ten minutes and may be begun
/// again, and for what is noted of who has read what. Errors that a client is to hear of are `HubRefusal`s,
/// and `QuotaExceeded`.
/// Any thread; nothing that is not `async` may block.
package protocol RecordStore: Sendable {
    /// Tells `observer` of news, in no order, on any thread, for as long as the store lives.
    func observe(_ observer: @escaping @Sendable (HubNews) -> Void)

    /// Keeps an invitation by the hash of its text, until a time in seconds since 1970.
    ///
    /// - Parameters:
    ///   - inviter: The device that has asked for it. Once that is revoked it is worth nothing.
    ///   - uptime: When it is by a clock that never goes back: by that the invitation lives for as long as this process does. Nil
    ///     for none.
    /// - Throws: `HubRefusal` when devices of the account have asked for too many that nobody has used.
    func addInvitation(
        hash: [UInt8],
        to account: AccountID,
        by inviter: DeviceName?,
        until: Int,
        uptime: Double?
    ) async throws
    /// Registers a device, and uses its invitation up.
    ///
    /// - Parameters:
    ///   - now: When it is, in seconds since 1970.
    ///   - uptime: And by the clock of `addInvitation`.
    /// - Returns: Nil when there is no such invitation at this time.
    /// - Throws: `HubRefusal` when the account has too many devices, for an invitation of one of them.
    func register(
        _ device: NewDevice,
        invitationHash: [UInt8],
        now: Int,
        uptime: Double?
    ) async throws -> AccountID?
    /// Gives a device another token that was registered by the same invitation under the same keys and name: it has not heard the
    /// first one. That is worth nothing any longer.
    ///
    /// - Returns: The device as it was registered; nil where none was so, it is revoked, or the invitation is not good at this time.
    func registerAgain(
        _ device: NewDevice,
        invitationHash: [UInt8],
        now: Int,
        uptime: Double?
    ) async throws -> HubCaller?
    /// Whose token has this hash; nil for nobody's.
    func caller(tokenHash: [UInt8]) -> HubCaller?
    /// Whether a token was a device's that has been revoked.
    func isRevoked(tokenHash: [UInt8]) -> Bool
    /// The devices of a caller's account, with how far each has read those logs that the caller has read.
    ///
    /// What this process was told is there at once, what another one was in a second or two.
    func devices(for caller: HubCaller) async throws -> [DeviceListing]
    /// Has a device be nobody, and what it has left in wrapped keys go, less what others may need.
    ///
    /// - Returns: Whether there is such a device; one that was revoked before counts.
    func revoke(_ device: DeviceName, of account: AccountID) async throws -> Bool

    /// Begins a pairing.
    ///
    /// - Parameters:
    ///   - name: Eight letters that nobody can guess.
    ///   - now: Seconds by a clock that never goes back, as for its messages.
    /// - Throws: `HubRefusal` when the account has too many.
    func beginPairing(_ name: String, for account: AccountID, now: Int) async throws
    /// Keeps a message of a pairing for the other device.
    ///
    /// - Returns: Its number.
    /// - Throws: `HubRefusal` for a pairing that is not there or over, and for a message too long or too many.
    func addMessage(_ message: PairingMessage, toPairing name: String, now: Int) async throws -> Int
    /// The messages of a pairing after a number.
    ///
    /// - Throws: `HubRefusal` for a pairing that is not there or over.
    func messages(
        ofPairing name: String,
        after number: Int,
        now: Int
    ) async throws -> [NumberedPairingMessage]

    /// Makes a container, unless it is there.
    ///
    /// - Returns: Whether it was made. A name that another account has is refused, and one more than an account may have.
    /// - Throws: `HubRefusal` with code `removed` for one that the hub's owner has removed.
    func makeContainer(_ container: ContainerName, for account: AccountID) async throws -> Bool
    func containers(of account: AccountID) async throws -> [ContainerListing]
    /// The end of a container's log; nil where the account has no such container, or it was removed.
    func head(of container: ContainerName, for account: AccountID) -> LogHead?
    /// Whether the hub's owner has removed a container of the account. Nothing is read of it, or added to it, from then on.
    func isRemoved(_ container: ContainerName, of account: AccountID) -> Bool

    /// Keeps wrapped keys, which count as the account's bytes.
    ///
    /// - Returns: False when other keys are there under this generation.
    /// - Throws: `HubRefusal` when there are too many, and with code `revoked` when the caller was revoked before they had their turn.
    func putKeys(
        _ keys: WrappedKeys,
        for device: DeviceName,
        in container: ContainerName,
        by caller: HubCaller,
        byteCountMax: Int
    ) async throws -> Bool
    func keys(for device: DeviceName, in container: ContainerName) async throws -> WrappedKeysList

    /// Takes or refuses commits, in order, each for itself.
    ///
    /// - Parameter byteCountMax: What the account's records may come to.
    /// - Throws: `HubRefusal` with code `revoked` when the caller was revoked before its commits had their turn: none of them
    ///   comes after that in any log.
    func commit(
        _ commits: [OfferedCommit],
        to container: ContainerName,
        by caller: HubCaller,
        byteCountMax: Int
    ) async throws -> CommitAnswers
    /// Notes how far a device has read a log: to where it waits for more, which is not behind the log's end.
    ///
    /// For each request that waits, so it is gathered before it is written, and a power cut may take it. A
    /// position never goes back but with the log; a store that was put back to a backup knows of none.
    func note(_ place: ReadPosition, of device: DeviceName)
    /// What comes after a position, and the log's head: of no more than `head(of:for:)` tells by then.
    func page(of container: ContainerName, after position: UInt64, limit: Int) async throws -> LogPage
    /// How many bytes an account's records come to.
    func byteCount(of account: AccountID) -> Int
}

extension RecordStore {
    /// Keeps an invitation that lives by the clock alone.
    package func addInvitation(
        hash: [UInt8],
        to account: AccountID,
        by inviter: DeviceName?,
        until: Int
    ) async throws {
        try await addInvitation(hash: hash, to: account, by: inviter, until: until, uptime: nil)
    }

    /// Registers a device by the clock alone.
    package func register(
        _ device: NewDevice,
        invitationHash: [UInt8],
        now: Int
    ) async throws -> AccountID? {
        try await register(device, invitationHash: invitationHash, now: now, uptime: nil)
    }
}

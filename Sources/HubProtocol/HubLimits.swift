/// What a hub takes at most. Part of the protocol: a client that keeps to it is never refused for size.
package enum HubLimits {
    /// A commit's sealed record, in bytes.
    package static let recordByteCountMax = 256 << 10
    /// Commits in one request.
    package static let commitCountMax = 1000
    /// The body of a request that has JSON in it, in bytes.
    package static let jsonByteCountMax = 8 << 20
    /// A blob, in bytes.
    package static let blobByteCountMax = 64 << 20
    /// The frames of one request or answer together, in bytes.
    package static let framesByteCountMax = 32 << 20
    /// Names of blobs in one request, and frames: of an answer there are no more either.
    package static let blobNameCountMax = 10_000
    /// Entries of a log in one answer.
    package static let entryCountMax = 1000
    /// How many bytes of records one answer with entries holds, but for the first entry, which always comes.
    package static let entriesByteCountMax = 8 << 20
    /// How long a request waits for news, in seconds.
    package static let waitSecondsMax = 60
    /// Wrapped keys of one device and generation, in bytes.
    package static let wrappedKeyByteCountMax = 4 << 10
    /// A message between devices that pair, in bytes.
    package static let pairingMessageByteCountMax = 4 << 10
    /// Messages in one pairing.
    package static let pairingMessageCountMax = 16
    /// How long a pairing lives, in seconds.
    package static let pairingSeconds = 600
    /// How long an invitation lives, in seconds.
    package static let invitationSeconds = 3600
    /// What a device is called by its owner, in bytes of UTF-8.
    package static let labelByteCountMax = 200
}

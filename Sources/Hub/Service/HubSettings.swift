/// What the owner of a hub can choose.
package struct HubSettings: Sendable {
    /// What an account may keep, in bytes.
    package var quotaByteCount = Int.max / 2
    /// What records may come to beyond that, in bytes: whoever has used up the quota has to be able to say what is removed.
    var spareByteCount: Int { min(quotaByteCount / 16, 4 << 20) }
    /// How much of the volume's room no blob gets, in bytes: records are small, and find room there when blobs do no more.
    package var reserveByteCount = 64 << 20
    /// How long released blobs are kept, in seconds.
    package var retentionSeconds = 30 * 86_400
    /// How long an unfinished blob is kept that nobody goes on with, in seconds.
    package var uploadSeconds = 7 * 86_400
    /// What answers may take in memory that have not been sent, of all accounts together; as `BodyBudget` has it.
    var answerByteCountMax = BodyBudget.byteCountMax
    /// Requests of one device: at once, and a second in the long run.
    package var deviceRate = (burst: 2000.0, perSecond: 500.0)
    /// Requests without a token, and wrong ones, of one address.
    package var addressRate = (burst: 30.0, perSecond: 0.5)
    /// Requests without a token of all addresses together.
    package var anonymousRate = (burst: 300.0, perSecond: 20.0)
    /// Requests of one device that wait for news.
    package var waitingCountMax = 64
    /// Whether requests come through a proxy of ours, which says in `X-Forwarded-For` whose they are.
    package var isBehindProxy = false

    package init() {}
}

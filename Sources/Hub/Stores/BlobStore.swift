internal import Foundation
package import HTTPService
package import HubProtocol

/// Where a blob belongs.
package struct BlobOwner: Hashable, Sendable {
    package let container: ContainerName
    package let account: AccountID

    package init(_ container: ContainerName, _ account: AccountID) {
        (self.container, self.account) = (container, account)
    }
}

/// Keeps blobs, which never change under their names.
///
/// What it has acknowledged is on stable storage. Any thread; nothing that is not `async` may block for longer than a
/// write into the page cache.
///
/// A blob that was found not to be readable is missing until it is sent again.
package protocol BlobStore: Sendable {
    /// Tells `observer` of blobs that cannot be read, once of each, in lines without a secret: on any thread, for as long as the
    /// store lives.
    func observeFaults(_ observer: @escaping @Sendable (String) -> Void)
    /// Which of the names have no blob; those that were released and are asked for are kept again.
    func missing(_ names: [BlobName], of owner: BlobOwner) async throws -> [BlobName]
    /// Begins to take blobs that become durable together.
    ///
    /// - Parameters:
    ///   - byteCount: What they may come to; counts in the account until the batch has ended, or nobody has it any longer.
    ///   - byteCountMax: What the account's blobs may come to, with these.
    /// - Throws: `QuotaExceeded` when there is no room for them; `HubRefusal` when the volume has none but for records.
    func begin(for owner: BlobOwner, byteCount: Int, byteCountMax: Int) throws -> any BlobBatch
    /// Frames of blobs in the order of their names, as many as fit; those that are missing are left out.
    func frames(of names: [BlobName], of owner: BlobOwner) async throws -> BlobFrameList
    /// One blob; nil when it is missing, or was just found not to be readable.
    func body(of name: BlobName, of owner: BlobOwner) async throws -> WebResponse.Body?
    /// Begins to keep blobs for a while only, but for those that were sent or asked for a short while ago.
    ///
    /// - Returns: How many of the others there are, and those.
    func release(_ names: [BlobName], of owner: BlobOwner) async throws -> (count: Int, spared: [BlobName])
    /// Begins a piece of a blob that comes in several requests.
    ///
    /// - Parameter byteCountMax: What the account's blobs may come to, with this one as a whole.
    /// - Throws: `HubRefusal` when it does not begin where the last one ended, or when another request is at it, or when
    ///   too many are unfinished, or when the volume has no room for the piece but for records; `QuotaExceeded` when there is no
    ///   room for the whole.
    func beginPiece(
        _ name: BlobName,
        of owner: BlobOwner,
        _ range: PieceRange,
        byteCountMax: Int
    ) throws -> any BlobPiece
    /// How much there is of an unfinished blob; nil for nothing. A piece of which nothing has come for a while ends.
    func uploadOffset(of name: BlobName, of owner: BlobOwner) async -> Int?
    /// How many bytes an account's blobs come to: those that are unfinished with all that they are to have, and batches that have
    /// begun with all that they may come to.
    func byteCount(of account: AccountID) -> Int
    /// Deletes what was released so many seconds ago, and unfinished blobs that nobody has gone on with for so many.
    ///
    /// How much time has gone by the store knows by itself, and never by a clock that somebody can set: it is rather less than
    /// it truly was.
    func sweep(retentionSeconds: Int, uploadSeconds: Int) async throws
}

/// Which bytes of a blob a piece has: `Content-Range: bytes FIRST-LAST/TOTAL`.
package struct PieceRange: Hashable, Sendable {
    package let first: Int
    /// How many bytes the piece has.
    package let byteCount: Int
    /// How many bytes the whole blob has.
    package let total: Int

    package init(first: Int, byteCount: Int, total: Int) {
        (self.first, self.byteCount, self.total) = (first, byteCount, total)
    }

    /// Reads the header's value.
    package init?(_ text: String) {
        guard text.hasPrefix("bytes ") else { return nil }
        let sides = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, let total = Int(sides[1]), total > 0 else { return nil }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]),
            (0...last).contains(first), last < total
        else { return nil }
        self.init(first: first, byteCount: last - first + 1, total: total)
    }
}

/// Blobs of one request that become durable together. One thread at a time; `commit` or `abandon` ends it.
package protocol BlobBatch: AnyObject, Sendable {
    /// The next blob begins, of so many bytes, which follow.
    ///
    /// - Throws: `HubRefusal`, as `append` and `commit` do, when of any blob more or fewer come.
    func begin(_ name: BlobName, byteCount: Int) throws
    func append(_ bytes: UnsafeRawBufferPointer) throws
    /// Makes all of them durable. Those whose names were there are dropped.
    ///
    /// - Returns: How many were new.
    func commit() async throws -> Int
    /// No more comes: forgets the blob that is not whole. What is whole may be made durable.
    ///
    /// - Returns: Whether any is.
    func dropUnfinished() -> Bool
    /// Forgets them.
    func abandon()
}

/// A piece of a blob. One thread at a time; `commit` or `abandon` ends it.
package protocol BlobPiece: AnyObject, Sendable {
    func append(_ bytes: UnsafeRawBufferPointer) throws
    /// Makes what came durable, and the blob whole if that was the rest of it.
    ///
    /// - Returns: How much of the blob there is.
    func commit() async throws -> Int
    /// The piece was cut off: what came of it is kept.
    func abandon()
}

/// Frames as an answer.
package struct BlobFrameList: Sendable {
    package var byteCount: Int
    package var source: any HTTPBodySource

    package init(byteCount: Int, source: any HTTPBodySource) {
        (self.byteCount, self.source) = (byteCount, source)
    }
}

internal import Foundation
internal import HTTPService
internal import Locks

extension HubService {
    /// Smaller answers are not counted, in bytes: a connection takes as much.
    private static let uncountedByteCountMax = 64 << 10

    /// Puts an answer together that may be large, unless its account has too much in memory already.
    func largeAnswer(
        for account: AccountID,
        _ produce: () async throws -> WebResponse
    ) async throws -> WebResponse {
        try await desk.perform {
            try answers.check(account)
            return try counted(try await produce(), for: account)
        }
    }

    /// An answer as it goes out to a device of an account. A large one counts until it was sent, or nobody reads it any longer.
    ///
    /// - Throws: `HubRefusal` where the account has too much in memory that its devices have not read.
    func counted(_ response: WebResponse, for account: AccountID) throws -> WebResponse {
        guard case .bytes(let bytes) = response.body, bytes.count > Self.uncountedByteCountMax else {
            return response
        }
        let share = try answers.share(bytes.count, of: account)
        var counted = response
        counted.body = .parts(byteCount: UInt64(bytes.count)) { HeldBytes(bytes, $0, share) }
        return counted
    }
}

/// Bytes of an answer, and its share of what answers may take, for as long as anybody needs them. They are not copied.
///
/// What is left is under one lock, though only one thread at a time has it.
private final class HeldBytes: HTTPBodySource {
    private let share: BodyBudget.Share
    private let left: Locked<Data>

    init(_ bytes: Data, _ range: Range<UInt64>, _ share: BodyBudget.Share) {
        left = Locked(bytes.dropFirst(Int(range.lowerBound)).prefix(range.count))
        self.share = share
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        left.withLock { left in
            let piece = left.prefix(buffer.count)
            buffer.copyBytes(from: piece)
            left = left.dropFirst(piece.count)
            return piece.count
        }
    }
}

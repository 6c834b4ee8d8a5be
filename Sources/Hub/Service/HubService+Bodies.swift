internal import Foundation
internal import HTTPService
internal import HubProtocol
internal import Locks

extension HubService {
    /// Reads a message and answers it.
    ///
    /// - Parameter account: Whose message it is; nil where nobody knows.
    func receiveJSON<Message: Decodable & Sendable>(
        _ request: WebRequest,
        of account: AccountID?,
        byteCountMax: Int,
        _ produce: @escaping @Sendable (HubService, Message) async throws -> WebResponse
    ) throws -> HTTPAnswer {
        let byteCount = try declaredByteCount(request, max: byteCountMax)
        let share = try budget.share(byteCount, of: account)
        let receiver = MessageReceiver(byteCount: byteCount) { data in
            await self.outcome { service in
                let message = try HubMessage.decoded(Message.self, from: data)
                defer { withExtendedLifetime(share) {} }
                let response = try await produce(service, message)
                return try account.map { try service.counted(response, for: $0) } ?? response
            }
        }
        return .receive(receiver, byteCountMax: UInt64(byteCountMax))
    }

    /// How long the body says it is.
    ///
    /// A body with a transfer encoding ends where that says, whatever `Content-Length` has beside it: refused.
    func declaredByteCount(_ request: WebRequest, max: Int) throws -> Int {
        guard !request.hasHeader("Transfer-Encoding") else {
            throw HubRefusal(
                411,
                .lengthRequired,
                "Say with Content-Length how long the body is, and send it without Transfer-Encoding."
            )
        }
        guard let text = request.header("Content-Length"), let byteCount = Int(text), byteCount >= 0 else {
            throw HubRefusal(411, .lengthRequired, "Say with Content-Length how long the body is.")
        }
        guard byteCount <= max else {
            throw HubRefusal.tooLarge(
                "The body has \(byteCount) bytes and may have \(max). Send less at a time."
            )
        }
        return byteCount
    }
}

/// Gathers a message.
///
/// Its state is under one lock, though only one thread at a time has it.
final class MessageReceiver: HTTPBodyReceiver {
    private let data: Locked<Data>
    private let produce: @Sendable (Data) async -> WebResponse

    init(byteCount: Int, _ produce: @escaping @Sendable (Data) async -> WebResponse) {
        // Room for what comes, not for what somebody says will come.
        data = Locked(Data(capacity: min(byteCount, 64 << 10)))
        self.produce = produce
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        data.withLock { $0.append(contentsOf: bytes) }
    }

    func finish() -> HTTPOutcome {
        let data = data.withLock { data in
            defer { data = Data() }
            return data
        }
        return .wait { [produce] in await produce(data) }
    }

    func abandon() {}
}

/// Hands a body on as it comes, to what may fail.
///
/// Its state is under one lock, though only one thread at a time has it. After an error the rest of the body is read
/// and dropped, so that the client reads the answer.
final class StreamReceiver: HTTPBodyReceiver {
    private let failure = Locked<(any Error)?>(nil)
    private let take: @Sendable (UnsafeRawBufferPointer) throws -> Void
    private let end: @Sendable ((any Error)?) async -> WebResponse
    private let drop: @Sendable ((any Error)?) -> Void

    /// - Parameters:
    ///   - take: Takes the next bytes.
    ///   - drop: Called when the body has broken off, or after an error, with that.
    ///   - end: Answers when the body is whole, or with the error.
    init(
        take: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void,
        drop: @escaping @Sendable ((any Error)?) -> Void,
        end: @escaping @Sendable ((any Error)?) async -> WebResponse
    ) {
        (self.take, self.drop, self.end) = (take, drop, end)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        guard failure.withLock({ $0 == nil }) else { return }
        do { try take(bytes) } catch {
            failure.withLock { $0 = error }
            drop(error)
        }
    }

    func finish() -> HTTPOutcome {
        let failure = failure.withLock { $0 }
        return .wait { [end] in await end(failure) }
    }

    func abandon() {
        if failure.withLock({ $0 == nil }) { drop(nil) }
    }
}

internal import FileSystem
internal import Foundation
internal import HTTPService
internal import HubProtocol
internal import SQLite

extension WebResponse {
    /// JSON in memory.
    static func json(_ value: some Encodable, status: Int = 200, isSteady: Bool = false) -> WebResponse {
        do {
            return .json(encoded: try HubMessage.encoded(value, isSteady: isSteady), status: status)
        } catch {
            // Texts and whole numbers: there is nothing in our messages that could not be encoded.
            preconditionFailure("a message could not be encoded: \(error)")
        }
    }

    /// JSON that has been made.
    static func json(encoded body: Data, status: Int = 200) -> WebResponse {
        WebResponse(
            status: status,
            headers: [WebHeader("Content-Type", "application/json"), WebHeader("Cache-Control", "no-store")],
            body: .bytes(body)
        )
    }

    /// What a client is told that is refused.
    static func refusal(_ refusal: HubRefusal) -> WebResponse {
        var response = WebResponse.json(refusal.failure, status: refusal.status)
        if let seconds = refusal.retrySeconds { response = response.setting("Retry-After", "\(seconds)") }
        if let offset = refusal.uploadOffset {
            response = response.setting(HubHeader.uploadOffset, "\(offset)")
        }
        if !refusal.methods.isEmpty {
            response = response.setting("Allow", refusal.methods.joined(separator: ", "))
        }
        if refusal.status == 401 { response = response.setting("WWW-Authenticate", "Bearer") }
        return response
    }
}

extension HubRefusal {
    /// What a client is told of any error.
    init(any error: any Error) {
        switch error {
        case let refusal as HubRefusal: self = refusal
        case BlobFrameError.tooMany: self = .tooLarge("\(BlobFrameError.tooMany)")
        case let error as BlobFrameError: self = .malformed("\(error)")
        case let error as DecodingError: self = .malformed(error.sentence)
        case let error as SystemError where error.isFull: self = .volumeFull
        case let error as SQLiteError where error.isFull: self = .volumeFull
        default:
            self.init(500, .fault, "The hub could not do it; its log says why. Try again, or ask its owner.")
        }
    }
}

extension DecodingError {
    /// What is wrong with JSON, in a sentence.
    fileprivate var sentence: String {
        let (context, what): (Context, String) =
            switch self {
            case .keyNotFound(let key, let context): (context, "“\(key.stringValue)” is missing.")
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context, context.debugDescription)
            @unknown default: (Context(codingPath: [], debugDescription: ""), "It cannot be read.")
            }
        let place = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            .joined(separator: ".")
        return "The body is not what is expected" + (place.isEmpty ? ": " : " at \(place): ") + what
    }
}

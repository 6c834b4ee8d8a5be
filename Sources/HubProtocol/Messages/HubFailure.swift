/// What a hub answers when it does not do what it was asked for.
package struct HubFailure: Codable, Hashable, Sendable, Error {
    package struct Details: Codable, Hashable, Sendable {
        package var code: HubFailureCode
        /// What is wrong and what to do about it, in sentences for a person.
        package var message: String

        package init(code: HubFailureCode, message: String) { (self.code, self.message) = (code, message) }
    }

    package var error: Details

    package init(_ code: HubFailureCode, _ message: String) { error = Details(code: code, message: message) }
}

extension HubFailure: CustomStringConvertible {
    /// What the hub says, for a person: its message, shortened, and with "?" for all that a terminal would obey.
    package var description: String {
        let scalars = error.message.unicodeScalars
        let plain: [Unicode.Scalar] = scalars.prefix(Self.scalarCountMax).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "?"
            default: scalar
            }
        }
        let isWhole = scalars.dropFirst(Self.scalarCountMax).isEmpty
        return String(String.UnicodeScalarView(plain)) + (isWhole ? "" : "…")
    }

    /// A hub is not trusted, and says what it likes: its own sentences are shorter.
    private static let scalarCountMax = 500
}

/// What is wrong, for a program. A client takes a code that it does not know by the answer's status.
package struct HubFailureCode: RawRepresentable, Codable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// 400: the request is not well formed.
    package static let malformed = HubFailureCode(rawValue: "malformed")
    /// 401: no token, or none that was ever worth anything.
    package static let unauthorized = HubFailureCode(rawValue: "unauthorized")
    /// 401: the device had a token, and was shut out.
    package static let revoked = HubFailureCode(rawValue: "revoked")
    /// 403: the invitation is used up, too old or wrong.
    package static let badInvitation = HubFailureCode(rawValue: "bad-invitation")
    /// 404: there is no such thing, or it is not the account's.
    package static let notFound = HubFailureCode(rawValue: "not-found")
    /// 405: the address does not take this method.
    package static let methodNotAllowed = HubFailureCode(rawValue: "method-not-allowed")
    /// 409: something else is there already.
    package static let conflict = HubFailureCode(rawValue: "conflict")
    /// 409: a piece of an upload does not begin where the one before ended; `Upload-Offset` says where.
    package static let wrongOffset = HubFailureCode(rawValue: "wrong-offset")
    /// 410: the container was here, and the hub's owner has removed it. Nobody makes it again.
    package static let removed = HubFailureCode(rawValue: "removed")
    /// 411: a body must say how long it is.
    package static let lengthRequired = HubFailureCode(rawValue: "length-required")
    /// 413: over a limit.
    package static let tooLarge = HubFailureCode(rawValue: "too-large")
    /// 416: a range that the blob does not have.
    package static let badRange = HubFailureCode(rawValue: "bad-range")
    /// 429: too often; `Retry-After` says how many seconds to wait.
    package static let tooMany = HubFailureCode(rawValue: "too-many")
    /// 500: a fault of the hub's; its log says more.
    package static let fault = HubFailureCode(rawValue: "fault")
    /// 503: the hub is ending, or has too much to do; try again.
    package static let unavailable = HubFailureCode(rawValue: "unavailable")
    /// 507: the account's quota is full.
    package static let quota = HubFailureCode(rawValue: "quota")
    /// 507: one device can have no more wrapped keys, whoever has left those that are there; for others there may be room.
    package static let keysFull = HubFailureCode(rawValue: "keys-full")
    /// 507: the hub's volume is full, whatever the account may keep.
    package static let volumeFull = HubFailureCode(rawValue: "volume-full")

    package init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// The answer to `GET /v1/health`, without a token.
package struct HubHealth: Codable, Hashable, Sendable {
    package var status: String

    package init(status: String) { self.status = status }
}

/// Names of headers of the protocol.
package enum HubHeader {
    /// How much of an unfinished blob there is, in bytes.
    package static let uploadOffset = "Upload-Offset"
}

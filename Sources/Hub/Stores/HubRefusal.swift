package import HubProtocol

/// An account would come to more than it may keep. What that is in all the service says: a store knows its part of it.
package struct QuotaExceeded: Error {}

/// Why a hub does not do what it was asked for: what the client is told.
package struct HubRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The answer's status.
    package var status: Int
    /// The answer's body.
    package var failure: HubFailure
    /// After how many seconds it is worth another try; nil where that does not help.
    package var retrySeconds: Int?
    /// How much of an upload there is, in bytes, where that is what is wrong.
    package var uploadOffset: Int?
    /// The methods that the address takes, where this one is none of them.
    package var methods: [String] = []

    package init(_ status: Int, _ code: HubFailureCode, _ message: String) {
        self.status = status
        failure = HubFailure(code, message)
    }

    package var description: String { "\(status) \(failure.error.code.rawValue): \(failure.error.message)" }

    /// 400, with what is wrong.
    package static func malformed(_ message: String) -> HubRefusal {
        HubRefusal(400, .malformed, message)
    }

    /// 401 for a device that was shut out.
    package static var revoked: HubRefusal {
        HubRefusal(401, .revoked, "This device has been shut out by another one of its account.")
    }

    /// 404 for what is not there, or belongs to another account.
    package static func notFound(_ what: String) -> HubRefusal {
        HubRefusal(404, .notFound, "There is no such \(what) in this account. Check its name.")
    }

    /// 410 for a container that the hub's owner has removed.
    package static func removed(_ container: ContainerName) -> HubRefusal {
        HubRefusal(
            410,
            .removed,
            "The hub's owner has removed this folder from the hub. For a while he can have the hub keep it again, with "
                + "“sheaf hub keep \(container)”."
        )
    }

    /// 413, with what is too large.
    package static func tooLarge(_ message: String) -> HubRefusal {
        HubRefusal(413, .tooLarge, message)
    }

    /// 507.
    package static func quota(_ byteCount: Int) -> HubRefusal {
        HubRefusal(
            507,
            .quota,
            "The account may keep \(byteCount) bytes on this hub and this would be more. "
                + "Ask for a larger quota; what is removed leaves room only after the hub's retention."
        )
    }

    /// 507, whatever the account may keep.
    package static var volumeFull: HubRefusal {
        HubRefusal(507, .volumeFull, "The hub's volume is full. Free some space there and try again.")
    }

    /// 429.
    package static func tooMany(_ what: String, retrySeconds: Int) -> HubRefusal {
        var refusal = HubRefusal(429, .tooMany, "Too many \(what). Try again in \(retrySeconds) seconds.")
        refusal.retrySeconds = retrySeconds
        return refusal
    }
}

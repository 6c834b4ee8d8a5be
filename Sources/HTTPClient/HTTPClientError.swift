/// Why there is no answer.
package struct HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What has kept the answer away, coarse enough to switch over.
    package enum Kind: Hashable, Sendable {
        /// What was given is no address of a server, or libcurl cannot be used.
        case unusable
        /// The client was closed while the request was under way, or before.
        case closed
        /// The answer has more bytes than are taken.
        case tooLong
        /// The connection could not be made, or has ended, or nothing has come over it for too long.
        case broken
        /// Nobody whom this machine trusts says that the server is the one that was asked.
        case untrusted
    }

    package let kind: Kind
    /// For a person, without a full stop.
    package let why: String
    /// In sentences: what somebody has to do; nil where nothing helps.
    package let remedy: String?

    init(kind: Kind, why: String, remedy: String? = nil) {
        (self.kind, self.why, self.remedy) = (kind, why, remedy)
    }

    /// In sentences for a person.
    package var description: String { remedy.map { "\(why). \($0)" } ?? "\(why)." }
}

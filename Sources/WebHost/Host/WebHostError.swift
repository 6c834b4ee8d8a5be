package import Foundation
package import HTTPService

/// Why a host could not be made or started.
package struct WebHostError: Error, Sendable, CustomStringConvertible {
    /// What failed, coarse enough to switch over.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind {
            case pageUnreadable, stateUnusable, portUnavailable, serverRefused, alreadyStarted
        }
        private let kind: Kind

        /// The page's files cannot be read.
        package static var pageUnreadable: Code { Code(kind: .pageUnreadable) }
        /// The state directory cannot be used, or others could read what is in it.
        package static var stateUnusable: Code { Code(kind: .stateUnusable) }
        /// No port of this machine's loopback could be bound.
        package static var portUnavailable: Code { Code(kind: .portUnavailable) }
        /// The server's library or the kernel refused what a server needs.
        package static var serverRefused: Code { Code(kind: .serverRefused) }
        /// A host starts once.
        package static var alreadyStarted: Code { Code(kind: .alreadyStarted) }

        package var description: String { "\(kind)" }
    }

    /// What failed.
    package var code: Code
    /// The item concerned, if there is one.
    package var url: URL?
    /// The system call that refused, if one did.
    package var call: SystemCallFailure?
    /// What was tried and what to do about it, in a sentence.
    package var detail: String

    package var description: String {
        let place = url.map { " [\($0.path)]" } ?? ""
        let cause = call.map { " (\($0))" } ?? ""
        return "\(code): \(detail)\(place)\(cause)"
    }
}

public import Foundation

/// An error from coordinating access to a file.
public struct FileCoordinationError: LocalizedError, CustomNSError, Sendable {
    /// What failed, coarse enough to switch over.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Int { case presenterTimedOut = 1 }
        private let kind: Kind

        /// A presenter did not answer within `NSFileCoordinator.presenterTimeLimitSeconds`.
        public static var presenterTimedOut: Code { Code(kind: .presenterTimedOut) }

        /// The code's name.
        public var description: String { "\(kind)" }
        var number: Int { kind.rawValue }
    }

    /// What failed.
    public let code: Code
    /// The item that was to be accessed.
    public let url: URL
    /// One sentence: what was tried, on which item, what to do.
    public let detail: String

    init(_ code: Code, url: URL, detail: String) {
        self.code = code
        self.url = url
        self.detail = detail
    }

    /// The detail.
    public var errorDescription: String? { detail }
    /// Names our errors when they are seen as `NSError`.
    public static var errorDomain: String { "FileCoordinationErrorDomain" }
    /// The number of the code; never changes.
    public var errorCode: Int { code.number }
    /// The item under `NSURLErrorKey`, and the detail.
    public var errorUserInfo: [String: Any] { [NSURLErrorKey: url, NSLocalizedDescriptionKey: detail] }
}

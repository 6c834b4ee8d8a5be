public import Foundation

/// What keeps a document from being read or written, beside the errors of the file system.
public struct DocumentError: Error, CustomNSError, LocalizedError, Sendable {
    /// What failed, coarse enough to switch over.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Int { case notOverridden = 1, contentsUnknown, notOpen, notMerged }
        private let kind: Kind

        /// The subclass does not have the method that this needs.
        public static let notOverridden = Code(kind: .notOverridden)
        /// `contents(forType:)` gave something that is neither `Data` nor a `FileWrapper`.
        public static let contentsUnknown = Code(kind: .contentsUnknown)
        /// The document is not open.
        public static let notOpen = Code(kind: .notOpen)
        /// The versions in conflict did not become one.
        public static let notMerged = Code(kind: .notMerged)

        /// The code's name.
        public var description: String { "\(kind)" }
        fileprivate var number: Int { kind.rawValue }
    }

    /// What failed.
    public let code: Code
    /// The document's place.
    public let url: URL
    /// One sentence: what was tried, on which item, what to do.
    public let detail: String

    /// The domain of these errors as `NSError`.
    public static let errorDomain = "SheafDocumentErrorDomain"
    /// The number of the code as `NSError`.
    public var errorCode: Int { code.number }
    /// The detail and the place, as `NSError` has them.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: detail, NSURLErrorKey: url] }
    /// The detail.
    public var errorDescription: String? { detail }

    static func notOverridden(_ method: String, in type: Any.Type, at url: URL) -> DocumentError {
        DocumentError(
            code: .notOverridden,
            url: url,
            detail: "“\(url.lastPathComponent)” cannot be handled: \(type) does not override \(method)."
        )
    }

    static func contentsUnknown(_ contents: Any, at url: URL) -> DocumentError {
        DocumentError(
            code: .contentsUnknown,
            url: url,
            detail:
                "“\(url.lastPathComponent)” cannot be written: contents(forType:) gave \(type(of: contents)); "
                + "give Data or a FileWrapper, or override writeContents(_:to:for:originalContentsURL:)."
        )
    }

    static func notMerged(at url: URL) -> DocumentError {
        DocumentError(
            code: .notMerged,
            url: url,
            detail:
                "The versions of “\(url.lastPathComponent)” cannot be merged: one is a file, the other a folder. "
                + "Choose one, or keep both."
        )
    }

    static func copiesNotMerged(at url: URL) -> DocumentError {
        DocumentError(
            code: .notMerged,
            url: url,
            detail:
                "What others wrote into “\(url.lastPathComponent)” is kept beside it, and is not merged. "
                + "Open it, take over what is wanted, and keep the document as it is."
        )
    }

    static func keepsChanging(at url: URL) -> DocumentError {
        DocumentError(
            code: .notMerged,
            url: url,
            detail:
                "The versions of “\(url.lastPathComponent)” were not merged: it is being edited all the time. "
                + "Try again in a moment."
        )
    }

    static func notOpen(_ what: String, at url: URL) -> DocumentError {
        DocumentError(
            code: .notOpen,
            url: url,
            detail: "“\(url.lastPathComponent)” cannot be \(what): it is not open. Open it first."
        )
    }

    static func ended(_ what: String, at url: URL) -> DocumentError {
        DocumentError(
            code: .notOpen,
            url: url,
            detail:
                "“\(url.lastPathComponent)” cannot be \(what): the device on which it was open has crashed, or is no more. "
                + "Open it again."
        )
    }
}

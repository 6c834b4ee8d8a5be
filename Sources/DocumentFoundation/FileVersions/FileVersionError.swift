internal import FileSystem
public import Foundation
internal import Vault

/// What keeps versions of documents from being kept, beside what `NSFileVersion` throws.
public struct FileVersionError: LocalizedError, CustomNSError, Sendable {
    /// What failed, coarse enough to switch over.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Int { case vaultUnavailable = 1, notKept, itemAbsent }
        private let kind: Kind

        /// The place where versions are kept cannot be opened, or is switched off.
        public static var vaultUnavailable: Code { Code(kind: .vaultUnavailable) }
        /// One state of a document was not kept.
        public static var notKept: Code { Code(kind: .notKept) }
        /// Nothing is at the document's place, or it went while it was being kept.
        public static var itemAbsent: Code { Code(kind: .itemAbsent) }

        /// The code's name.
        public var description: String { "\(kind)" }
        var number: Int { kind.rawValue }
    }

    /// What failed.
    public let code: Code
    /// The document.
    public internal(set) var url: URL
    /// One or two sentences: what was tried, on which item, what to do.
    public let detail: String
    /// What was refused below.
    public let underlying: (any Error)?

    /// The detail.
    public var errorDescription: String? { detail }
    /// Names our errors when they are seen as `NSError`.
    public static var errorDomain: String { "SheafFileVersionErrorDomain" }
    /// The number of the code; never changes.
    public var errorCode: Int { code.number }
    /// The detail, the document, and what was refused below.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: detail, NSURLErrorKey: url]
        if let underlying { info[NSUnderlyingErrorKey] = underlying as NSError }
        return info
    }

    static func switchedOff(_ url: URL) -> FileVersionError {
        let detail = "Versions are switched off: SHEAF_VAULT is “off”. Start the program without it."
        return FileVersionError(code: .vaultUnavailable, url: url, detail: detail, underlying: nil)
    }

    static func unavailable(_ vault: FilePath, because error: any Error) -> FileVersionError {
        FileVersionError(
            code: .vaultUnavailable,
            url: vault.url(isDirectory: true),
            detail: """
                No versions are kept, as the vault at \(vault) cannot be opened: \(error) Documents are saved all \
                the same. Mend this, or set SHEAF_VAULT to another place.
                """,
            underlying: error
        )
    }

    static func notKept(_ url: URL, because error: any Error) -> FileVersionError {
        FileVersionError(
            code: .notKept,
            url: url,
            detail: """
                The state that “\(url.lastPathComponent)” is in was not kept as a version: \(error) The document \
                itself is as it was saved.
                """,
            underlying: error
        )
    }

    static func absent(_ url: URL, because error: any Error) -> FileVersionError {
        let detail =
            "No version of “\(url.lastPathComponent)” was kept, as nothing is there any more: \(error)"
        return FileVersionError(code: .itemAbsent, url: url, detail: detail, underlying: error)
    }
}

extension CocoaError {
    /// The error that `NSFileVersion` reports.
    ///
    /// - Parameters:
    ///   - error: A `SystemError`, a `VaultError`, a `FileVersionError` or what SQLite says.
    ///   - access: What was being done with the document.
    ///   - url: The document.
    init(version error: any Error, while access: FileAccess, url: URL) {
        switch error {
        case let error as CocoaError: self = error
        case let error as SystemError: self.init(error, while: access, url: url)
        case let error as VaultError:
            self.init(Self.code(of: error, access), userInfo: Self.info(error.description, error, url))
        case let error as FileVersionError:
            let code: Code = access == .reading ? .fileReadUnknown : .fileWriteUnknown
            let isOff = error.code == .vaultUnavailable && error.underlying == nil
            self.init(isOff ? .featureUnsupported : code, userInfo: Self.info(error.detail, error, url))
        default:
            let code: Code = access == .reading ? .fileReadUnknown : .fileWriteUnknown
            self.init(code, userInfo: Self.info("\(error)", error, url))
        }
    }

    private static func code(of error: VaultError, _ access: FileAccess) -> Code {
        let isReading = access == .reading
        return switch error.code {
        case .unknownVersion: isReading ? .fileReadNoSuchFile : .fileNoSuchFile
        case .damaged: .fileReadCorruptFile
        case .notPrivate: isReading ? .fileReadNoPermission : .fileWriteNoPermission
        case .changing, .busy: .fileLocking
        case .unsupported, .unkeepable: .featureUnsupported
        default: isReading ? .fileReadUnknown : .fileWriteUnknown
        }
    }

    private static func info(_ reason: String, _ error: any Error, _ url: URL) -> [String: Any] {
        [
            NSURLErrorKey: url, NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: error as NSError,
            NSLocalizedFailureReasonErrorKey: reason,
        ]
    }
}

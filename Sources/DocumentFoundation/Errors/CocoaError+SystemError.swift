package import FileSystem
package import Foundation

/// What was being done to an item when the kernel refused; Apple's codes differ by it.
package enum FileAccess: Sendable {
    case reading, writing
}

extension CocoaError {
    /// The error that Apple's interfaces report for a refused kernel call.
    ///
    /// - Parameters:
    ///   - error: What the kernel said. Becomes the underlying error, in `NSPOSIXErrorDomain`.
    ///   - access: What was being done; decides between the reading and the writing code.
    ///   - url: The item that the caller asked for; the item of the call itself when nil.
    package init(_ error: SystemError, while access: FileAccess, url: URL? = nil) {
        if let staging = error.stagingInTheWay {
            self.init(staging, error, while: access, url: url ?? staging.item.url(isDirectory: false))
            return
        }
        let url = url ?? error.path.url(isDirectory: false)
        self.init(
            access == .reading ? Self.readingCode(error.errno) : Self.writingCode(error.errno),
            userInfo: [
                NSURLErrorKey: url,
                NSFilePathErrorKey: url.path,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(error.errno)),
                NSLocalizedFailureReasonErrorKey: error.description,
                NSLocalizedRecoverySuggestionErrorKey: error.remedy,
            ]
        )
    }

    /// Nothing is wrong with the item, and no other name for it helps: the description says what is in its way, and whose that is.
    private init(_ staging: StagingInTheWay, _ error: SystemError, while access: FileAccess, url: URL) {
        let what = access == .reading ? "opened" : "saved"
        self.init(
            access == .reading ? .fileReadNoPermission : .fileWriteNoPermission,
            userInfo: [
                NSURLErrorKey: url,
                NSFilePathErrorKey: url.path,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(error.errno)),
                NSLocalizedDescriptionKey:
                    "“\(url.lastPathComponent)” cannot be \(what). \(staging.reason) \(staging.remedy)",
                NSLocalizedFailureReasonErrorKey: error.description,
                NSLocalizedRecoverySuggestionErrorKey: staging.remedy,
            ]
        )
    }

    private static func readingCode(_ errno: CInt) -> Code {
        switch errno {
        case ENOENT, ENOTDIR: .fileReadNoSuchFile
        case EACCES, EPERM: .fileReadNoPermission
        case ENAMETOOLONG, EILSEQ, ELOOP: .fileReadInvalidFileName
        case EFBIG, ENOMEM, EOVERFLOW: .fileReadTooLarge
        default: .fileReadUnknown
        }
    }

    private static func writingCode(_ errno: CInt) -> Code {
        switch errno {
        case ENOENT, ENOTDIR: .fileNoSuchFile
        case EACCES, EPERM: .fileWriteNoPermission
        case ENAMETOOLONG, EILSEQ, ELOOP: .fileWriteInvalidFileName
        case ENOSPC, EDQUOT: .fileWriteOutOfSpace
        case EROFS: .fileWriteVolumeReadOnly
        case EEXIST: .fileWriteFileExists
        default: .fileWriteUnknown
        }
    }
}

internal import FileSystem
internal import Foundation

extension CocoaError {
    /// Why an item cannot be excluded from backups.
    init(excludingFromBackups url: URL, _ error: SystemError) {
        guard error.isUnsupported else {
            self.init(error, while: .writing, url: url)
            return
        }
        let name = "“\(url.lastPathComponent)”"
        let remedy =
            "Name it to the program that makes backups, or put it on a volume of another kind, ext4 say."
        self.init(
            .fileWriteUnknown,
            userInfo: [
                NSURLErrorKey: url,
                NSFilePathErrorKey: url.path,
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(error.errno)),
                NSLocalizedDescriptionKey:
                    "\(name) cannot be excluded from backups: there is no mark for it on its volume.",
                NSLocalizedFailureReasonErrorKey: "\(error.call)(2) on \(error.path): \(error.reason).",
                NSLocalizedRecoverySuggestionErrorKey: remedy,
            ]
        )
    }
}

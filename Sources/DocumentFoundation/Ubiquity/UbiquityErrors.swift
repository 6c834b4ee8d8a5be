public import Foundation
internal import LocalSockets
internal import SyncMessages

extension CocoaError {
    /// Why something that the process was asked for that keeps folders in step is not done.
    init(_ refusal: SyncRefusal, _ url: URL) {
        self.init(Self.code(refusal.code), refusal.description, url)
    }

    private init(_ code: Code, _ description: String, _ url: URL, _ cause: NSError? = nil) {
        var information: [String: Any] = [
            NSURLErrorKey: url, NSFilePathErrorKey: url.path, NSLocalizedDescriptionKey: description,
            NSLocalizedFailureReasonErrorKey: description,
        ]
        information[NSUnderlyingErrorKey] = cause
        self.init(code, userInfo: information)
    }

    private static func code(_ code: SyncRefusal.Code) -> Code {
        switch code {
        case .notInContainer, .failed: .ubiquitousFileUnavailable
        case .absent: .fileNoSuchFile
        case .notUploaded, .busy, .overtaken: .fileWriteUnknown
        case .inUse: .fileLocking
        case .unreachable: .ubiquitousFileUbiquityServerNotAvailable
        case .quota: .ubiquitousFileNotUploadedDueToQuota
        case .cancelled: .userCancelled
        }
    }

    /// Whatever asking the process that keeps folders in step came to, as Apple's interfaces say it.
    static func asking(about url: URL, _ error: any Error) -> CocoaError {
        switch error {
        case let refusal as SyncRefusal:
            let busy = NSError(domain: NSPOSIXErrorDomain, code: Int(POSIXErrorCode.EBUSY.rawValue))
            // NSFileProviderError.localVersionConflictingWithServer, by its number.
            let overtaken = NSError(domain: "NSFileProviderErrorDomain", code: -2015)
            let causes: [SyncRefusal.Code: NSError] = [.busy: busy, .overtaken: overtaken]
            return CocoaError(code(refusal.code), refusal.description, url, causes[refusal.code])
        case let error as CocoaError: return error
        default: return CocoaError(.ubiquitousFileUbiquityServerNotAvailable, "\(error)", url)
        }
    }
}

extension CocoaError {
    /// The same as `ubiquitousFileUnavailable`.
    public static var ubiquitousFileUnavailableError: CocoaError.Code { .ubiquitousFileUnavailable }
    /// The same as `ubiquitousFileNotUploadedDueToQuota`.
    public static var ubiquitousFileNotUploadedDueToQuotaError: CocoaError.Code {
        .ubiquitousFileNotUploadedDueToQuota
    }
}

extension CocoaError.Code {
    /// The same as `ubiquitousFileUnavailable`.
    public static var ubiquitousFileUnavailableError: CocoaError.Code { .ubiquitousFileUnavailable }
    /// The same as `ubiquitousFileNotUploadedDueToQuota`.
    public static var ubiquitousFileNotUploadedDueToQuotaError: CocoaError.Code {
        .ubiquitousFileNotUploadedDueToQuota
    }
}

/// The least of Cocoa's codes about items in containers.
public var NSUbiquitousFileErrorMinimum: Int { 4352 }
/// The greatest of Cocoa's codes about items in containers.
public var NSUbiquitousFileErrorMaximum: Int { 4607 }

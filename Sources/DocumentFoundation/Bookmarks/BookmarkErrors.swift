internal import FileSystem
internal import Foundation

/// The errors that bookmarks fail with, each with what can be done.
enum BookmarkErrors {
    static func unreadable(_ failure: any Error) -> CocoaError {
        let (reason, remedy) =
            switch failure {
            case BookmarkSeal.Failure.notABookmark:
                ("The data is no bookmark.", "Choose the item again.")
            case BookmarkSeal.Failure.laterVersion:
                ("The bookmark was made by a later version.", "Update this app, or choose the item again.")
            case BookmarkSeal.Failure.altered:
                (
                    "The bookmark was altered, or made by another user or on another machine.",
                    "Choose the item again."
                )
            default: ("The bookmark's fields make no sense: \(failure).", "Choose the item again.")
            }
        return CocoaError(.fileReadCorruptFile, userInfo: reasons(reason, remedy))
    }

    static func gone(_ path: FilePath, isFolder: Bool) -> CocoaError {
        about(
            .fileNoSuchFile,
            path.url(isDirectory: isFolder),
            "“\(path.name)” was deleted, or moved where it is not looked for.",
            "Choose it again, or put it back to “\(path.parent.string)”."
        )
    }

    static func outside(_ path: FilePath, of base: FilePath) -> CocoaError {
        about(
            .fileReadNoPermission,
            path.url(isDirectory: false),
            "“\(path.name)” is not inside “\(base.string)”, which the bookmark is good for.",
            "Choose the item again, or a folder that holds it."
        )
    }

    static func needsBase(_ path: FilePath) -> CocoaError {
        about(
            .fileReadNoPermission,
            path.url(isDirectory: false),
            "The bookmark of “\(path.name)” is good only together with the document that it was made for.",
            "Resolve it relative to that document."
        )
    }

    static func noScope(_ path: FilePath) -> CocoaError {
        about(
            .fileReadNoPermission,
            path.url(isDirectory: false),
            "The bookmark of “\(path.name)” was made without a security scope.",
            "Make it with one, or resolve it without."
        )
    }

    static func notForFiles(_ url: URL) -> CocoaError {
        about(
            .fileWriteUnknown,
            url,
            "The bookmark was not made for a file.",
            "Make it with the option suitableForBookmarkFile."
        )
    }

    private static func about(
        _ code: CocoaError.Code,
        _ url: URL,
        _ reason: String,
        _ remedy: String
    )
        -> CocoaError
    {
        var userInfo = reasons(reason, remedy)
        userInfo[NSURLErrorKey] = url
        userInfo[NSFilePathErrorKey] = url.path
        return CocoaError(code, userInfo: userInfo)
    }

    private static func reasons(_ reason: String, _ remedy: String) -> [String: Any] {
        [NSLocalizedFailureReasonErrorKey: reason, NSLocalizedRecoverySuggestionErrorKey: remedy]
    }
}

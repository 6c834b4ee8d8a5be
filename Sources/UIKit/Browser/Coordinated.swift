internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// File coordination for one deed. Blocks until whoever has the items open has let go.
///
/// The deed works on the places that coordination hands on: an item may have been moved while we waited.
enum Coordinated {
    /// Something is put where nothing is yet.
    static func writing<Value>(
        _ path: FilePath,
        isDirectory: Bool,
        _ body: (FilePath) throws -> Value
    ) throws -> Value {
        let url = path.url(isDirectory: isDirectory)
        return try running { coordinator, failure, settle in
            coordinator.coordinate(writingItemAt: url, options: .forReplacing, error: failure) { url in
                settle { try body(place(url)) }
            }
        }
    }

    /// An item gets another place.
    static func moving(
        _ source: FilePath,
        to target: FilePath,
        isDirectory: Bool,
        _ body: (FilePath, FilePath) throws -> Void
    ) throws {
        let (sourceURL, targetURL) = (source.url(isDirectory: isDirectory), target.url(isDirectory: isDirectory))
        try running { coordinator, failure, settle in
            coordinator.coordinate(
                writingItemAt: sourceURL,
                options: .forMoving,
                writingItemAt: targetURL,
                options: .forReplacing,
                error: failure
            ) { sourceURL, targetURL in
                settle {
                    coordinator.item(at: sourceURL, willMoveTo: targetURL)
                    try body(place(sourceURL), place(targetURL))
                    coordinator.item(at: sourceURL, didMoveTo: targetURL)
                }
            }
        }
    }

    /// An item is read and something is put where nothing is yet.
    static func copying(
        _ source: FilePath,
        to target: FilePath,
        isDirectory: Bool,
        _ body: (FilePath, FilePath) throws -> Void
    ) throws {
        let (sourceURL, targetURL) = (source.url(isDirectory: isDirectory), target.url(isDirectory: isDirectory))
        try running { coordinator, failure, settle in
            coordinator.coordinate(
                readingItemAt: sourceURL,
                options: [],
                writingItemAt: targetURL,
                options: .forReplacing,
                error: failure
            ) { sourceURL, targetURL in
                settle { try body(place(sourceURL), place(targetURL)) }
            }
        }
    }

    /// An item goes.
    static func deleting<Value>(
        _ path: FilePath,
        isDirectory: Bool,
        _ body: (FilePath) throws -> Value
    ) throws -> Value {
        let url = path.url(isDirectory: isDirectory)
        return try running { coordinator, failure, settle in
            coordinator.coordinate(writingItemAt: url, options: .forDeleting, error: failure) { url in
                settle { try body(place(url)) }
            }
        }
    }

    /// Joins the two ways in which a coordinated access fails: it is not granted, or its deed throws.
    private static func running<Value>(
        _ access: (NSFileCoordinator, NSErrorPointer, (() throws -> Value) -> Void) -> Void
    ) throws -> Value {
        var failure: NSError?
        var outcome: Result<Value, any Error>?
        withUnsafeMutablePointer(to: &failure) { failure in
            access(NSFileCoordinator(filePresenter: nil), failure) { outcome = Result(catching: $0) }
        }
        if let failure { throw failure }
        guard let outcome else { preconditionFailure("a coordinated access neither failed nor ran") }
        return try outcome.get()
    }

    private static func place(_ url: URL) throws -> FilePath {
        guard let path = FilePath(url) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        return path
    }
}

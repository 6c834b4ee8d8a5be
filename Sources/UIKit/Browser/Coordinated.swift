internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// File coordination for one deed.
///
/// Blocks until whoever has the items open has let go.
///
/// The deed works on the places that coordination hands on: an item may have been moved while we waited.
enum Coordinated {
    /// Something is put where nothing is yet, nor a placeholder.
    static func writing<Value>(
        _ path: FilePath,
        isDirectory: Bool,
        _ body: (FilePath) throws -> Value
    ) throws -> Value {
        let outcome = AccessOutcome<Value>()
        NSFileCoordinator(filePresenter: nil).coordinate(
            writingItemAt: path.url(isDirectory: isDirectory),
            options: [.forReplacing, .leavingPlaceholder],
            error: &outcome.failure
        ) { url in
            outcome.note { try body(FilePath(granted: url)) }
        }
        return try outcome.get()
    }

    /// An item gets another place. The deed gets it as it is here, be it a placeholder; but one that leaves its container is here
    /// with all its contents.
    static func moving(
        _ source: FilePath,
        to target: FilePath,
        isDirectory: Bool,
        _ body: (FilePath, FilePath) throws -> Void
    ) throws {
        let outcome = AccessOutcome<Void>()
        let coordinator = NSFileCoordinator(filePresenter: nil)
        coordinator.coordinate(
            writingItemAt: source.url(isDirectory: isDirectory),
            options: [.forMoving, .leavingPlaceholder],
            writingItemAt: target.url(isDirectory: isDirectory),
            options: [.forReplacing, .leavingPlaceholder],
            error: &outcome.failure
        ) { sourceURL, targetURL in
            outcome.note {
                coordinator.item(at: sourceURL, willMoveTo: targetURL)
                try body(FilePath(granted: sourceURL), FilePath(granted: targetURL))
                coordinator.item(at: sourceURL, didMoveTo: targetURL)
            }
        }
        try outcome.get()
    }

    /// An item is read, with all that is in it, and something is put where nothing is yet, nor a placeholder.
    static func copying(
        _ source: FilePath,
        to target: FilePath,
        isDirectory: Bool,
        _ body: (FilePath, FilePath) throws -> Void
    ) throws {
        let outcome = AccessOutcome<Void>()
        NSFileCoordinator(filePresenter: nil).coordinate(
            readingItemAt: source.url(isDirectory: isDirectory),
            options: .withAllContents,
            writingItemAt: target.url(isDirectory: isDirectory),
            options: [.forReplacing, .leavingPlaceholder],
            error: &outcome.failure
        ) { sourceURL, targetURL in
            outcome.note { try body(FilePath(granted: sourceURL), FilePath(granted: targetURL)) }
        }
        try outcome.get()
    }

    /// The contents of an item, or of all in a folder, that are not here come, and are waited for.
    static func fetching(_ path: FilePath, isDirectory: Bool) throws {
        let outcome = AccessOutcome<Void>()
        NSFileCoordinator(filePresenter: nil).coordinate(
            readingItemAt: path.url(isDirectory: isDirectory),
            options: [.withoutChanges, .withAllContents],
            error: &outcome.failure
        ) { _ in outcome.note {} }
        try outcome.get()
    }

    /// An item goes, with the contents of all that is in it.
    static func deleting<Value>(
        _ path: FilePath,
        isDirectory: Bool,
        _ body: (FilePath) throws -> Value
    ) throws -> Value {
        let outcome = AccessOutcome<Value>()
        NSFileCoordinator(filePresenter: nil).coordinate(
            writingItemAt: path.url(isDirectory: isDirectory),
            options: [.forDeleting, .withAllContents],
            error: &outcome.failure
        ) { url in
            outcome.note { try body(FilePath(granted: url)) }
        }
        return try outcome.get()
    }
}

/// Joins the two ways in which a coordinated access fails: it is not granted, or its deed throws.
private final class AccessOutcome<Value> {
    var failure: NSError?
    private var result: Result<Value, any Error>?

    func note(_ body: () throws -> Value) { result = Result(catching: body) }

    func get() throws -> Value {
        if let failure { throw failure }
        guard let result else { preconditionFailure("a coordinated access neither failed nor ran") }
        return try result.get()
    }
}

extension FilePath {
    fileprivate init(granted url: URL) throws {
        guard let path = FilePath(url) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        self = path
    }
}

import Foundation
import TestFolders
import Testing
import UIKit

/// A document of plain text that notes what is asked of it, and where.
@MainActor
final class TextDocument: UIDocument {
    var text = ""
    var contentsError: (any Error)?
    /// Keeps the document from saving by itself while a test looks at what is unsaved.
    var isAutosaveOff = false
    var attributes: [AnyHashable: Any] = [:]
    private(set) var errors: [any Error] = []
    private(set) var loads = 0
    nonisolated let calls = CallLog()

    override func contents(forType typeName: String) throws -> Any {
        calls.note("contents")
        if let contentsError { throw contentsError }
        return Data(text.utf8)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        MainActor.assertIsolated()
        calls.note("load")
        loads += 1
        let data = try #require(contents as? Data)
        guard data != Data("broken".utf8) else { throw CocoaError(.fileReadCorruptFile) }
        text = String(decoding: data, as: UTF8.self)
    }

    override func fileAttributesToWrite(
        to url: URL,
        for saveOperation: SaveOperation
    ) throws -> [AnyHashable: Any] {
        calls.note("attributes")
        return attributes
    }

    override func changeCountToken(for saveOperation: SaveOperation) -> Any {
        calls.note("token")
        return super.changeCountToken(for: saveOperation)
    }

    override func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperation) {
        calls.note("updateToken")
        super.updateChangeCount(withToken: changeCountToken, for: saveOperation)
    }

    nonisolated override func read(from url: URL) throws {
        calls.note(Thread.isMainThread ? "read on main" : "read")
        try super.read(from: url)
    }

    nonisolated override func writeContents(
        _ contents: Any,
        andAttributes additionalFileAttributes: [AnyHashable: Any]? = nil,
        safelyTo url: URL,
        for saveOperation: SaveOperation
    ) throws {
        calls.note("writeSafely")
        try super.writeContents(
            contents,
            andAttributes: additionalFileAttributes,
            safelyTo: url,
            for: saveOperation
        )
    }

    nonisolated override func writeContents(
        _ contents: Any,
        to url: URL,
        for saveOperation: SaveOperation,
        originalContentsURL: URL?
    ) throws {
        calls.note(originalContentsURL == nil ? "write" : "write over")
        try super.writeContents(
            contents,
            to: url,
            for: saveOperation,
            originalContentsURL: originalContentsURL
        )
    }

    override func autosave(completionHandler: ((Bool) -> Void)? = nil) {
        guard !isAutosaveOff else {
            completionHandler?(true)
            return
        }
        super.autosave(completionHandler: completionHandler)
    }

    override func disableEditing() { calls.note("disableEditing") }
    override func enableEditing() { calls.note("enableEditing") }

    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        calls.note("handleError")
        errors.append(error)
        super.handleError(error, userInteractionPermitted: userInteractionPermitted)
    }

    /// Changes the text so that it can be undone.
    func type(_ newText: String) {
        let old = text
        undoManager.registerUndo(withTarget: self) { $0.type(old) }
        text = newText
    }
}

/// What was called, in order, by any thread.
final class CallLog: @unchecked Sendable {
    // Sendable because `entries` is only touched under the lock.
    private let lock = NSLock()
    private var entries: [String] = []

    func note(_ entry: String) {
        lock.withLock { entries.append(entry) }
    }

    /// Everything since the last time, and forgets it.
    func take() -> [String] {
        lock.withLock {
            defer { entries = [] }
            return entries
        }
    }
}

/// A folder of a test's own, gone with the test.
final class Playground {
    private let ownFolder: TestFolder
    var folder: URL { ownFolder.url }

    /// Documents save on the main actor before somebody else reads, and all suites share that.
    private static let patience: Void = { NSFileCoordinator.presenterTimeLimitSeconds = 300 }()

    init() throws {
        Self.patience
        ownFolder = try TestFolder("documents")
    }

    subscript(name: String) -> URL { folder.appendingPathComponent(name) }

    func put(_ text: String, at name: String) throws -> URL {
        let url = self[name]
        try Data(text.utf8).write(to: url)
        return url
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: self[name]), as: UTF8.self)
    }

    /// All names in the folder, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }
}

/// Takes steps of which the last must come soon after the first; again from the start where the machine was too busy.
@MainActor
func promptly<Value>(
    withinSeconds limit: Double,
    _ steps: (_ attempt: Int) async throws -> Value
) async throws -> Value {
    for attempt in 1... {
        let start = DispatchTime.now().uptimeNanoseconds
        let value = try await steps(attempt)
        if Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 < limit { return value }
    }
    preconditionFailure("there is always another attempt")
}

/// Waits until a notification of a document has made a condition true.
@MainActor
func wait(
    for document: UIDocument,
    _ condition: @escaping @MainActor () -> Bool
) async {
    if condition() { return }
    let waiting = Waiting(condition)
    await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            waiting.begin(continuation)
            for name in [UIDocument.stateChangedNotification, UIDocument.changeCountedNotification] {
                waiting.observers.append(
                    NotificationCenter.default.addObserver(forName: name, object: document, queue: nil) { _ in
                        MainActor.assumeIsolated { waiting.check() }
                    }
                )
            }
        }
    } onCancel: {
        // A test whose time is over fails instead of waiting for ever.
        Task { @MainActor in waiting.end() }
    }
}

@MainActor
private final class Waiting {
    var observers: [any NSObjectProtocol] = []
    private var continuation: CheckedContinuation<Void, Never>?
    private let condition: @MainActor () -> Bool

    init(_ condition: @escaping @MainActor () -> Bool) {
        self.condition = condition
    }

    func begin(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

    func check() {
        if condition() { end() }
    }

    func end() {
        guard let continuation else { return }
        self.continuation = nil
        observers.forEach(NotificationCenter.default.removeObserver)
        continuation.resume()
    }
}

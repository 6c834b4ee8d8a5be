internal import DocumentFoundation
internal import FileSystem
public import Foundation
public import UIKit

// What people do with documents of one class.
extension DocumentWorld {
    /// Makes a document on a device, and saves and closes it. Folders on the way to it that are not there are made.
    ///
    /// - Parameters:
    ///   - make: Makes it for a place, such as `Note.init`.
    ///   - name: Its name in the device's folder, such as “list.txt”, or its path there, such as “Documents/list.txt”.
    ///   - device: Whose person does it.
    ///   - edit: Gives it its first contents.
    /// - Throws: `WorldDocumentFailure`; what `edit` throws.
    @MainActor
    public func create<Document: UIDocument>(
        _ make: @MainActor (URL) throws -> Document,
        _ name: String,
        on device: WorldDevice,
        _ edit: @MainActor (Document) throws -> Void
    ) async throws {
        let url = device.folder.appendingPathComponent(name)
        try await device.run { @MainActor in
            let document = try make(url)
            try edit(document)
            try makeFolder(url.deletingLastPathComponent(), for: url)
            guard await document.save(to: url, for: .forCreating) else {
                throw failure("could not be created", of: document)
            }
            try await close(document)
        }
    }

    /// Opens a document on a device, edits it, and saves and closes it.
    ///
    /// What cannot be saved is gone when this has thrown, as with the memory of an app: nothing saves it later.
    ///
    /// - Parameters: As of `create`.
    /// - Throws: `WorldDocumentFailure`; what `edit` throws.
    @MainActor
    public func edit<Document: UIDocument>(
        _ make: @MainActor (URL) throws -> Document,
        _ name: String,
        on device: WorldDevice,
        _ edit: @MainActor (Document) throws -> Void
    ) async throws {
        try await look(make, name, on: device) { document in
            try edit(document)
            document.updateChangeCount(.done)
        }
    }

    /// Opens a document on a device, looks at it, and closes it.
    ///
    /// - Parameters: As of `create`; `body` looks.
    /// - Throws: What `body` throws; else `WorldDocumentFailure`.
    @MainActor
    public func look<Document: UIDocument>(
        _ make: @MainActor (URL) throws -> Document,
        _ name: String,
        on device: WorldDevice,
        _ body: @MainActor (Document) throws -> Void
    ) async throws {
        let url = device.folder.appendingPathComponent(name)
        try await device.run { @MainActor in
            let document = try make(url)
            guard await document.open() else { throw failure("could not be opened", of: document) }
            let outcome = Result { try body(document) }
            do { try await close(document) } catch {
                // What went wrong first says more.
                try outcome.get()
                throw error
            }
            try outcome.get()
        }
    }

    private func makeFolder(_ folder: URL, for url: URL) throws {
        guard !FileManager.default.fileExists(atPath: folder.path) else { return }
        do { try ItemMoves.createFolders(FilePath(folder.path), permissions: 0o777) } catch {
            let cause = CocoaError(error, while: .writing)
            throw WorldDocumentFailure(what: "could not be created", url: url, cause: cause, seed: seed)
        }
    }

    @MainActor
    private func close(_ document: UIDocument) async throws {
        // One whose device has crashed meanwhile, and was started again, is closed without a save.
        guard await document.close(), !document.hasEnded else {
            let failure = failure("could not be saved and closed", of: document)
            // Nobody else has it: open, it would save itself when nobody thinks of it any more.
            await document.abandon()
            throw failure
        }
    }

    @MainActor
    private func failure(_ what: String, of document: UIDocument) -> WorldDocumentFailure {
        WorldDocumentFailure(what: what, url: document.fileURL, cause: document.lastError, seed: seed)
    }
}

/// A document did not do what it was told.
public struct WorldDocumentFailure: Error, Hashable, Sendable, CustomStringConvertible {
    let what: String
    /// The document's.
    public let url: URL
    /// Why; nil where the document's class has said in `finishedHandlingError(_:recovered:)` that it is mended.
    public let cause: (any Error)?
    /// The world's seed: `SHEAF_SEED` in the environment, or the world's parameter, gives it again.
    public let seed: UInt64

    /// In sentences for a person.
    public var description: String {
        let why =
            cause.map { ": \($0)" }
            ?? ". Its finishedHandlingError(_:recovered:) was told that what went wrong is mended"
        return "“\(url.path)” \(what)\(why). \(WorldSeed.replay(seed))"
    }

    /// Errors are not compared: two failures are the same whose causes read the same.
    public static func == (first: WorldDocumentFailure, second: WorldDocumentFailure) -> Bool {
        first.description == second.description
    }

    /// As `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

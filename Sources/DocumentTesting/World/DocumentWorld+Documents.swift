public import Foundation
public import UIKit

// What people do with documents of one class.
extension DocumentWorld {
    /// Makes a document on a device, and saves and closes it.
    ///
    /// - Parameters:
    ///   - make: Makes it for a place, such as `Note.init`.
    ///   - name: Its name in the device's folder.
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
            guard await document.save(to: url, for: .forCreating) else {
                throw WorldDocumentFailure(what: "could not be created", url: url, seed: seed)
            }
            try await close(document, on: device)
        }
    }

    /// Opens a document on a device, edits it, and saves and closes it.
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
    /// - Throws: `WorldDocumentFailure`; what `body` throws.
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
            guard await document.open() else {
                throw WorldDocumentFailure(what: "could not be opened", url: url, seed: seed)
            }
            let outcome = Result { try body(document) }
            try await close(document, on: device)
            try outcome.get()
        }
    }

    @MainActor
    private func close(_ document: UIDocument, on device: WorldDevice) async throws {
        guard await document.close() else {
            // What its app had in memory is gone with that.
            if device.hasCrashed { await document.abandon() }
            throw WorldDocumentFailure(
                what: "could not be saved and closed",
                url: document.fileURL,
                seed: seed
            )
        }
    }
}

/// A document did not do what it was told.
public struct WorldDocumentFailure: Error, Hashable, Sendable, CustomStringConvertible {
    let what: String
    /// The document's.
    public let url: URL
    /// The world's seed: `SHEAF_SEED` in the environment, or the world's parameter, gives it again.
    public let seed: UInt64

    /// In sentences for a person.
    public var description: String {
        "“\(url.path)” \(what). Its own handleError(_:userInteractionPermitted:) was told why. \(WorldSeed.replay(seed))"
    }
}

import DocumentFoundation
import FileSystem
import Foundation
import TestFolders
import Testing

@testable import UIKit

/// A temporary location with a few words to fill it and to look at it.
struct Shelf {
    private let folder: TestFolder
    let url: URL
    let location: BrowserLocation

    /// Directories named `.pack` are packages, `.txt` and `.pack` are documents.
    static let kinds = ItemKinds(
        isPackage: { $0.pathExtension == "pack" },
        type: { fileExtension, form in
            ItemType(
                identifier: "test.\(form).\(fileExtension)",
                title: "\(fileExtension) \(form)",
                isDocument: fileExtension == "txt" || form == .package
            )
        }
    )

    init() throws {
        folder = try TestFolder("shelf")
        url = folder.url.appendingPathComponent("here", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        location = try BrowserLocation(url, kinds: Self.kinds)
    }

    /// Deeds whose trash is beside the location.
    func makeOperations() -> FolderOperations {
        let dataHome = url.deletingLastPathComponent().appendingPathComponent("data")
        let settings = TrashSettings(environment: ["XDG_DATA_HOME": dataHome.path], userID: getuid())
        return FolderOperations(location: location, trash: Trash(settings))
    }

    /// A folder beside the location.
    var outside: URL { url.deletingLastPathComponent().appendingPathComponent("outside", isDirectory: true) }

    func at(_ id: String) -> URL { url.appendingPathComponent(id) }

    @discardableResult
    func write(_ id: String, _ text: String = "1") throws -> URL { try write(at(id), text) }

    @discardableResult
    func write(_ url: URL, _ text: String) throws -> URL {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
        return url
    }

    @discardableResult
    func makeFolder(_ id: String) throws -> URL {
        try FileManager.default.createDirectory(at: at(id), withIntermediateDirectories: true)
        return at(id)
    }

    func link(_ id: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: at(id).path, withDestinationPath: target)
    }

    func text(_ id: String) throws -> String { try String(contentsOf: at(id), encoding: .utf8) }

    /// All names in a folder, hidden ones too.
    func names(_ id: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: at(id).path).sorted()
    }
}

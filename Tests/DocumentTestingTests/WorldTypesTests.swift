import DocumentTesting
import Foundation
import SyncMessages
import Testing
import UIKit

/// Two pages, each in a file of its own.
private final class ExampleAlbum: UIDocument {
    var page = ""

    override func contents(forType typeName: String) throws -> Any {
        let files = ["left.txt", "right.txt"].map {
            ($0, FileWrapper(regularFileWithContents: Data(page.utf8)))
        }
        return FileWrapper(directoryWithFileWrappers: Dictionary(uniqueKeysWithValues: files))
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        let files = (contents as? FileWrapper)?.fileWrappers ?? [:]
        page = files["left.txt"]?.regularFileContents.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// Documents of types that only the app declares.
@Suite("World: types of an app", .timeLimit(.minutes(2)))
@MainActor
struct WorldTypesTests {
    private static let infoPlist = """
        {
          "UTExportedTypeDeclarations": [{
            "UTTypeIdentifier": "com.example.world-album", "UTTypeConformsTo": ["com.apple.package"],
            "UTTypeTagSpecification": { "public.filename-extension": ["exampleworldalbum"] }
          }]
        }
        """

    private func declare(_ text: String) throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
        try Data(text.utf8).write(to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        try DocumentWorld.declareTypes(infoPlist: place)
    }

    @Test("A package of a type that was declared is one item on every device, and one of any other a folder")
    func oneItem() async throws {
        try declare(Self.infoPlist)
        try declare(Self.infoPlist)
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices(2)
        try await world.create(ExampleAlbum.init, "a.exampleworldalbum", on: phone) { $0.page = "1" }
        try await world.create(ExampleAlbum.init, "b.examplefolder", on: phone) { $0.page = "1" }
        try await world.settle()
        for device in [phone, pad] {
            #expect(device.explanation("a.exampleworldalbum/left.txt")?.path == "a.exampleworldalbum")
            #expect(device.explanation("b.examplefolder/left.txt")?.path == "b.examplefolder/left.txt")
        }
        try await world.look(ExampleAlbum.init, "a.exampleworldalbum", on: pad) { #expect($0.page == "1") }
    }

    @Test("What is no Info.plist is told")
    func none() throws {
        let error = #expect(throws: CocoaError.self) { try declare("no list") }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.localizedDescription.contains("no property list or JSON") == true)
    }
}

import DocumentTesting
import Foundation
import SyncMessages
import Testing
import UIKit

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
        try await world.create(TwoPages.init, "a.exampleworldalbum", on: phone) { $0.page = "1" }
        try await world.create(TwoPages.init, "b.examplefolder", on: phone) { $0.page = "1" }
        try await world.settle()
        for device in [phone, pad] {
            #expect(device.explanation("a.exampleworldalbum/front.txt")?.path == "a.exampleworldalbum")
            #expect(device.explanation("b.examplefolder/front.txt")?.path == "b.examplefolder/front.txt")
        }
        try await world.look(TwoPages.init, "a.exampleworldalbum", on: pad) { #expect($0.page == "1") }
    }

    @Test("What is no Info.plist is told")
    func none() throws {
        let error = #expect(throws: CocoaError.self) { try declare("no list") }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.localizedDescription.contains("no property list or JSON") == true)
    }
}

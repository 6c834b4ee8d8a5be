import Foundation
import Testing

@testable import UniformTypeIdentifiers

@Suite("AppInfo")
struct AppInfoTests {
    static let json = """
        {
          "CFBundleName": "Notes", "CFBundleIdentifier": "com.example.notes", "Nothing": null,
          "LSSupportsOpeningDocumentsInPlace": true, "Number": 3, "Half": 0.5,
          "UTExportedTypeDeclarations": [
            {
              "UTTypeIdentifier": "com.example.notes.note", "UTTypeDescription": "Example note",
              "UTTypeConformsTo": ["com.apple.package", "public.composite-content"], "UTTypeVersion": "2",
              "UTTypeReferenceURL": "https://example.com/note",
              "UTTypeTagSpecification": {
                "public.filename-extension": ["exnote", "exnotes"], "public.mime-type": "application/x-exnote"
              }
            },
            { "UTTypeDescription": "Nameless" },
            { "UTTypeIdentifier": "has space", "UTTypeConformsTo": "public.data" }
          ],
          "UTImportedTypeDeclarations": [
            { "UTTypeIdentifier": "com.example.other", "UTTypeConformsTo": "public.text",
              "UTTypeTagSpecification": { "public.filename-extension": "exother" } }
          ],
          "CFBundleDocumentTypes": [
            { "CFBundleTypeName": "Note", "LSHandlerRank": "Owner", "CFBundleTypeRole": "Editor",
              "LSItemContentTypes": ["com.example.notes.note"], "LSTypeIsPackage": true },
            { "CFBundleTypeName": "Old", "CFBundleTypeExtensions": ["exold", "*"], "LSTypeIsPackage": 1,
              "CFBundleTypeRole": "Painter" },
            { "CFBundleTypeName": "Empty" }
          ]
        }
        """

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        // The test's own folder; leaving it behind harms nobody.
        defer { try? FileManager.default.removeItem(at: root) }
        try body(root)
    }

    private func write(_ data: Data, to url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try data.write(to: url)
    }

    private func example() throws -> AppInfo {
        let values = try JSONDecoder().decode([String: PropertyValue?].self, from: Data(Self.json.utf8))
        return AppInfo(values.compactMapValues(\.self), executableName: "notes")
    }

    @Test("Names, identifier and single values are read")
    func values() throws {
        let info = try example()
        #expect(info.displayName == "Notes" && info.bundleIdentifier == "com.example.notes")
        #expect(info["LSSupportsOpeningDocumentsInPlace"]?.bool == true)
        #expect(info.infoDictionary["Number"] as? Int == 3 && info.infoDictionary["Half"] as? Double == 0.5)
        #expect(info["Nothing"] == nil)
        #expect(AppInfo([:], executableName: "notes").displayName == "notes")
        #expect(
            AppInfo(["CFBundleDisplayName": .string("My Notes")], executableName: "n").displayName
                == "My Notes"
        )
    }

    @Test("Type declarations are read, and what cannot be is left out and told")
    func declarations() throws {
        let info = try example()
        #expect(info.typeDeclarations.map(\.identifier) == ["com.example.notes.note", "com.example.other"])
        let note = try #require(info.typeDeclarations.first)
        #expect(note.origin == .exported && note.version == 2 && note.typeDescription == "Example note")
        #expect(note.supertypes == ["com.apple.package", "public.composite-content"])
        #expect(
            note.tags == [.filenameExtension: ["exnote", "exnotes"], .mimeType: ["application/x-exnote"]]
        )
        #expect(info.typeDeclarations.last?.supertypes == ["public.text"])
        #expect(info.problems.count == 4)
        #expect(
            info.problems.contains { $0.contains("has space") }
                && info.problems.contains { $0.contains("Painter") }
        )
        let wrong = AppInfo(["CFBundleDocumentTypes": .string("x")], executableName: "n")
        #expect(wrong.problems == ["CFBundleDocumentTypes must be an array of dictionaries"])
    }

    @Test("Document types tell role, rank, types and whether they are packages")
    func documentTypes() throws {
        let types = try example().documentTypes
        #expect(types.map(\.name) == ["Note", "Old", "Empty"])
        #expect(types[0].rank == .owner && types[0].role == .editor && types[0].isPackage)
        #expect(types[0].contentTypeIdentifiers == ["com.example.notes.note"])
        #expect(types[1].rank == .default && types[1].role == .editor && types[1].isPackage)
        #expect(types[1].contentTypes == [UTType(filenameExtension: "exold", conformingTo: .package)])
        #expect(types[2].contentTypes.isEmpty)
    }

    @Test("XML, binary and JSON files say the same", arguments: ["xml", "binary", "json"])
    func formats(_ format: String) throws {
        try withFolder { root in
            let expected = try example()
            let name = format == "json" ? "Info.json" : "Info.plist"
            let url = root.appendingPathComponent("notes.resources/Resources/" + name)
            let data =
                format == "json"
                ? Data(Self.json.utf8)
                : try PropertyListSerialization.data(
                    fromPropertyList: expected.infoDictionary,
                    format: format == "xml" ? .xml : .binary,
                    options: 0
                )
            try write(data, to: url)
            let found = try #require(
                AppDeclarations.find(besideExecutable: root.appendingPathComponent("notes"))
            )
            let info = try AppDeclarations.load(found, executableName: "notes")
            #expect(info.values == expected.values && info.typeDeclarations == expected.typeDeclarations)
            #expect(info.source?.lastPathComponent == name)
        }
    }

    @Test("The program's own bundle is found, its top before its folder, and no other program's")
    func finding() throws {
        try withFolder { root in
            let executable = root.appendingPathComponent("notes")
            #expect(AppDeclarations.find(besideExecutable: executable) == nil)
            try write(Data("{}".utf8), to: root.appendingPathComponent("pack_othernotes.resources/Info.json"))
            try write(Data("{}".utf8), to: root.appendingPathComponent("notes.resources.old/Info.json"))
            #expect(AppDeclarations.find(besideExecutable: executable) == nil)
            try write(
                Data("{}".utf8),
                to: root.appendingPathComponent("pack_notes.resources/Resources/Info.json")
            )
            #expect(
                AppDeclarations.find(besideExecutable: executable)?.path.hasSuffix("Resources/Info.json")
                    == true
            )
            try write(Data("{}".utf8), to: root.appendingPathComponent("pack_notes.resources/Info.json"))
            #expect(
                AppDeclarations.find(besideExecutable: executable)?.path.hasSuffix(
                    "pack_notes.resources/Info.json"
                )
                    == true
            )
        }
    }

    @Test(
        "A file that is not what it should be is named in the error",
        arguments: ["Info.plist", "Info.json"]
    )
    func malformed(_ name: String) throws {
        try withFolder { root in
            let url = root.appendingPathComponent(name)
            for text in ["", "junk", "[1]", "\"text\""] {
                try write(Data(text.utf8), to: url)
                let error = #expect(throws: AppInfoError.self, "\(text)") {
                    try AppDeclarations.load(url, executableName: "x")
                }
                #expect(error?.code == .malformed && error?.detail.contains(url.path) == true)
            }
            let missing = root.appendingPathComponent("missing.plist")
            let error = #expect(throws: AppInfoError.self) {
                try AppDeclarations.load(missing, executableName: "x")
            }
            #expect(error?.code == .unreadable)
        }
    }

    @Test("Random bytes are refused or read, without harm")
    func fuzz() throws {
        var random = SeededRandom()
        let binary = try PropertyListSerialization.data(
            fromPropertyList: try example().infoDictionary,
            format: .xml,
            options: 0
        )
        try withFolder { root in
            for _ in 0..<100 {
                var data = random.bool() ? Data(Self.json.utf8) : binary
                for _ in 0..<random.number(1...10) {
                    data[random.number(0...data.count - 1)] = UInt8(random.number(0...255))
                }
                let url = root.appendingPathComponent(random.bool() ? "Info.json" : "Info.plist")
                try data.write(to: url)
                do throws(AppInfoError) {
                    _ = try AppDeclarations.load(url, executableName: "x")
                } catch {
                    #expect(error.code == .malformed, "\(random)")
                }
            }
        }
    }

    @Test("An app's types are types like any others once its Info.plist is the main one")
    func mainTypes() throws {
        AppInfo.setMain(try example())
        defer { AppInfo.setMain(AppInfo([:], executableName: "tests")) }
        let note = try #require(UTType(filenameExtension: "exnote", conformingTo: .package))
        #expect(note.identifier == "com.example.notes.note" && note.isDeclared)
        #expect(note == UTType(exportedAs: "com.example.notes.note"))
        #expect(note.conforms(to: .compositeContent) && note.preferredMIMEType == "application/x-exnote")
        #expect(note.localizedDescription == "Example note" && note.version == 2)
        #expect(note.referenceURL == URL(string: "https://example.com/note"))
        #expect(UTType("com.example.other")?.conforms(to: .text) == true)
        #expect(AppInfo.main.documentTypes.first?.contentTypes == [note])
    }
}

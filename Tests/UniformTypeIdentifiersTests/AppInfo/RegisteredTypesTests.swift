import Foundation
import Testing

@testable import UniformTypeIdentifiers

/// What apps declare, for programs that are not these.
@Suite("Registered types")
struct RegisteredTypesTests {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    /// - Parameter folder: In which the test may write; gone after it.
    private func withFolder(_ body: (_ folder: URL) throws -> Void) throws {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try body(root)
    }

    private func app(_ identifier: String, type: String, extension pathExtension: String) -> AppInfo {
        let declaration: [String: PropertyValue] = [
            "UTTypeIdentifier": .string(type), "UTTypeConformsTo": .array([.string("com.apple.package")]),
            "UTTypeTagSpecification": .dictionary([
                "public.filename-extension": .array([.string(pathExtension)])
            ]),
        ]
        return AppInfo(
            [
                "CFBundleIdentifier": .string(identifier), "NSSecret": .string("stays"),
                "UTExportedTypeDeclarations": .array([.dictionary(declaration)]),
            ],
            executableName: "app"
        )
    }

    private func identifiers(_ registry: TypeRegistry, _ pathExtension: String) -> [String] {
        registry.identifiers(tag: pathExtension, tagClass: .filenameExtension, conformingTo: nil)
    }

    @Test("They are in the account's data folder and the machine's, or in the one that is named")
    func folders() {
        let own = ["HOME": "/home/me"]
        #expect(
            RegisteredTypes(environment: own).folders == [
                "/home/me/.local/share/sheaf/types", "/usr/local/share/sheaf/types", "/usr/share/sheaf/types",
            ]
        )
        let set = ["HOME": "/home/me", "XDG_DATA_HOME": "/data", "XDG_DATA_DIRS": "/a:b:/c"]
        #expect(
            RegisteredTypes(environment: set).folders == [
                "/data/sheaf/types", "/a/sheaf/types", "/c/sheaf/types",
            ]
        )
        #expect(
            RegisteredTypes(environment: set.merging(["SHEAF_TYPES": "/t"]) { $1 }).folders == ["/t"]
        )
        #expect(RegisteredTypes(environment: set.merging(["SHEAF_TYPES": "off"]) { $1 }).folders.isEmpty)
    }

    @Test("What one program registers another knows that asked before, once it looks again")
    func another() throws {
        try withFolder { folder in
            let types = RegisteredTypes(environment: ["SHEAF_TYPES": folder.path + "/new/types"])
            let registry = TypeRegistry(
                appTypes: { [] },
                registered: types,
                mimeTypes: { SharedMIMEDatabase() }
            )
            #expect(identifiers(registry, "exnote").allSatisfy { DynamicIdentifier.isDynamic($0) })
            try types.register(app("com.example/../notes", type: "com.example.note", extension: "exnote"))
            registry.refresh()
            #expect(identifiers(registry, "EXNOTE") == ["com.example.note"])
            #expect(registry.catalogue.conforms("com.example.note", to: "com.apple.package"))
            // Both within a moment of each other.
            try types.register(app("com.example.other", type: "com.example.book", extension: "exbook"))
            registry.refresh()
            #expect(identifiers(registry, "exbook") == ["com.example.book"])
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new/types")
            #expect(names.sorted() == ["com.example.other.plist", "com.example_.._notes.plist"])
            let written = try String(
                contentsOfFile: folder.path + "/new/types/com.example.other.plist",
                encoding: .utf8
            )
            #expect(!written.contains("NSSecret"))
        }
    }

    @Test(
        "It is written once, and anew when the app declares something else; what declares nothing writes nothing"
    )
    func once() throws {
        try withFolder { folder in
            let types = RegisteredTypes(environment: ["SHEAF_TYPES": folder.path])
            try types.register(
                AppInfo(["CFBundleIdentifier": .string("com.example.none")], executableName: "x")
            )
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            try types.register(app("com.example.notes", type: "com.example.note", extension: "exnote"))
            let place = folder.appendingPathComponent("com.example.notes.plist")
            let inode = {
                try FileManager.default.attributesOfItem(atPath: place.path)[.systemFileNumber] as? Int
            }
            let first = try inode()
            try types.register(app("com.example.notes", type: "com.example.note", extension: "exnote"))
            #expect(try inode() == first)
            try types.register(app("com.example.notes", type: "com.example.note", extension: "exother"))
            #expect(types.load { _ in }.first?.tags[.filenameExtension] == ["exother"])
        }
    }

    @Test("The app's own and the system's hold against them, and what is broken is said and in nobody's way")
    func order() throws {
        try withFolder { folder in
            let types = RegisteredTypes(environment: ["SHEAF_TYPES": folder.path])
            try types.register(app("com.example.a", type: "public.jpeg", extension: "exown"))
            try types.register(app("com.example.b", type: "com.example.own", extension: "exown"))
            try types.register(app("com.example.c", type: "COM.example.own", extension: "exthird"))
            try Data("no list".utf8).write(to: folder.appendingPathComponent("broken.plist"))
            var said: [String] = []
            let registered = types.load { said.append($0) }
            #expect(said.count == 1 && said[0].contains("broken.plist"))
            #expect(registered.map(\.identifier) == ["public.jpeg", "com.example.own"])
            var own = TypeDeclaration(identifier: "com.example.mine", origin: .imported)
            own.setTags(["exown"], class: .filenameExtension)
            let system = [TypeDeclaration(identifier: "public.jpeg", origin: .system)]
            let catalogue = TypeCatalogue(system: system, app: [own], registered: registered)
            #expect(
                catalogue.identifiers(tag: "exown", tagClass: .filenameExtension, conformingTo: nil)
                    == ["com.example.mine", "com.example.own"]
            )
            #expect(catalogue.declaration(of: "public.jpeg")?.origin == .system)
        }
    }
}

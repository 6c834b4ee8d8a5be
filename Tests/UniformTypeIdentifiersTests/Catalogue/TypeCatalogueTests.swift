import Foundation
import Testing

@testable import UniformTypeIdentifiers

@Suite("TypeCatalogue")
struct TypeCatalogueTests {
    private func type(
        _ identifier: String,
        _ origin: TypeDeclaration.Origin,
        _ supertypes: [String] = ["public.data"],
        extensions: [String] = []
    ) -> TypeDeclaration {
        var declaration = TypeDeclaration(identifier: identifier, origin: origin)
        declaration.supertypes = supertypes
        declaration.setTags(extensions, class: .filenameExtension)
        return declaration
    }

    @Test("What the app exports wins over what it imports")
    func exportedWins() {
        let imported = type("com.example.note", .imported, ["public.text"], extensions: ["old"])
        let exported = type("com.example.note", .exported, extensions: ["note"])
        let catalogue = TypeCatalogue(system: [], app: [imported, exported])
        #expect(catalogue.declaration(of: "com.example.note") == exported)
        #expect(catalogue.identifiers(tag: "old", tagClass: .filenameExtension, conformingTo: nil).isEmpty)
        #expect(
            catalogue.identifiers(tag: "NOTE", tagClass: .filenameExtension, conformingTo: nil) == [
                "com.example.note"
            ]
        )
    }

    @Test("The system wins for reserved identifiers, and over imports for others; exports win there")
    func systemWins() {
        let system = [
            type("public.jpeg", .system), type("com.apple.x", .system), type("com.adobe.pdf", .system),
        ]
        let app = [
            type("Public.JPEG", .exported), type("com.apple.x", .exported), type("com.adobe.pdf", .imported),
            type("public.brand-new", .imported),
        ]
        let catalogue = TypeCatalogue(system: system, app: app)
        for identifier in ["public.jpeg", "com.apple.x", "com.adobe.pdf"] {
            #expect(catalogue.declaration(of: identifier)?.origin == .system, "\(identifier)")
        }
        #expect(catalogue.declaration(of: "public.brand-new")?.origin == .imported)
        let second = TypeCatalogue(system: system, app: [type("com.adobe.pdf", .exported)])
        #expect(second.declaration(of: "com.adobe.pdf")?.origin == .exported)
    }

    @Test("Types with one extension stand in the order exported, system, imported")
    func tagOrder() {
        let catalogue = TypeCatalogue(
            system: [
                type("public.a", .system, extensions: ["x"]), type("public.b", .system, extensions: ["x"]),
            ],
            app: [type("i.i", .imported, extensions: ["x"]), type("e.e", .exported, extensions: ["x"])]
        )
        let found = catalogue.identifiers(tag: "x", tagClass: .filenameExtension, conformingTo: nil)
        #expect(found == ["e.e", "public.a", "public.b", "i.i"])
    }

    @Test("Circles and types that nobody declares end a search, not the program")
    func circles() {
        let catalogue = TypeCatalogue(
            system: [],
            app: [type("a.a", .exported, ["b.b"]), type("b.b", .exported, ["A.a", "no.one"])]
        )
        #expect(catalogue.supertypes(of: "a.a") == ["b.b", "no.one"])
        #expect(catalogue.conforms("b.b", to: "a.a") && catalogue.conforms("a.a", to: "No.One"))
    }

    @Test("The system's tree is whole: 880 types, each parent but one declared, no type twice")
    func systemTree() {
        let types = SystemTypes.declarations()
        let identifiers = Set(types.map { $0.identifier.lowercased() })
        #expect(types.count == 881 && identifiers.count == 881)
        let unknown = Set(types.flatMap(\.supertypes)).filter { !identifiers.contains($0.lowercased()) }
        #expect(unknown == ["com.apple.homebuttonless-device"])
        #expect(types.filter { $0.typeDescription != nil }.count == 142)
    }

    @Test("A type that code names stays known when the app's types are read again")
    func adoption() {
        let registry = TypeRegistry(appTypes: { [] }, mimeTypes: { SharedMIMEDatabase() })
        #expect(registry.adopt("com.example.Code", conformingTo: "public.text").isNew)
        #expect(!registry.adopt("com.example.code", conformingTo: nil).isNew)
        registry.reload()
        #expect(registry.catalogue.conforms("com.example.code", to: "public.data"))
    }
}

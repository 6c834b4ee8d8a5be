import Foundation
import Testing

@testable import UniformTypeIdentifiers

@Suite("SharedMIMEDatabase")
struct SharedMIMEDatabaseTests {
    private let database = SharedMIMEDatabase(
        globs: [
            Data(
                """
                # a comment
                80:application/x-home:*.tale
                50:text/markdown:*.md
                50:text/markdown:*.markdown
                50:image/x-sketch:*.sketchy
                50:image/jpeg:*.jfif
                50:text/x-c++src:*.C:cs
                50:text/x-csrc:*.c:cs
                50:text/x-make:makefile
                50:application/x-tar-gz:*.tar.gz
                50:model/x-brick:*.brick
                broken
                50:nomime:*.nomime
                50:a/b/c:*.slashes
                50:text/x-any:*.*
                """.utf8
            ),
            Data("60:text/x-tale:*.tale\n60:text/x-tale:*.tl".utf8),
        ],
        subclasses: [Data("text/markdown text/plain\nbad\nx/a x/b\nx/b x/a\n".utf8)]
    )

    private func registry() -> TypeRegistry {
        TypeRegistry(appTypes: { [] }, mimeTypes: { [database] in database })
    }

    @Test("Extensions and MIME types lead to each other; the more important folder's word stands")
    func lookups() {
        #expect(database.mimeType(forExtension: "md") == "text/markdown")
        #expect(database.mimeType(forExtension: "tale") == "application/x-home")
        #expect(database.mimeType(forExtension: "tl") == "text/x-tale")
        #expect(database.mimeType(forExtension: "tar.gz") == "application/x-tar-gz")
        #expect(database.extensions(forMIMEType: "text/markdown") == ["md", "markdown"])
    }

    @Test("Patterns for upper case, whole names and broken lines are left out")
    func leftOut() {
        #expect(database.mimeType(forExtension: "c") == "text/x-csrc")
        for text in ["C", "makefile", "nomime", "slashes", "*"] {
            #expect(database.mimeType(forExtension: text) == nil, "\(text)")
        }
    }

    @Test("What a MIME type is a kind of is told nearest first, and circles end")
    func ancestors() {
        #expect(database.ancestors(ofMIMEType: "text/markdown") == ["text/plain"])
        #expect(database.ancestors(ofMIMEType: "x/a") == ["x/b"])
    }

    @Test("A dynamic type has both tags and conforms to what its MIME type suggests")
    func dynamicTypes() throws {
        let registry = registry()
        func found(_ name: String, _ supertype: String?) throws -> TypeDeclaration {
            let identifiers = registry.identifiers(
                tag: name,
                tagClass: .filenameExtension,
                conformingTo: supertype
            )
            let identifier = try #require(identifiers.first)
            return try #require(registry.catalogue.declaration(of: identifier))
        }
        let markdown = try found("md", "public.data")
        #expect(markdown.supertypes == ["public.plain-text"])
        #expect(markdown.tags == [.filenameExtension: ["md"], .mimeType: ["text/markdown"]])
        #expect(try found("sketchy", nil).supertypes == ["public.image"])
        #expect(try found("jfif", "public.data").supertypes == ["public.jpeg"])
        #expect(try found("brick", "public.data").supertypes == ["public.3d-content", "public.data"])
        #expect(try found("md", "com.apple.package").supertypes == ["com.apple.package"])
        #expect(try found("unheard", nil).supertypes.isEmpty)
        let byMIMEType = registry.identifiers(
            tag: "TEXT/Markdown",
            tagClass: .mimeType,
            conformingTo: "public.data"
        )
        #expect(byMIMEType == [markdown.identifier])
        let unknown = registry.identifiers(
            tag: "audio/x-hum",
            tagClass: .mimeType,
            conformingTo: "public.data"
        )
        #expect(registry.catalogue.conforms(try #require(unknown.first), to: "public.audio"))
    }

    @Test("Folders come from the environment, home first, and missing ones are passed over")
    func folders() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        for (folder, line) in [
            ("home", "50:text/x-home:*.t"), ("shared", "50:text/x-shared:*.t\n50:x/y:*.u"),
        ] {
            let mime = root.appendingPathComponent(folder + "/mime")
            try FileManager.default.createDirectory(at: mime, withIntermediateDirectories: true)
            try Data(line.utf8).write(to: mime.appendingPathComponent("globs2"))
        }
        let path = root.path
        let database = SharedMIMEDatabase.load(environment: [
            "XDG_DATA_HOME": "\(path)/home", "XDG_DATA_DIRS": "relative:\(path)/none:\(path)/shared",
        ])
        #expect(database.mimeType(forExtension: "t") == "text/x-home")
        #expect(database.mimeType(forExtension: "u") == "x/y")
    }

    @Test("Files of random bytes and of damaged lines are read without harm")
    func fuzz() {
        var random = SeededRandom()
        let line = Array("50:text/markdown:*.md:cs\nx/y z/w\n".utf8)
        for _ in 0..<300 {
            var damaged = Data((0..<random.number(1...20)).flatMap { _ in line })
            for _ in 0..<random.number(0...30) {
                damaged[random.number(0...damaged.count - 1)] = UInt8(random.number(0...255))
            }
            let files = [random.bytes(0...400), damaged]
            let database = SharedMIMEDatabase(globs: files, subclasses: files)
            let mimeType = database.mimeType(forExtension: "md") ?? "text/markdown"
            #expect(mimeType.split(separator: "/").count == 2, "\(random)")
            #expect(database.ancestors(ofMIMEType: "x/y").count <= 16, "\(random)")
        }
    }
}

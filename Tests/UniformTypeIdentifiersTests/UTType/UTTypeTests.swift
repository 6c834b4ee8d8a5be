import Foundation
import Testing
import UniformTypeIdentifiers

@Suite("UTType")
struct UTTypeTests {
    @Test("A type is found by identifier in any case, and an unknown one is not")
    func byIdentifier() {
        #expect(UTType("public.jpeg") == .jpeg)
        #expect(UTType("Public.JPEG")?.identifier == "public.jpeg")
        #expect(UTType("com.example.nobody-declares-this") == nil)
        #expect(UTType("") == nil)
        #expect(UTType("dyn.nonsense!") == nil)
    }

    @Test("A type is found by extension in any case, the preferred one first")
    func byExtension() {
        #expect(UTType(filenameExtension: "jpg") == .jpeg)
        #expect(UTType(filenameExtension: "JPeG") == .jpeg)
        #expect(UTType(filenameExtension: "txt") == .plainText)
        #expect(UTType(filenameExtension: "xml") == .xml)
        #expect(UTType(filenameExtension: "mp4") == .mpeg4Movie)
        #expect(UTType(filenameExtension: "plist") == .propertyList)
        #expect(UTType(filenameExtension: "geojson") == .geoJSON)
        #expect(UTType(filenameExtension: "jxl") == .jpegxl)
    }

    @Test("A type is found by MIME type in any case")
    func byMIMEType() {
        #expect(UTType(mimeType: "image/png") == .png)
        #expect(UTType(mimeType: "Application/JSON") == .json)
        #expect(UTType(mimeType: "application/octet-stream") == .data)
        #expect(UTType(mimeType: "") == nil)
    }

    @Test("Only types that conform to what is asked for are found by a tag")
    func conformingTags() throws {
        #expect(UTType(filenameExtension: "rtfd", conformingTo: .package) == .rtfd)
        let notAPackage = try #require(UTType(filenameExtension: "rtfd"))
        #expect(notAPackage.isDynamic && notAPackage.conforms(to: .data))
        #expect(UTType(filenameExtension: "mp4", conformingTo: .audio) == .mpeg4Audio)
        let both = UTType.types(tag: "pages", tagClass: .filenameExtension, conformingTo: nil)
        #expect(both.map(\.identifier) == ["com.apple.iWork.Pages.pages", "com.apple.iWork.Pages.sffpages"])
        let asPackage = UTType.types(tag: "pages", tagClass: .filenameExtension, conformingTo: .package)
        #expect(asPackage.map(\.identifier) == ["com.apple.iWork.Pages.pages"])
    }

    @Test("Conformance holds for the type itself and reaches through supertypes; subtypes are proper")
    func conformance() {
        #expect(UTType.jpeg.conforms(to: .jpeg) && UTType.jpeg.conforms(to: .image))
        #expect(
            UTType.jpeg.conforms(to: .data) && UTType.jpeg.conforms(to: .item)
                && UTType.jpeg.conforms(to: .content)
        )
        #expect(!UTType.jpeg.conforms(to: .text) && !UTType.image.conforms(to: .jpeg))
        #expect(UTType.jpeg.isSubtype(of: .image) && !UTType.jpeg.isSubtype(of: .jpeg))
        #expect(UTType.image.isSupertype(of: .jpeg) && !UTType.image.isSupertype(of: .image))
        #expect(UTType.swiftSource.supertypes == [.sourceCode, .plainText, .text, .data, .item, .content])
        #expect(UTType.mpeg4Audio.conforms(to: .mpeg4Movie) && UTType.executable.conforms(to: .item))
    }

    @Test("Packages are folders and folders are no data")
    func packages() {
        #expect(UTType.rtfd.conforms(to: .package) && UTType.package.conforms(to: .directory))
        #expect(!UTType.package.conforms(to: .data) && UTType.folder.conforms(to: .directory))
        #expect(!UTType.folder.conforms(to: .package))
    }

    @Test("Tags tell extensions and MIME types, the preferred one first")
    func tags() {
        #expect(UTType.jpeg.preferredFilenameExtension == "jpeg")
        #expect(UTType.jpeg.preferredMIMEType == "image/jpeg")
        #expect(UTType.jpeg.tags[.filenameExtension] == ["jpeg", "jpg", "jpe"])
        #expect(UTType.data.preferredFilenameExtension == nil)
        #expect(UTType.folder.tags.isEmpty)
    }

    @Test("Declared, public and dynamic types are told apart")
    func kinds() throws {
        #expect(UTType.png.isDeclared && UTType.png.isPublic && !UTType.png.isDynamic)
        #expect(!UTType.pdf.isPublic)
        let dynamic = try #require(UTType(filenameExtension: "zzqx"))
        #expect(dynamic.isDynamic && !dynamic.isDeclared && !dynamic.isPublic)
    }

    @Test("A dynamic type knows its tag and supertype, and is found again by its identifier")
    func dynamic() throws {
        let type = try #require(UTType(filenameExtension: "ZZqx", conformingTo: .package))
        #expect(type == UTType(filenameExtension: "zzqx", conformingTo: .package))
        #expect(type != UTType(filenameExtension: "zzqx"))
        #expect(type.preferredFilenameExtension == "zzqx" && type.conforms(to: .directory))
        #expect(type.supertypes == [.package, .directory, .item])
        #expect(UTType(type.identifier) == type && UTType(type.identifier.uppercased()) == type)
        #expect(type.localizedDescription == nil)
        let loose = try #require(UTType(tag: "zzqx", tagClass: .filenameExtension, conformingTo: nil))
        #expect(loose.supertypes.isEmpty)
        let other = try #require(
            UTType(tag: "Zz", tagClass: UTTagClass(rawValue: "com.apple.ostype"), conformingTo: nil)
        )
        #expect(other.tags == [UTTagClass(rawValue: "com.apple.ostype"): ["Zz"]])
    }

    @Test("What cannot be an extension gives no type", arguments: ["", "a/b", "a\0", "a\nb"])
    func badExtensions(_ text: String) {
        #expect(UTType(filenameExtension: text) == nil)
        #expect(UTType.types(tag: text, tagClass: .filenameExtension, conformingTo: nil).isEmpty)
    }

    @Test("A type that only code names is what the code says, and not declared")
    func undeclared() {
        let type = UTType(exportedAs: "com.example.tests.undeclared", conformingTo: .plainText)
        #expect(type.identifier == "com.example.tests.undeclared")
        #expect(type.conforms(to: .text) && !type.isDeclared && !type.isDynamic)
        #expect(UTType("com.example.tests.undeclared") == nil)
        #expect(UTType(importedAs: "com.example.tests.undeclared") == type)
        #expect(UTType(importedAs: "public.json") == .json)
    }

    @Test("A type is written as its identifier and read back; one that nobody declares is refused")
    func coding() throws {
        let types: [UTType] = [.json, try #require(UTType(filenameExtension: "zzqx"))]
        let data = try JSONEncoder().encode(types)
        #expect(try JSONDecoder().decode([UTType].self, from: data) == types)
        #expect(try JSONDecoder().decode([String].self, from: data).first == "public.json")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([UTType].self, from: Data(#"["com.example.nobody"]"#.utf8))
        }
    }

    @Test("Descriptions come from the type or from what it conforms to")
    func descriptions() {
        #expect(UTType.jpeg.localizedDescription == "JPEG image")
        #expect(UTType("public.jpeg-2000")?.localizedDescription == "image")
        #expect("\(UTType.jpeg)" == "public.jpeg")
        #expect(String(reflecting: UTType.jpeg) == "public.jpeg (declared)")
    }

    @Test("A reference stands for its type")
    func reference() throws {
        let reference = try #require(UTTypeReference(filenameExtension: "png"))
        #expect(reference.identifier == "public.png" && reference.conforms(to: .image))
        #expect(reference == UTTypeReference(UTType.png) && reference.hash == UTTypeReference(.png).hash)
        #expect(UTType(reference) == .png && reference.isDeclared && reference.isPublic)
        #expect(UTTypeReference("com.example.nobody") == nil)
        #expect(reference.tags["public.mime-type"] == ["image/png"])
        let data = try NSKeyedArchiver.archivedData(withRootObject: reference, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: UTTypeReference.self, from: data)
        #expect(read == reference)
    }
}

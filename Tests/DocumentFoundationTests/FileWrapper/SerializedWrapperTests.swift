import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation

@Suite("SerializedWrapper")
struct SerializedWrapperTests {
    private static var sample: FileWrapper {
        let wrapper = WrapperTree.folder([
            "a.txt": .file("text"), "sub": .folder(["l": .link("x/y"), "é": .file("")]),
        ]).wrapper
        wrapper.preferredFilename = "doc"
        wrapper.fileWrappers?["a.txt"]?.fileAttributes = [
            FileAttributeKey.posixPermissions.rawValue: 0o640,
            FileAttributeKey.modificationDate.rawValue: Date(timeIntervalSince1970: 12345.5),
        ]
        return wrapper
    }

    @Test("Names, permissions and dates come back")
    func fields() throws {
        let data = try #require(Self.sample.serializedRepresentation)
        let copy = try #require(FileWrapper(serializedRepresentation: data))
        #expect(copy.preferredFilename == "doc")
        let child = try #require(copy.fileWrappers?["a.txt"])
        #expect(child.fileAttributes[FileAttributeKey.posixPermissions.rawValue] as? Int == 0o640)
        let date = child.fileAttributes[FileAttributeKey.modificationDate.rawValue] as? Date
        #expect(date == Date(timeIntervalSince1970: 12345.5))
        #expect(child.filename == nil)
    }

    @Test("Data cut short or carried on is refused")
    func lengths() throws {
        let data = try #require(Self.sample.serializedRepresentation)
        for count in 0..<data.count {
            #expect(FileWrapper(serializedRepresentation: data.prefix(count)) == nil, "\(count) bytes")
        }
        #expect(FileWrapper(serializedRepresentation: data + [0]) == nil)
        // A slice counts from where it starts.
        let slice = (Data([1, 2, 3]) + data).dropFirst(3)
        #expect(FileWrapper(serializedRepresentation: slice) != nil)
    }

    @Test("Damaged data is refused or gives a tree, and never traps")
    func damage() throws {
        let data = try #require(Self.sample.serializedRepresentation)
        for seed in UInt64(1)...3000 {
            var random = WrapperSeed(seed)
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<damaged.count, using: &random)
                damaged[index] = UInt8.random(in: 0...255, using: &random)
            }
            guard let wrapper = FileWrapper(serializedRepresentation: damaged) else { continue }
            #expect(WrapperTree(wrapper) != nil, "seed \(seed)")
            #expect(wrapper.serializedRepresentation != nil, "seed \(seed)")
        }
    }

    @Test("A tree deeper than any path is refused")
    func depth() throws {
        func nested(_ depth: Int) -> SerializedWrapper {
            var tree = SerializedWrapper(
                preferredFilename: "d",
                filename: nil,
                attributes: .init(),
                contents: .directory([])
            )
            for _ in 0..<depth { tree.contents = .directory([SerializedChild(key: "d", wrapper: tree)]) }
            return tree
        }
        #expect(SerializedWrapper(decoding: nested(SerializedWrapper.depthMax).encoded) != nil)
        #expect(SerializedWrapper(decoding: nested(SerializedWrapper.depthMax + 1).encoded) == nil)
    }

    @Test("An archive brings the tree back, with secure coding")
    func archiving() throws {
        let wrapper = Self.sample
        let data = try NSKeyedArchiver.archivedData(withRootObject: wrapper, requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: FileWrapper.self, from: data)
        #expect(copy.flatMap { WrapperTree($0) } == WrapperTree(wrapper))
        #expect(copy?.preferredFilename == "doc")
    }
}

import CrashHarness
import FileSystem
import Foundation
import Testing

@Suite("FileReading")
struct FileReadingTests {
    let scratch: ScratchFolder
    var file: FilePath { scratch.path.appending("file") }

    init() throws { scratch = try ScratchFolder() }

    @Test("All bytes are read, mapped or not", arguments: [0, 1, 4096, 300_000], [false, true])
    func contents(byteCount: Int, mapped: Bool) throws {
        let bytes = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try bytes.write(to: file.url(isDirectory: false))
        let (contents, stamp) = try FileReading.stampedContents(of: file, mapped: mapped)
        #expect(contents == bytes)
        #expect(try FileStamp(of: file) == stamp)
    }

    @Test("A file that is another than expected is not read")
    func stale() throws {
        try DiskTree.file("one").write(to: file)
        let stamp = try FileStamp(of: file)
        #expect(try FileReading.contents(of: file, expecting: stamp) == Data("one".utf8))
        try Data("four".utf8).write(to: file.url(isDirectory: false), options: .atomic)
        let error = #expect(throws: SystemError.self) {
            try FileReading.contents(of: file, expecting: stamp)
        }
        #expect(error?.errno == ESTALE)
    }

    @Test("Folders and pipes are no files to be read")
    func otherKinds() throws {
        #expect(throws: SystemError.self) { try FileReading.contents(of: scratch.path) }
        #expect(mkfifo(file.string, 0o600) == 0)
        #expect(throws: SystemError.self) { try FileReading.contents(of: file) }
    }

    @Test("A listing names members and their kinds")
    func entries() throws {
        let tree: DiskTree = ["a": "1", "b": ["c": "2"], "d": .link("a")]
        try tree.write(to: file)
        let entries = try FileReading.entries(in: file).sorted { $0.name < $1.name }
        #expect(entries.map(\.name) == ["a", "b", "d"])
        #expect(entries.map(\.kind) == [.regular, .directory, .symbolicLink])
        #expect(try FileReading.symbolicLinkText(at: file.appending("d")) == "a")
        #expect(throws: SystemError.self) { try FileReading.symbolicLinkText(at: file.appending("a")) }
    }

    @Test("Errors name the call, the item and a remedy")
    func errors() throws {
        let error = #expect(throws: SystemError.self) { try FileReading.contents(of: file) }
        #expect(error?.call == "openat")
        #expect(error?.path == file)
        #expect(error?.isAbsent == true)
        #expect(error?.description.contains(file.string) == true)
    }
}

import FileSystem
import Foundation
import TestFolders
import Testing

/// Files that are held as others take their places.
@Suite("Replaced files")
struct ReplacedFileTests {
    private let folder: TestFolder
    private var path: FilePath { FilePath(folder.path).appending("a.txt") }
    private var copy: FilePath { FilePath(folder.path).appending("copy") }

    init() throws { folder = try TestFolder("replaced") }

    @Test("What is written into a file without a name is copied, each time from the beginning")
    func copies() throws {
        try Data("first".utf8).write(to: path.url(isDirectory: false))
        let held = try #require(ReplacedFile(path, followsSymbolicLink: false))
        let writer = try FileHandle(forWritingTo: path.url(isDirectory: false))
        try writer.seekToEnd()
        try #require(unlink(path.string) == 0)
        #expect(!held.isWritten)
        for text in ["first and late", "first and late and late"] {
            try writer.write(contentsOf: Data(" and late".utf8))
            #expect(held.isWritten)
            let stamp = try held.copy(toFree: copy)
            #expect(!held.isWritten(since: stamp) && Int(stamp.byteCount) == text.utf8.count)
            #expect(try FileReading.contents(of: copy) == Data(text.utf8))
            #expect(try FileStamp(of: copy).permissions == 0o600)
            try ItemMoves.removeFile(copy)
        }
        try writer.close()
    }

    @Test("A copy is put in nobody's place")
    func taken() throws {
        try Data("first".utf8).write(to: path.url(isDirectory: false))
        let held = try #require(ReplacedFile(path, followsSymbolicLink: false))
        #expect(throws: SystemError.self) { try held.copy(toFree: path) }
        #expect(try FileReading.contents(of: path) == Data("first".utf8))
    }

    /// In a process of its own: what memory it may have is little.
    @Test("A file of more bytes than there is memory for is copied")
    func large() async {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder("replaced")
            let path = FilePath(folder.path).appending("disk.img")
            let byteCount = 512 << 20
            try Data().write(to: path.url(isDirectory: false))
            try #require(truncate(path.string, off_t(byteCount)) == 0)
            let held = try #require(ReplacedFile(path, followsSymbolicLink: false))
            let sizes = try #require(ProcessFiles.text(at: FilePath("/proc/self/statm")))
            let pageCount = try #require(sizes.split(separator: " ").first.flatMap { Int($0) })
            let most = rlim_t(pageCount * sysconf(CInt(_SC_PAGESIZE)) + byteCount / 2)
            var limit = rlimit(rlim_cur: most, rlim_max: most)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
            let copy = FilePath(folder.path).appending("copy")
            _ = try held.copy(toFree: copy)
            #expect(try Int(FileStamp(of: copy).byteCount) == byteCount)
            withExtendedLifetime(folder) {}
        }
    }
}

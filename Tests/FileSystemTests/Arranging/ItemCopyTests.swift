import FileSystem
import Foundation
import TestFolders
import Testing

@Suite("ItemCopy")
struct ItemCopyTests {
    private let folder: TestFolder
    private var root: FilePath { FilePath(folder.path) }
    private let manager = FileManager.default

    init() throws { folder = try TestFolder("copy") }

    private func makeTree() throws -> FilePath {
        let top = root.appending("top")
        try manager.createDirectory(
            atPath: top.appending("empty").string,
            withIntermediateDirectories: true
        )
        try Data(repeating: 7, count: 300_000).write(to: top.appending("large").url(isDirectory: false))
        try Data("s".utf8).write(to: top.appending("small").url(isDirectory: false))
        try manager.setAttributes(
            [.posixPermissions: 0o4640, .modificationDate: Date(timeIntervalSince1970: 1_000_000)],
            ofItemAtPath: top.appending("small").string
        )
        try manager.createSymbolicLink(
            atPath: top.appending("link").string,
            withDestinationPath: "../outside"
        )
        return top
    }

    private func expectEqualTrees(_ copy: FilePath) throws {
        #expect(try FolderScan.names(in: copy) == ["empty", "large", "small", "link"])
        #expect(try FileReading.contents(of: copy.appending("large")) == Data(repeating: 7, count: 300_000))
        let small = try FileStamp(of: copy.appending("small"))
        #expect(small.permissions == 0o640)
        #expect(small.modificationSeconds == 1_000_000)
        #expect(try FileReading.symbolicLinkText(at: copy.appending("link")) == "../outside")
    }

    @Test("A tree is copied with its permissions and dates, less set-user-ID; links stay links")
    func copies() throws {
        try ItemCopy.copy(try makeTree(), toFree: root.appending("copy"))
        try expectEqualTrees(root.appending("copy"))
    }

    @Test("Where the kernel copies nothing, bytes go through memory")
    func throughMemory() throws {
        let tree = try makeTree()
        try SystemCallObservation.withObserver(NoKernelCopies()) {
            try ItemCopy.copy(tree, toFree: root.appending("copy"))
        }
        try expectEqualTrees(root.appending("copy"))
    }

    @Test("A member whose name is not UTF-8 is not left out: the copy fails, and says what of")
    func unnamed() throws {
        let tree = try makeTree()
        let place = Array(tree.appending("empty").string.utf8) + [0x2F, 0xFF, 0]
        guard mkdir(place.map { CChar(bitPattern: $0) }, 0o700) == 0 else {
            print("not tried: the volume takes no such names, \(errno)")
            return
        }
        let error = #expect(throws: SystemError.self) {
            try ItemCopy.copyWhole(tree, toFree: root.appending("copy"))
        }
        #expect(error?.errno == EILSEQ)
        #expect(error?.path.parent == tree.appending("empty"))
        #expect(try FolderScan.names(in: root) == ["top"])
    }

    @Test("A copy into the folder itself ends")
    func intoItself() throws {
        let tree = try makeTree()
        try ItemCopy.copy(tree, toFree: tree.appending("copy"))
        #expect(try FolderScan.names(in: tree.appending("copy")).contains("small"))
    }

    @Test("A link to a name that is not UTF-8 is copied byte for byte, though it has no text")
    func linksToNoNames() throws {
        let tree = try makeTree()
        let bad = (Array("caf".utf8) + [0xe9, 0]).map { CChar(bitPattern: $0) }
        try #require(symlink(bad, tree.appending("bad").string) == 0)
        try ItemCopy.copy(tree, toFree: root.appending("copy"))
        var found = [CChar](repeating: 0, count: 16)
        #expect(readlink(root.appending("copy").appending("bad").string, &found, found.count) == 4)
        #expect(Array(found.prefix(5)) == bad)
        let error = #expect(throws: SystemError.self) {
            try FileReading.symbolicLinkText(at: tree.appending("bad"))
        }
        #expect(error?.errno == EILSEQ && error?.path.name == "bad")
    }

    @Test("A pipe is refused by name, not waited for")
    func pipes() throws {
        let tree = try makeTree()
        #expect(mkfifo(tree.appending("pipe").string, 0o600) == 0)
        let error = #expect(throws: SystemError.self) {
            try ItemCopy.copy(tree, toFree: root.appending("copy"))
        }
        #expect(error?.path.name == "pipe")
    }

    @Test("A taken place is refused")
    func refuses() throws {
        let tree = try makeTree()
        let error = #expect(throws: SystemError.self) {
            try ItemCopy.copy(tree.appending("small"), toFree: tree.appending("large"))
        }
        #expect(error?.isTaken == true)
    }
}

private struct NoKernelCopies: SystemCallObserver {
    func willMake(_ call: SystemCall) -> CInt {
        call.name == "ioctl_ficlone" || call.name == "copy_file_range" ? EOPNOTSUPP : 0
    }
    func didMake(_ call: SystemCall) {}
}

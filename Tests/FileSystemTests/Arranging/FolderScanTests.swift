import FileSystem
import Foundation
import TestFolders
import Testing

@Suite("FolderScan")
struct FolderScanTests {
    private let folder: TestFolder
    private var root: FilePath { FilePath(folder.path) }

    init() throws { folder = try TestFolder("scan") }

    private func write(_ name: String, byteCount: Int = 1) throws {
        try Data(repeating: 1, count: byteCount).write(to: root.appending(name).url(isDirectory: false))
    }

    @Test("All that is not hidden is found, with what links lead to")
    func visible() throws {
        try write("a", byteCount: 5)
        try write(".hidden")
        try ItemMoves.createFolder(root.appending("folder"))
        symlink("folder", root.appending("link").string)
        symlink("nothing", root.appending("loose").string)
        let items = try FolderScan.visibleItems(in: root).sorted { $0.name < $1.name }
        #expect(items.map(\.name) == ["a", "folder", "link", "loose"])
        #expect(items.map(\.stamp.kind) == [.regular, .directory, .symbolicLink, .symbolicLink])
        #expect(items[0].stamp.byteCount == 5)
        #expect(items[2].targetStamp?.kind == .directory)
        #expect(items[3].targetStamp == nil)
    }

    /// Lets nobody look at one member.
    private struct Unreachable: SystemCallObserver {
        let name: String

        func willMake(_ call: SystemCall) -> CInt {
            call.name.contains("stat") && call.path.name == name ? ENOTCONN : 0
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test("A member that is out of reach hides the others only where nobody says that it may be passed over")
    func outOfReach() throws {
        for name in ["a", "b"] { try write(name) }
        let root = root
        try SystemCallObservation.withObserver(Unreachable(name: "b")) {
            #expect(throws: SystemError.self) { try FolderScan.visibleItems(in: root) }
            let items = try FolderScan.visibleItems(in: root, passingOver: \.isOutOfReach)
            #expect(items.map(\.name) == ["a"])
            let named = try FolderScan.items(["a", "b"], in: root, passingOver: \.isOutOfReach)
            #expect(named.map { $0.item != nil } == [true, false])
        }
    }

    @Test("A name that is not UTF-8 hides itself and nothing else")
    func notUTF8() throws {
        try write("a")
        let bytes: [CChar] = Array((root.string + "/").utf8CString.dropLast()) + [-1, -2, 0]
        let fd = open(bytes, O_CREAT | O_WRONLY, 0o600)
        #expect(fd >= 0)
        close(fd)
        #expect(try FolderScan.visibleItems(in: root).map(\.name) == ["a"])
        #expect(try FolderScan.names(in: root) == ["a"])
    }

    @Test("Named items are found or told missing")
    func named() throws {
        try write("a")
        let found = try FolderScan.items(["a", "b"], in: root)
        #expect(found.map(\.name) == ["a", "b"])
        #expect(found[0].item != nil)
        #expect(found[1].item == nil)
    }

    @Test("A tree is summed up to the bound, and not beyond it")
    func summary() throws {
        try ItemMoves.createFolder(root.appending("folder"))
        try write("folder/a", byteCount: 10)
        try write("b", byteCount: 20)
        let latest = Date(timeIntervalSince1970: 4_000_000_000)
        try FileManager.default.setAttributes(
            [.modificationDate: latest],
            ofItemAtPath: root.appending("folder").appending("a").string
        )
        let summary = try FolderScan.summary(of: root, memberCountMax: 3)
        #expect(summary?.byteCount == 30)
        #expect(summary?.modificationDate == latest)
        #expect(try FolderScan.summary(of: root, memberCountMax: 2) == nil)
    }

    /// Fails to look at one name.
    private struct FailingLook: SystemCallObserver {
        let name: String

        func willMake(_ call: SystemCall) -> CInt {
            call.name == "fstatat" && call.path.name == name ? EIO : 0
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "Each member is told once, as it is, whether one thread looks at all or several at some",
        arguments: [0, 1, 1024, 2047, 2048, 5000]
    )
    func members(count: Int) throws {
        for number in 0..<count {
            let name = root.appending("\(number)").string
            if number % 3 == 1 { symlink("nothing", name) } else { close(creat(name, 0o600)) }
        }
        let members = try FolderScan.members(of: root)
        #expect(members.count == count && Set(members.map(\.name)) == Set((0..<count).map { "\($0)" }))
        for member in members {
            #expect(try FolderScan.status(at: root.appending(member.name)) == member.status)
        }
        guard count > 0 else { return }
        let failing = FailingLook(name: "\(count / 2)")
        var unreadable: SystemError?
        let others = try SystemCallObservation.withObserver(failing) {
            try FolderScan.members(of: root, unreadable: &unreadable)
        }
        #expect(Set(others.map(\.name)) == Set(members.map(\.name)).subtracting([failing.name]))
        #expect(unreadable?.errno == EIO)
        #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(failing) { try FolderScan.members(of: root) }
        }
    }

    @Test("Files that are holes may be longer together than there are numbers")
    func holes() {
        let stamp = FileStamp(
            kind: .regular,
            device: 1,
            inode: 1,
            byteCount: .max,
            permissions: 0o600,
            modificationSeconds: 0,
            modificationNanoseconds: 0
        )
        var summary = TreeSummary(stamp: stamp)
        for _ in 0..<2 { summary.add(stamp) }
        #expect(summary.byteCount == .max && summary.memberCount == 2)
    }
}

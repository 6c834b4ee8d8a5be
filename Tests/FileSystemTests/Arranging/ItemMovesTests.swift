import FileSystem
import Foundation
import TestFolders
import Testing

@Suite("ItemMoves")
struct ItemMovesTests {
    private let folder: TestFolder
    private var root: FilePath { FilePath(folder.path) }

    init() throws { folder = try TestFolder("moves") }

    private func write(_ name: String, _ text: String) throws -> FilePath {
        let path = root.appending(name)
        try Data(text.utf8).write(to: path.url(isDirectory: false))
        return path
    }

    private func text(_ path: FilePath) throws -> String {
        try String(contentsOfFile: path.string, encoding: .utf8)
    }

    @Test("An item moves to a free place, files and folders alike")
    func moves() throws {
        let file = try write("a", "1")
        try ItemMoves.move(file, toFree: root.appending("b"))
        #expect(try text(root.appending("b")) == "1")
        try ItemMoves.createFolder(root.appending("folder"))
        try ItemMoves.move(root.appending("b"), toFree: root.appending("folder").appending("c"))
        try ItemMoves.move(root.appending("folder"), toFree: root.appending("moved"))
        #expect(try text(root.appending("moved").appending("c")) == "1")
    }

    @Test("A taken place is refused, and both items stay as they were")
    func refuses() throws {
        let (one, two) = (try write("one", "1"), try write("two", "2"))
        let error = #expect(throws: SystemError.self) { try ItemMoves.move(one, toFree: two) }
        #expect(error?.isTaken == true)
        #expect(try text(one) == "1")
        #expect(try text(two) == "2")
    }

    @Test("On a volume that ignores case an item gets another spelling of its name, and nobody else's")
    func caseBlind() throws {
        try ItemMoves.createFolder(root.appending("volume"))
        let place = root.appending("volume")
        let volume: CaseBlindVolume
        do {
            volume = try CaseBlindVolume(at: place.url(isDirectory: true), in: folder.url)
        } catch let reason as CaseBlindVolume.Unavailable {
            return print("a volume that ignores case: not tried: \(reason)")
        }
        try withExtendedLifetime(volume) {
            let file = try write("volume/letter.txt", "1")
            try ItemMoves.move(file, toFree: place.appending("Letter.TXT"))
            #expect(try FolderScan.names(in: place) == ["Letter.TXT"])
            #expect(try text(place.appending("Letter.TXT")) == "1")
            try ItemMoves.createFolder(place.appending("folder"))
            _ = try write("volume/folder/member", "2")
            try ItemMoves.move(place.appending("folder"), toFree: place.appending("FOLDER"))
            #expect(try FolderScan.names(in: place).sorted() == ["FOLDER", "Letter.TXT"])
            #expect(try text(place.appending("FOLDER").appending("member")) == "2")
            let other = try write("volume/other", "3")
            let error = #expect(throws: SystemError.self) {
                try ItemMoves.move(other, toFree: place.appending("LETTER.txt"))
            }
            #expect(error?.isTaken == true)
            #expect(try FolderScan.names(in: place).sorted() == ["FOLDER", "Letter.TXT", "other"])
            // Its own name is no other one.
            #expect(throws: SystemError.self) {
                try ItemMoves.move(place.appending("other"), toFree: place.appending("other"))
            }
        }
    }

    @Test("Two hard links of one file are two items: neither takes the other's place")
    func hardLinks() throws {
        let one = try write("one", "1")
        let two = root.appending("two")
        try FileManager.default.linkItem(atPath: one.string, toPath: two.string)
        #expect(throws: SystemError.self) { try ItemMoves.move(one, toFree: two) }
        #expect(try FolderScan.names(in: root) == ["one", "two"])
    }

    @Test("Without renameat2's flag a file or a folder moves all the same, and takes nobody's place")
    func withoutFlag() throws {
        let file = try write("file", "1")
        try ItemMoves.createFolder(root.appending("folder"))
        _ = try write("folder/member", "2")
        let taken = try write("taken", "3")
        try SystemCallObservation.withObserver(FirstRenameRefused()) {
            try ItemMoves.move(file, toFree: root.appending("file 2"))
        }
        try SystemCallObservation.withObserver(FirstRenameRefused()) {
            try ItemMoves.move(root.appending("folder"), toFree: root.appending("folder 2"))
        }
        for name in ["file 2", "folder 2"] {
            let error = #expect(throws: SystemError.self) {
                try SystemCallObservation.withObserver(FirstRenameRefused()) {
                    try ItemMoves.move(root.appending(name), toFree: taken)
                }
            }
            #expect(error?.isTaken == true)
        }
        #expect(try FolderScan.names(in: root) == ["file 2", "folder 2", "taken"])
        #expect(try text(root.appending("folder 2").appending("member")) == "2")
        #expect(try text(taken) == "3")
    }

    @Test("A folder cannot move into itself, with renameat2's flag or without")
    func intoItself() throws {
        try ItemMoves.createFolder(root.appending("folder"))
        let inside = root.appending("folder").appending("inside")
        #expect(throws: SystemError.self) { try ItemMoves.move(root.appending("folder"), toFree: inside) }
        #expect(try FolderScan.names(in: root.appending("folder")) == [])
    }

    @Test("A file is made only where nothing is, and not left half written")
    func createsFiles() throws {
        let path = root.appending("new")
        try ItemMoves.createFile(path, contents: Data("1".utf8))
        #expect(throws: SystemError.self) { try ItemMoves.createFile(path, contents: Data("2".utf8)) }
        #expect(try text(path) == "1")
        let failing = root.appending("failing")
        #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(Refusing("fsync", errno: 5)) {
                try ItemMoves.createFile(failing, contents: Data("2".utf8))
            }
        }
        #expect(try FileStamp.ifPresent(at: failing) == nil)
    }

    @Test("Missing folders above are made, and an existing one is no error")
    func createsFolders() throws {
        let deep = root.appending("a").appending("b").appending("c")
        let made = try ItemMoves.createFolders(deep, permissions: 0o700)
        #expect(made == [deep.parent.parent, deep.parent, deep])
        #expect(try ItemMoves.createFolders(deep, permissions: 0o700).isEmpty)
        #expect(try FileStamp(of: deep).permissions == 0o700)
        let file = try write("file", "1")
        #expect(throws: SystemError.self) {
            try ItemMoves.createFolders(file.appending("x"), permissions: 0o700)
        }
    }

    @Test("Where nothing can be made in a folder that is there, that is said once")
    func createsNothing() throws {
        // The folder above is there, and mkdir(2) says ENOENT all the same.
        let place = FilePath("/proc/sheaf/a")
        let error = #expect(throws: SystemError.self) {
            try ItemMoves.createFolders(place, permissions: 0o700)
        }
        #expect(error?.errno == ENOENT)
    }
}

/// Refuses every call of one name.
struct Refusing: SystemCallObserver {
    let name: String
    let errno: CInt
    init(_ name: String, errno: CInt) { (self.name, self.errno) = (name, errno) }
    func willMake(_ call: SystemCall) -> CInt { call.name == name ? errno : 0 }
    func didMake(_ call: SystemCall) {}
}

/// A volume on which renameat2(2) knows no flags: the first rename, the one with the flag, is refused.
final class FirstRenameRefused: SystemCallObserver, @unchecked Sendable {
    // Sendable because one thread makes the calls.
    private var hasRefused = false
    func willMake(_ call: SystemCall) -> CInt {
        guard call.name == "renameat2", !hasRefused else { return 0 }
        hasRefused = true
        return EINVAL
    }
    func didMake(_ call: SystemCall) {}
}

import DocumentFoundation
import Foundation
import TestFolders
import Testing

@Suite("Trash")
struct TrashTests {
    private let folder: TestFolder
    private let trash: Trash
    private let files: URL
    private let info: URL

    init() throws {
        folder = try TestFolder("trash")
        let root = folder.url
        trash = Trash(Self.settings(dataHome: root.appendingPathComponent("data").path))
        files = root.appendingPathComponent("data/Trash/files", isDirectory: true)
        info = root.appendingPathComponent("data/Trash/info", isDirectory: true)
    }

    private var root: URL { folder.url }

    private static func settings(dataHome: String, userID: UInt32 = getuid()) -> TrashSettings {
        TrashSettings(
            environment: ["XDG_DATA_HOME": dataHome, "HOME": "/nonexistent"],
            userID: userID,
            now: { Date(timeIntervalSince1970: 1_790_000_000) },
            timeZone: TimeZone(secondsFromGMT: 3600) ?? .current
        )
    }

    private func write(_ name: String, _ text: String = "1") throws -> URL {
        let url = root.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
        return url
    }

    private func names(_ url: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }

    private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    @Test("An item goes to the home trash, with a note of where it was and when it went")
    func discards() throws {
        let url = try write("Äpfel & 100%.txt", "fruit")
        let trashed = try trash.discard(url)
        #expect(trashed.path == files.appendingPathComponent("Äpfel & 100%.txt").path)
        #expect(try text(trashed) == "fruit")
        #expect(!FileManager.default.fileExists(atPath: url.path))
        let note = try text(info.appendingPathComponent("Äpfel & 100%.txt.trashinfo"))
        let path = root.path + "/%C3%84pfel%20%26%20100%25.txt"
        #expect(note == "[Trash Info]\nPath=\(path)\nDeletionDate=2026-09-21T15:13:20\n")
        let permissions = try FileManager.default.attributesOfItem(atPath: files.path)[.posixPermissions]
        #expect(permissions as? Int == 0o700)
    }

    @Test("Two items of one name get two places, and each goes back to its own")
    func namesApart() throws {
        let first = try write("A/Report.txt", "first")
        let second = try write("B/Report.txt", "second")
        let trashedFirst = try trash.discard(first)
        let trashedSecond = try trash.discard(second)
        #expect(try names(files) == ["Report 2.txt", "Report.txt"])
        #expect(try trash.restore(trashedSecond) == second)
        #expect(try trash.restore(trashedFirst) == first)
        #expect(try text(first) == "first")
        #expect(try text(second) == "second")
        #expect(try names(files) == [])
        #expect(try names(info) == [])
    }

    @Test("A place in files without a note is passed over and stays as it is")
    func orphans() throws {
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try Data("orphan".utf8).write(to: files.appendingPathComponent("A.txt"))
        let trashed = try trash.discard(try write("A.txt", "mine"))
        #expect(trashed.lastPathComponent == "A 2.txt")
        #expect(try text(files.appendingPathComponent("A.txt")) == "orphan")
        #expect(try names(info) == ["A 2.txt.trashinfo"])
    }

    @Test("Packages and folders go and come back whole")
    func directories() throws {
        _ = try write("Doc.pack/a.txt", "a")
        _ = try write("Doc.pack/deep/b.txt", "b")
        let url = root.appendingPathComponent("Doc.pack", isDirectory: true)
        let trashed = try trash.discard(url)
        #expect(trashed.hasDirectoryPath)
        #expect(try text(trashed.appendingPathComponent("deep/b.txt")) == "b")
        let restored = try trash.restore(trashed)
        #expect(restored.path == url.path)
        #expect(try text(url.appendingPathComponent("deep/b.txt")) == "b")
    }

    @Test("A symbolic link goes itself, and what it leads to stays")
    func links() throws {
        let target = try write("target.txt")
        let link = root.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let trashed = try trash.discard(link)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: trashed.path) == target.path)
        #expect(FileManager.default.fileExists(atPath: target.path))
    }

    @Test("What has taken an item's place meanwhile is kept, and the item comes back beside it")
    func takenPlace() throws {
        let url = try write("A.txt", "old")
        let trashed = try trash.discard(url)
        _ = try write("A.txt", "new")
        let restored = try trash.restore(trashed)
        #expect(restored.lastPathComponent == "A 2.txt")
        #expect(try text(url) == "new")
        #expect(try text(restored) == "old")
    }

    @Test("An item whose folder is no more stays in the trash, and the error says so")
    func missingFolder() throws {
        let trashed = try trash.discard(try write("Folder/A.txt"))
        try FileManager.default.removeItem(at: root.appendingPathComponent("Folder"))
        let error = #expect(throws: TrashError.self) { try trash.restore(trashed) }
        #expect(error?.code == .folderMissing)
        #expect(FileManager.default.fileExists(atPath: trashed.path))
    }

    @Test("What is in no trash is not put back, and a broken note is told from it")
    func notTrashed() throws {
        let loose = #expect(throws: TrashError.self) { try trash.restore(try write("files/A.txt")) }
        #expect(loose?.code == .notInTrash)
        let trashed = try trash.discard(try write("B.txt"))
        try Data("[Trash Info]\nPath=%Z\n".utf8).write(to: info.appendingPathComponent("B.txt.trashinfo"))
        let broken = #expect(throws: TrashError.self) { try trash.restore(trashed) }
        #expect(broken?.code == .noteUnreadable)
    }

    @Test("A missing item is an error with Apple's code, and leaves no note")
    func missingItem() throws {
        let error = #expect(throws: CocoaError.self) {
            try trash.discard(root.appendingPathComponent("nothing.txt"))
        }
        #expect(error?.code == .fileNoSuchFile)
        #expect(!FileManager.default.fileExists(atPath: info.path))
    }

    @Test("A folder that holds its own trash cannot go there, and no note stays")
    func ownParent() throws {
        _ = try trash.discard(try write("A.txt"))
        #expect(throws: CocoaError.self) { try trash.discard(root) }
        #expect(try names(info) == ["A.txt.trashinfo"])
    }

    @Test("A name as long as a volume takes still gets its note")
    func longNames() throws {
        let name = String(repeating: "n", count: 251) + ".txt"
        let url = try write(name, "long")
        let trashed = try trash.discard(url)
        #expect(trashed.lastPathComponent.utf8.count <= 245)
        #expect(trashed.pathExtension == "txt")
        #expect(try trash.restore(trashed) == url)
        #expect(try text(url) == "long")
    }

    @Test("FileManager puts an item where the environment says, and hands back its place")
    func fileManager() throws {
        // The process's environment cannot be changed safely here: only what must fail is asked for.
        var resulting: NSURL?
        #expect(throws: CocoaError.self) {
            try FileManager.default.trashItem(
                at: root.appendingPathComponent("nothing"),
                resultingItemURL: &resulting
            )
        }
        #expect(resulting == nil)
    }
}

@Suite("Trash: other volumes", .enabled(if: OtherVolume.isThere, "needs /dev/shm on a volume of its own"))
struct TrashVolumeTests {
    private let top = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    private let data: URL
    /// No real user's number, so that no real trash is touched.
    private let userID: UInt32

    init() throws {
        data = FileManager.default.temporaryDirectory.appendingPathComponent("data-\(UUID().uuidString)")
        userID = getuid()
    }

    @Test("An item on another volume goes to that volume's own trash, with a relative note, and comes back")
    func ownTrash() throws {
        let trash = Trash(
            TrashSettings(environment: ["XDG_DATA_HOME": data.path], userID: userID)
        )
        let name = "sheaf-\(UUID().uuidString).txt"
        let url = top.appendingPathComponent(name)
        // No other test's file may be taken for moved here.
        try Data(name.utf8).write(to: url)
        let trashed = try trash.discard(url)
        defer { try? FileManager.default.removeItem(at: trashed) }
        #expect(trashed.path == "/dev/shm/.Trash-\(userID)/files/\(name)")
        let note = "/dev/shm/.Trash-\(userID)/info/\(name).trashinfo"
        #expect(try String(contentsOfFile: note, encoding: .utf8).contains("\nPath=\(name)\n"))
        #expect(try trash.restore(trashed) == url)
        #expect(!FileManager.default.fileExists(atPath: note))
        try FileManager.default.removeItem(at: url)
        #expect(!FileManager.default.fileExists(atPath: data.path))
    }
}

enum OtherVolume {
    static var isThere: Bool {
        let numbers = ["/dev/shm", FileManager.default.temporaryDirectory.path].map { path in
            try? FileManager.default.attributesOfFileSystem(forPath: path)[.systemNumber] as? NSNumber
        }
        return numbers[0] != nil && numbers[0] != numbers[1]
    }
}

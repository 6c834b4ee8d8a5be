import DocumentFoundation
import FileSystem
import Foundation
import Locks
import Testing

@testable import UIKit

@Suite("FolderOperations: importing")
struct FolderImportingTests {
    let shelf: Shelf
    let operations: FolderOperations

    init() throws {
        shelf = try Shelf()
        operations = FolderOperations(location: shelf.location)
    }

    private func outside(_ name: String, _ text: String = "1") throws -> URL {
        try shelf.write(shelf.outside.appendingPathComponent(name), text)
    }

    @Test("Files and whole directories are copied in, under free names; the originals stay")
    func copies() async throws {
        try shelf.write("a.txt", "old")
        let file = try outside("a.txt", "new")
        _ = try outside("Doc.pack/deep/b.txt", "b")
        let package = shelf.outside.appendingPathComponent("Doc.pack")
        let outcome = try await operations.importItems(at: [file, package], into: "", mode: .copy)
        #expect(outcome.items.map(\.id) == ["a 2.txt", "Doc.pack"])
        #expect(outcome.inverse == .trash(["a 2.txt", "Doc.pack"]))
        #expect(try shelf.text("a.txt") == "old")
        #expect(try shelf.text("a 2.txt") == "new")
        #expect(try shelf.text("Doc.pack/deep/b.txt") == "b")
        #expect(FileManager.default.fileExists(atPath: file.path))
        #expect(try shelf.names() == ["Doc.pack", "a 2.txt", "a.txt"])
    }

    /// The calls that make something below a folder durable, or move it there.
    private final class Witness: SystemCallObserver {
        private let folder: FilePath
        private let seen = Locked<[String]>([])

        init(_ folder: FilePath) { self.folder = folder }

        var calls: [String] { seen.withLock { $0 } }

        func willMake(_ call: SystemCall) -> CInt { 0 }
        func didMake(_ call: SystemCall) {
            guard call.path.isInside(folder), ["fsync", "renameat2"].contains(call.name) else { return }
            seen.withLock { $0.append("\(call.name) \(call.path.name)") }
        }
    }

    @Test("What is moved in has reached the disk before it has its new name")
    func movesWhole() async throws {
        let file = try outside("a.txt", "new")
        let witness = Witness(FilePath(file.deletingLastPathComponent().deletingLastPathComponent().path))
        SystemCallObservation.add(witness)
        defer { SystemCallObservation.remove(witness) }
        let outcome = try await operations.importItems(at: [file], into: "", mode: .move)
        #expect(outcome.failures.isEmpty)
        #expect(witness.calls.first == "fsync a.txt" && witness.calls.contains("renameat2 a.txt"))
    }

    @Test("A move leaves no original")
    func moves() async throws {
        let file = try outside("a.txt", "new")
        let outcome = try await operations.importItems(at: [file], into: "", mode: .move)
        #expect(outcome.items.map(\.id) == ["a.txt"])
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(
        "A move from another volume is a copy, after which the original goes",
        .enabled(if: FolderImportingTests.hasOtherVolume, "needs /dev/shm on a volume of its own")
    )
    func movesAcross() async throws {
        let top = URL(fileURLWithPath: "/dev/shm/sheaf-\(UUID().uuidString).pack", isDirectory: true)
        try shelf.write(top.appendingPathComponent("a.txt"), Self.textOnOtherVolume)
        let outcome = try await operations.importItems(at: [top], into: "", mode: .move)
        #expect(outcome.failures.isEmpty)
        #expect(try shelf.text(top.lastPathComponent + "/a.txt") == Self.textOnOtherVolume)
        #expect(!FileManager.default.fileExists(atPath: top.path))
        #expect(try shelf.names() == [top.lastPathComponent])
    }

    /// What no other test's file holds: a lone file of the same bytes on another volume may be taken for a copy.
    private static let textOnOtherVolume = "on another volume"

    /// A folder on another volume with a file in it and, for a link, one to it.
    private func outsideOnOtherVolume() throws -> URL {
        let top = URL(fileURLWithPath: "/dev/shm/sheaf-\(UUID().uuidString)", isDirectory: true)
        try shelf.write(top.appendingPathComponent("a.txt"), Self.textOnOtherVolume)
        return top
    }

    @Test(
        "Of a link that is moved from another volume its target is copied in; the link goes and the target stays",
        .enabled(if: FolderImportingTests.hasOtherVolume, "needs /dev/shm on a volume of its own")
    )
    func movesLinkAcross() async throws {
        let top = try outsideOnOtherVolume()
        defer { remove(top) }
        let link = top.appendingPathComponent("link.txt")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "a.txt")
        let outcome = try await operations.importItems(at: [link], into: "", mode: .move)
        #expect(outcome.failures.isEmpty)
        #expect(try shelf.text("link.txt") == Self.textOnOtherVolume)
        #expect(try FileStamp(of: FilePath(shelf.at("link.txt").path)).kind == .regular)
        #expect(try FileManager.default.contentsOfDirectory(atPath: top.path) == ["a.txt"])
    }

    @Test(
        "What came from another volume stays although its original could not be removed, and that is told",
        .enabled(
            if: FolderImportingTests.canKeepOriginals,
            "needs /dev/shm, and to keep items from being removed"
        ),
        arguments: ["a.txt", "link.txt"]
    )
    func originalKept(name: String) async throws {
        let top = try outsideOnOtherVolume()
        try FileManager.default.createSymbolicLink(
            atPath: top.appendingPathComponent("link.txt").path,
            withDestinationPath: "a.txt"
        )
        try #require(Self.setKept(true, top))
        defer {
            #expect(Self.setKept(false, top))
            remove(top)
        }
        let original = top.appendingPathComponent(name)
        let outcome = try await operations.importItems(at: [original], into: "", mode: .move)
        #expect(outcome.items.map(\.id) == [name])
        #expect(outcome.failures.map(\.code) == [.originalKept])
        #expect(outcome.failures.first?.recoverySuggestion == "Remove the original yourself.")
        #expect(try shelf.text(name) == Self.textOnOtherVolume)
        #expect(FileManager.default.fileExists(atPath: original.path))
        #expect(outcome.inverse == .trash([name]))
    }

    @Test(
        "What others write to while it comes from another volume, or still may write to, stays there as well",
        .enabled(if: FolderImportingTests.hasOtherVolume, "needs /dev/shm on a volume of its own"),
        arguments: [true, false]
    )
    func originalChanged(isFolder: Bool) throws {
        let top = try outsideOnOtherVolume()
        defer { remove(top) }
        let file = top.appendingPathComponent("a.txt")
        let original = isFolder ? top : file
        let writer = LateWriter(to: file, when: shelf.location.root.appending(original.lastPathComponent))
        let worker = FolderWorker(location: shelf.location, trash: Trash())
        let outcome = try SystemCallObservation.withObserver(writer) {
            try worker.importItems(at: [original], into: "", mode: .move)
        }
        #expect(outcome.items.map(\.id) == [original.lastPathComponent])
        #expect(outcome.failures.map(\.code) == [.originalChanged])
        #expect(try String(contentsOf: file, encoding: .utf8) == LateWriter.text)
        let handle = try FileHandle(forWritingTo: file)
        let again = try worker.importItems(at: [original], into: "", mode: .move)
        try handle.close()
        #expect(again.failures.map(\.code) == [.originalChanged])
        #expect(FileManager.default.fileExists(atPath: file.path))
    }

    @Test("A name in a folder that is not UTF-8 does not keep the folder from being moved in on its volume")
    func noNamesOnOneVolume() async throws {
        let folder = try outside("folder/a.txt").deletingLastPathComponent()
        let bad = Array((folder.path + "/caf").utf8CString.dropLast()) + [CChar(bitPattern: 0xe9), 0]
        let file = open(bad, O_CREAT | O_WRONLY, 0o600)
        try #require(file >= 0)
        close(file)
        let outcome = try await operations.importItems(at: [folder], into: "", mode: .move)
        #expect(outcome.failures.isEmpty)
        #expect(outcome.items.map(\.id) == ["folder"])
    }

    @Test(
        "A folder from another volume stays there where a name in it is not UTF-8: no copy could have it",
        .enabled(if: FolderImportingTests.hasOtherVolume, "needs /dev/shm on a volume of its own")
    )
    func noNames() async throws {
        let top = try outsideOnOtherVolume()
        defer { remove(top) }
        let bad = Array((top.path + "/caf").utf8CString.dropLast()) + [CChar(bitPattern: 0xe9), 0]
        let file = open(bad, O_CREAT | O_WRONLY, 0o600)
        try #require(file >= 0)
        close(file)
        let outcome = try await operations.importItems(at: [top], into: "", mode: .move)
        #expect(outcome.failures.map(\.code) == [.refused])
        #expect(try shelf.names().isEmpty)
        #expect(access(bad, F_OK) == 0)
    }

    private func remove(_ folder: URL) {
        // What stays in shared memory harms nobody.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Makes a folder keep what is in it, also from root.
    private static func setKept(_ isKept: Bool, _ folder: URL) -> Bool {
        guard geteuid() == 0 else { return chmod(folder.path, isKept ? 0o500 : 0o700) == 0 }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/chattr")
        process.arguments = [isKept ? "+i" : "-i", folder.path]
        process.standardError = FileHandle.nullDevice
        // A machine without the program is told by what this returns.
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    private static let canKeepOriginals: Bool = {
        guard hasOtherVolume else { return false }
        let probe = URL(fileURLWithPath: "/dev/shm/sheaf-\(UUID().uuidString)", isDirectory: true)
        guard (try? FileManager.default.createDirectory(at: probe, withIntermediateDirectories: false)) != nil
        else { return false }
        let isKept = setKept(true, probe)
        let isFreed = setKept(false, probe)
        // As above.
        try? FileManager.default.removeItem(at: probe)
        return isKept && isFreed
    }()

    @Test("What cannot come in is told one by one, and nothing of it stays")
    func failures() async throws {
        let file = try outside("a.txt")
        let hidden = try outside(".hidden")
        _ = try outside("Doc.pack/b.txt")
        #expect(mkfifo(shelf.outside.appendingPathComponent("Doc.pack/pipe").path, 0o600) == 0)
        let outcome = try await operations.importItems(
            at: [
                shelf.outside.appendingPathComponent("none"), hidden,
                shelf.outside.appendingPathComponent("Doc.pack"),
                try #require(URL(string: "https://example.org/x")), file,
            ],
            into: "",
            mode: .copy
        )
        #expect(outcome.items.map(\.id) == ["a.txt"])
        #expect(outcome.failures.map(\.code) == [.vanished, .nameRefused, .refused, .refused])
        #expect(try shelf.names() == ["a.txt"])
        await #expect(throws: BrowserError.self) {
            try await operations.importItems(at: [file], into: "none", mode: .copy)
        }
    }

    @Test("A folder that holds the location is not put into it")
    func intoItself() async throws {
        let above = shelf.url.deletingLastPathComponent()
        let outcome = try await operations.importItems(at: [above], into: "", mode: .copy)
        #expect(outcome.failures.map(\.code) == [.intoItself])
        #expect(try shelf.names() == [])
    }

    @Test("Of a link its target is copied in, as a file of its own")
    func links() async throws {
        _ = try outside("a.txt", "a")
        let link = shelf.outside.appendingPathComponent("link.txt")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "a.txt")
        let outcome = try await operations.importItems(at: [link], into: "", mode: .copy)
        #expect(outcome.items.map(\.id) == ["link.txt"])
        #expect(outcome.items.first?.isReachable == true)
        #expect(try FileStamp(of: FilePath(shelf.at("link.txt").path)).kind == .regular)
    }

    @Test("Many imports of one name at once all get names of their own")
    func race() async throws {
        var files: [URL] = []
        for number in 0..<12 { files.append(try outside("\(number)/a.txt", "\(number)")) }
        let shelf = shelf
        try await withThrowingTaskGroup(of: Void.self) { group in
            for file in files {
                group.addTask {
                    let operations = FolderOperations(location: shelf.location)
                    let outcome = try await operations.importItems(at: [file], into: "", mode: .copy)
                    #expect(outcome.failures.isEmpty)
                }
            }
            try await group.waitForAll()
        }
        let names = try shelf.names()
        #expect(names.count == 12)
        #expect(Set(try names.map { try shelf.text($0) }).count == 12)
    }

    static var hasOtherVolume: Bool {
        let temporary = FilePath(FileManager.default.temporaryDirectory.path)
        guard let shared = try? FileStamp(of: FilePath("/dev/shm")) else { return false }
        return (try? FileStamp(of: temporary))?.device != shared.device
    }
}

/// Writes to a file when another item has come to its place: on the thread that has put it there.
private final class LateWriter: SystemCallObserver {
    static let text = "written later"

    private let file: URL
    private let place: FilePath

    init(to file: URL, when place: FilePath) { (self.file, self.place) = (file, place) }

    func willMake(_ call: SystemCall) -> CInt { 0 }

    func didMake(_ call: SystemCall) {
        switch call.effect {
        case .rename, .link: break
        default: return
        }
        guard call.path == place else { return }
        do { try Data(Self.text.utf8).write(to: file) } catch { Issue.record(error) }
    }
}

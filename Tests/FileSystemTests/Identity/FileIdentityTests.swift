import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing

@Suite("FileIdentity", .onOwnThreads)
struct FileIdentityTests {
    private let scratch: ScratchFolder
    private var folder: FilePath { scratch.path }

    init() throws { scratch = try ScratchFolder() }

    private func write(_ name: String, _ text: String = "1") throws -> FilePath {
        let path = folder.appending(name)
        try Data(text.utf8).write(to: path.url(isDirectory: false))
        return path
    }

    private func save(_ path: FilePath, _ text: String) throws {
        let save = try StagedSave(item: path)
        try save.write(Data(text.utf8))
        _ = try save.commit()
    }

    private static let base = FileIdentity(
        mark: FileMark(UUID()),
        volume: 1,
        inode: 2,
        birth: .init(seconds: 3, nanoseconds: 4),
        kind: .regular
    )

    private static func changed(_ change: (inout FileIdentity) -> Void) -> FileIdentity {
        var identity = base
        change(&identity)
        return identity
    }

    @Test(
        "An item is told by inode and birth, then by its mark, and a mark of its own makes it another",
        arguments: [
            (changed { _ in }, FileIdentity.Likeness.same),
            (changed { $0.mark = nil }, .sameInode),
            (changed { $0.mark = FileMark(UUID()) }, .sameInode),
            (changed { $0.inode = 9 }, .sameMark),
            (changed { $0.volume = 9 }, .sameMark),
            (changed { $0.birth?.nanoseconds = 9 }, .sameMark),
            (
                changed {
                    $0.inode = 9; $0.mark = nil
                }, .unmarked
            ),
            (
                changed {
                    $0.inode = 9; $0.mark = FileMark(UUID())
                }, .other
            ),
            (changed { $0.kind = .directory }, .other),
        ]
    )
    func likeness(found: FileIdentity, expected: FileIdentity.Likeness) {
        #expect(Self.base.likeness(of: found) == expected)
    }

    @Test("Without birth times an inode's number does not outweigh a mark of its own")
    func inodesAreGivenAgain() {
        let wanted = Self.changed { $0.birth = nil }
        var found = wanted
        found.mark = FileMark(UUID())
        #expect(wanted.likeness(of: found) == .other)
    }

    @Test("A mark is given once, and leaves contents, stamp and modification time alone")
    func marks() throws {
        let path = try write("Sea.txt", "waves")
        let before = try FileStamp(of: path)
        let mark = FileMark(UUID())
        let first = try FileIdentity.marking(path, with: mark)
        #expect(first.identity.mark == mark)
        #expect(first.identity.birth != nil)
        let second = try FileIdentity.marking(path, with: FileMark(UUID()))
        #expect(second.identity == first.identity)
        #expect(try FileIdentity(of: path) == first.identity)
        #expect(try FileStamp(of: path) == before)
        #expect(try FileReading.contents(of: path) == Data("waves".utf8))
    }

    @Test("A copy that bears its original's mark is given one of its own when that is asked for")
    func replacesForeignMarks() throws {
        let path = try write("Sea.txt")
        let first = try FileIdentity.marking(path, with: FileMark(UUID()))
        let own = FileMark(UUID())
        let again = try FileIdentity.marking(path, with: own) { $0.mark == first.identity.mark }
        #expect(again.identity.mark == own)
        #expect(first.identity.likeness(of: again.identity) == .sameInode)
    }

    @Test("Links, and volumes without attributes, are taken as they are")
    func unmarkable() throws {
        let target = try write("Sea.txt")
        let link = folder.appending("link")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: target.string)
        let taken = try FileIdentity.marking(link, with: FileMark(UUID()))
        #expect(taken.identity.mark == nil)
        #expect(taken.identity.kind == .symbolicLink)
        #expect(try FileIdentity(of: target).mark == nil)
        let kernel = try FileIdentity.marking(FilePath("/proc/version"), with: FileMark(UUID()))
        #expect(kernel.identity.mark == nil)
    }

    @Test("A save keeps the mark: another inode, the same item")
    func survivesSaving() throws {
        let path = try write("Sea.txt")
        let taken = try FileIdentity.marking(path, with: FileMark(UUID()))
        try save(path, "2")
        let saved = try FileIdentity(of: path)
        #expect(saved.mark == taken.identity.mark)
        #expect(saved.inode != taken.identity.inode)
        #expect(taken.identity.likeness(of: saved) == .sameMark)
    }

    @Test("A package keeps its mark when members change and when it is saved as a whole")
    func packagesSurviveSaving() throws {
        let package = folder.appending("Trip.scrapbook")
        let whole = MemberTree.directory(["a.txt": .file(.data(Data("1".utf8)))])
        let create = try StagedSave(item: package)
        try create.write(whole)
        _ = try create.commit()
        let taken = try FileIdentity.marking(package, with: FileMark(UUID()))
        let member = try #require(MemberPath(["b.txt"]))
        let change = try StagedSave(item: package)
        try change.write(PackageChanges(placed: [member: .file(.data(Data("2".utf8)))]))
        _ = try change.commit()
        #expect(try FileIdentity(of: package).mark == taken.identity.mark)
        let replace = try StagedSave(item: package)
        try replace.write(whole)
        _ = try replace.commit()
        let saved = try FileIdentity(of: package)
        #expect(saved.mark == taken.identity.mark)
        #expect(taken.identity.likeness(of: saved).isCertain)
    }

    @Test("What is not there has no identity")
    func absent() throws {
        #expect(try FileIdentity.ifPresent(at: folder.appending("none")) == nil)
        #expect(throws: SystemError.self) { try FileIdentity(of: folder.appending("none")) }
    }
}

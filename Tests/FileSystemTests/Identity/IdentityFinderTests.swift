import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing

@Suite("IdentityFinder", .onOwnThreads)
struct IdentityFinderTests {
    private let scratch: ScratchFolder
    private let index: IdentityIndex
    private let finder: IdentityFinder
    private var home: FilePath { scratch.path.appending("home") }
    private var other: FilePath { scratch.path.appending("other") }

    init() throws {
        scratch = try ScratchFolder()
        index = IdentityIndex(folder: scratch.path.appending("index"))
        finder = IdentityFinder(index: index, documentFolders: [scratch.path.appending("other")])
        for folder in [home, other] { try ItemMoves.createFolder(folder) }
    }

    private func write(_ path: FilePath, _ text: String = "1") throws {
        try Data(text.utf8).write(to: path.url(isDirectory: false))
    }

    /// A marked file, taken without a handle unless asked for: few have the privilege to use one.
    private func made(_ path: FilePath, withHandle: Bool = false) throws -> TakenIdentity {
        try write(path)
        var taken = try FileIdentity.marking(path, with: FileMark(UUID()))
        if !withHandle { taken.handle = nil }
        return taken
    }

    private func run(_ command: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("An item at its place is found there, and is not stale after a save")
    func atItsPlace() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        #expect(try finder.find(taken, at: path)?.isStale == false)
        let save = try StagedSave(item: path)
        try save.write(Data("2".utf8))
        _ = try save.commit()
        let found = try #require(try finder.find(taken, at: path))
        #expect(found.path == path)
        #expect(!found.isStale)
    }

    @Test("A renamed item is found in its folder, by inode or, after a save, by its mark")
    func renamed() throws {
        let (path, target) = (home.appending("Sea.txt"), home.appending("Ocean.txt"))
        let taken = try made(path)
        try ItemMoves.move(path, toFree: target)
        #expect(try finder.find(taken, at: path)?.path == target)
        let save = try StagedSave(item: target)
        try save.write(Data("2".utf8))
        _ = try save.commit()
        let found = try #require(try finder.find(taken, at: path))
        #expect(found.path == target)
        #expect(found.isStale)
    }

    @Test("A second name of a file that is a store's leads nobody there, whoever may use handles")
    func lent() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path, withHandle: true)
        let store = try StorageFolder(at: scratch.path).makeFolder("store")
        let file = try SourceFolder(at: home).file("Sea.txt")
        #expect(try store.link(file, as: ".sheaf-lent-1"))
        #expect(try finder.find(taken, at: path)?.path == path)
        // Saved anew: it lives on in the store alone.
        let save = try StagedSave(item: path)
        try save.write(Data("2".utf8))
        _ = try save.commit()
        #expect(try finder.find(taken, at: path)?.path == path)
        try ItemMoves.removeFile(path)
        #expect(try finder.find(taken, at: path) == nil)
    }

    @Test("An item is found in a folder below, beside and among the documents")
    func moved() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        var now = path
        for folder in [home.appending("in"), scratch.path.appending("beside"), other.appending("deep")] {
            try ItemMoves.createFolders(folder, permissions: 0o700)
            let target = folder.appending("Ocean.txt")
            try ItemMoves.move(now, toFree: target)
            now = target
            #expect(try finder.find(taken, at: path)?.path == target)
        }
    }

    @Test("An item is found although its whole folder was renamed")
    func folderRenamed() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        let moved = scratch.path.appending("new home")
        try ItemMoves.move(home, toFree: moved)
        #expect(try finder.find(taken, at: path)?.path == moved.appending("Sea.txt"))
    }

    @Test("Where the search does not reach, the index does")
    func indexed() throws {
        let far = try ScratchFolder()
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        let target = far.path.appending("Sea.txt")
        try ItemMoves.move(path, toFree: target)
        let blind = IdentityFinder(
            index: index,
            documentFolders: [],
            bounds: .init(memberCountMax: 0, millisecondsMax: 0)
        )
        #expect(try blind.find(taken, at: path) == nil)
        let mark = try #require(taken.identity.mark)
        try index.put(.init(path: target, identity: taken.identity), of: mark)
        #expect(try blind.find(taken, at: path)?.path == target)
    }

    @Test("With the privilege, the kernel's handle finds an item anywhere on its volume")
    func byHandle() throws {
        let far = try ScratchFolder()
        let path = home.appending("Sea.txt")
        let taken = try made(path, withHandle: true)
        let target = far.path.appending("Sea.txt")
        try ItemMoves.move(path, toFree: target)
        let blind = IdentityFinder(
            index: index,
            documentFolders: [],
            bounds: .init(memberCountMax: 0, millisecondsMax: 0)
        )
        let found = try blind.find(taken, at: path)
        #expect(found?.path == (geteuid() == 0 ? target : nil))
    }

    @Test(
        "What a save has taken aside is not the item any more, in whatever way it could be found",
        arguments: [true, false]
    )
    func takenAside(withHandle: Bool) throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path, withHandle: withHandle)
        let staging = home.appending(SaveSite.stagingName(for: "Sea.txt"))
        try ItemMoves.createFolder(staging)
        try ItemMoves.move(path, toFree: staging.appending("Sea.txt"))
        #expect(try finder.find(taken, at: path) == nil)
        let mark = try #require(taken.identity.mark)
        try index.put(.init(path: staging.appending("Sea.txt"), identity: taken.identity), of: mark)
        #expect(try finder.find(taken, at: path) == nil)
    }

    @Test("What an editor puts in the item's place without a mark is taken for it, as stale")
    func replacedByAnEditor() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        try write(home.appending("Sea.txt.new"), "2")
        try run("/bin/mv", home.appending("Sea.txt.new").string, path.string)
        let found = try #require(try finder.find(taken, at: path))
        #expect(found.path == path)
        #expect(found.isStale)
        #expect(found.identity.mark == nil)
    }

    @Test("An item moved away is found, not what took its place")
    func placeTaken() throws {
        let (path, target) = (home.appending("Sea.txt"), other.appending("Sea.txt"))
        let taken = try made(path)
        try ItemMoves.move(path, toFree: target)
        try write(path, "another")
        #expect(try finder.find(taken, at: path)?.path == target)
    }

    @Test("An item with a mark of its own in the place is another item")
    func anotherMarkedItem() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        try ItemMoves.removeFile(path)
        _ = try made(home.appending("Lake.txt"))
        try ItemMoves.move(home.appending("Lake.txt"), toFree: path)
        #expect(try finder.find(taken, at: path) == nil)
    }

    @Test("Of an original and its copies the original is found, whatever their names")
    func copies() throws {
        let (path, target) = (home.appending("Sea.txt"), other.appending("Ocean.txt"))
        let taken = try made(path)
        try run("/bin/cp", "-a", path.string, home.appending("Copy.txt").string)
        try ItemMoves.move(path, toFree: target)
        try run("/bin/cp", "-a", target.string, home.appending("Copy 2.txt").string)
        // Both copies are nearer; neither has the inode.
        #expect(try finder.find(taken, at: path)?.path == target)
    }

    @Test("Several copies without their original are none of them, unless one has the name")
    func doubtful() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        for name in ["A.txt", "B.txt"] { try run("/bin/cp", "-a", path.string, home.appending(name).string) }
        try ItemMoves.removeFile(path)
        #expect(try finder.find(taken, at: path) == nil)
        try ItemMoves.createFolder(home.appending("in"))
        try run("/bin/cp", "-a", home.appending("A.txt").string, home.appending("in/Sea.txt").string)
        #expect(try finder.find(taken, at: path)?.path == home.appending("in/Sea.txt"))
    }

    @Test("A deleted item is not found, and the search for it ends within its bounds")
    func deleted() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path, withHandle: true)
        try ItemMoves.removeFile(path)
        for number in 0..<500 { try write(home.appending("\(number).txt")) }
        #expect(try finder.find(taken, at: path) == nil)
        let wanted = try FileIdentity(of: home.appending("7.txt"))
        let narrow = IdentitySearch(for: wanted, within: .init(memberCountMax: 0, millisecondsMax: 60_000))
        #expect(narrow.find("7.txt", in: [home]) == nil)
        let wide = IdentitySearch(for: wanted, within: .init(memberCountMax: 500, millisecondsMax: 60_000))
        #expect(wide.find("another name", in: [home]) == home.appending("7.txt"))
    }

    @Test("The index keeps a bounded number of notes, and forgets the oldest")
    func bounded() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        let note = IdentityIndex.Note(path: path, identity: taken.identity)
        var marks: [FileMark] = []
        let folder = scratch.path.appending("index").appending("07")
        try ItemMoves.createFolders(folder, permissions: 0o700)
        // By who ended over it.
        try write(folder.appending(".left"))
        for number in 0..<(IdentityIndex.notesPerFolderMax + 3) {
            let bytes = Data([7]) + Data(repeating: 0, count: 14) + Data([UInt8(number)])
            let mark = try #require(FileMark(bytes: bytes))
            marks.append(mark)
            try index.put(note, of: mark)
        }
        let kept = marks.filter { index.note(of: $0) != nil }
        #expect(kept.count == IdentityIndex.notesPerFolderMax)
        #expect(try index.note(of: #require(marks.last)) == note)
        #expect(try FileStamp.ifPresent(at: folder.appending(".left")) == nil)
    }

    @Test("The notes of marks that were given one after another are in each other's way no more than others'")
    func spread() throws {
        let note = IdentityIndex.Note(path: home, identity: try made(home.appending("Sea.txt")).identity)
        let marks = (0..<(4 * IdentityIndex.notesPerFolderMax)).map { _ in FileMark.fresh() }
        for mark in marks { try index.put(note, of: mark) }
        #expect(marks.allSatisfy { index.note(of: $0) == note })
    }

    @Test("Who notes where an item is at the same time as others succeeds, and always finds a whole note")
    func notedAtOnce() throws {
        let taken = try made(home.appending("Sea.txt"))
        let mark = try #require(taken.identity.mark)
        let notes = (0..<4).map { number in
            IdentityIndex.Note(path: home.appending("\(number).txt"), identity: taken.identity)
        }
        DispatchQueue.concurrentPerform(iterations: notes.count) { number in
            for _ in 0..<200 {
                #expect(throws: Never.self) { try index.put(notes[number], of: mark) }
                #expect(index.note(of: mark).map(notes.contains) == true)
            }
        }
        let left = try FolderScan.names(
            in: scratch.path.appending("index").appending("\(mark)".prefix(2).description)
        )
        #expect(left == ["\(mark)".dropFirst(2).description])
    }

    /// Looks at the place and in the index, and searches for nothing.
    private var indexFinder: IdentityFinder {
        let nothing = IdentitySearch.Bounds(memberCountMax: 0, millisecondsMax: 0)
        return IdentityFinder(index: index, documentFolders: [], bounds: nothing)
    }

    @Test(
        "A move that was seen is found without a search: of the item, of a folder above, of both, and again"
    )
    func movesSeen() throws {
        let path = home.appending("a/b/Sea.txt")
        try ItemMoves.createFolders(path.parent, permissions: 0o700)
        let taken = try made(path)
        try index.put(.init(path: path, identity: taken.identity), of: #require(taken.identity.mark))
        func move(_ source: FilePath, _ target: FilePath) throws {
            try ItemMoves.move(source, toFree: target)
            try index.noteMove(from: source, to: target)
        }
        func place() throws -> FilePath? { try indexFinder.find(taken, at: path)?.path }
        try move(path, other.appending("Ocean.txt"))
        #expect(try place() == other.appending("Ocean.txt"))
        try move(other.appending("Ocean.txt"), path)
        try move(home.appending("a/b"), home.appending("a/c"))
        #expect(try place() == home.appending("a/c/Sea.txt"))
        try move(home.appending("a"), other.appending("a"))
        #expect(try place() == other.appending("a/c/Sea.txt"))
        try move(other.appending("a/c/Sea.txt"), other.appending("a/c/Ocean.txt"))
        #expect(try place() == other.appending("a/c/Ocean.txt"))
        try ItemMoves.move(other.appending("a"), toFree: home.appending("unseen"))
        #expect(try place() == nil)
    }

    @Test("An item without a mark is found in a folder that was seen to move")
    func unmarked() throws {
        try index.put(.init(path: home, identity: FileIdentity(of: home)), of: FileMark(UUID()))
        let path = home.appending("a/Sea.txt")
        try ItemMoves.createFolder(path.parent)
        try write(path)
        let taken = TakenIdentity(identity: try FileIdentity(of: path), handle: nil)
        try ItemMoves.move(path.parent, toFree: home.appending("b"))
        try index.noteMove(from: path.parent, to: home.appending("b"))
        #expect(try indexFinder.find(taken, at: path)?.path == home.appending("b/Sea.txt"))
    }

    @Test("A copy that is moved does not take the place of its original")
    func movedCopy() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        let mark = try #require(taken.identity.mark)
        try index.put(.init(path: path, identity: taken.identity), of: mark)
        try run("/bin/cp", "--preserve=all", path.string, home.appending("Copy.txt").string)
        try ItemMoves.move(home.appending("Copy.txt"), toFree: other.appending("Copy.txt"))
        try index.noteMove(from: home.appending("Copy.txt"), to: other.appending("Copy.txt"))
        #expect(index.note(of: mark)?.path == path.string)
    }

    @Test("Hints are the user's alone, and none are made where nobody has bookmarked anything")
    func privateHints() throws {
        let path = home.appending("a")
        try ItemMoves.createFolder(path)
        try index.noteMove(from: home.appending("before"), to: path)
        #expect(try FileStamp.ifPresent(at: scratch.path.appending("index")) == nil)
        let taken = try FileIdentity.marking(path, with: FileMark(UUID()))
        try index.put(.init(path: path, identity: taken.identity), of: #require(taken.identity.mark))
        // What was cut off before is in nobody's way.
        let left = scratch.path.appending("index/.folder-moves")
        try write(left, "cut off")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: left.string)
        try index.noteMove(from: home.appending("before"), to: path)
        #expect(index.moves.moves == [.init(from: home.appending("before").string, to: path.string)])
        let folder = scratch.path.appending("index")
        for name in try #require(FileManager.default.subpaths(atPath: folder.string)) {
            let stamp = try FileStamp(of: folder.appending(name))
            #expect(stamp.permissions & 0o077 == 0, "\(name)")
        }
        try write(folder.appending("folder-moves"), "{}")
        #expect(index.moves == FolderMoves())
    }

    @Test("A damaged note counts as none")
    func damaged() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        let mark = try #require(taken.identity.mark)
        try index.put(.init(path: path, identity: taken.identity), of: mark)
        let name = mark.description
        let place = scratch.path.appending("index/\(name.prefix(2))/\(name.dropFirst(2))")
        try write(place, #"{"version":1,"path":"#)
        #expect(index.note(of: mark) == nil)
    }

    @Test("What lies beneath a folder is reached by no way that leads out of it")
    func beneath() throws {
        try write(home.appending("Sea.txt"))
        try write(other.appending("secret"))
        try ItemMoves.createFolder(home.appending("in"))
        let links = FileManager.default
        try links.createSymbolicLink(
            atPath: home.appending("near").string,
            withDestinationPath: "in/../Sea.txt"
        )
        try links.createSymbolicLink(
            atPath: home.appending("out").string,
            withDestinationPath: "../other/secret"
        )
        try links.createSymbolicLink(
            atPath: home.appending("far").string,
            withDestinationPath: other.appending("secret").string
        )
        let real = try home.resolved()
        #expect(try home.beneath("in/../Sea.txt") == real.appending("Sea.txt"))
        for way in [
            "../other/secret", "out", "far", "in/../../other/secret", other.appending("secret").string,
        ] {
            #expect(throws: SystemError.self, "\(way)") { try home.beneath(way) }
        }
        #expect(throws: SystemError.self) { try home.beneath("none") }
    }
}

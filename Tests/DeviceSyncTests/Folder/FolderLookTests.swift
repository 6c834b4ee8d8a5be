import CLinux
import DocumentFoundation
import FileSystem
import Foundation
import Locks
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// Which item a name is, after whatever has been done to a folder.
@Suite("Looks at a container's folder", .onOwnThreads)
struct FolderLookTests: LookingAtFolder {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder("look")
    }

    /// A disk that cannot read what bears some name.
    private struct FailingDisk: SystemCallObserver {
        let name: String
        let calls: Set<String>

        func willMake(_ call: SystemCall) -> CInt {
            calls.contains(call.name) && call.path.name == name ? EIO : 0
        }
        func didMake(_ call: SystemCall) {}
    }

    /// Somebody who marks a file just when this look is about to.
    private struct OtherMarker: SystemCallObserver {
        let mark: FileMark
        let isDone = Locked(false)

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "lsetxattr", !isDone.withLock({ $0 }) else { return 0 }
            isDone.withLock { $0 = true }
            let bytes = [UInt8](mark.bytes)
            return CLinux.setxattr(call.path.string, FileMark.attributeName, bytes, bytes.count, 0) == 0
                ? 0 : errno
        }
        func didMake(_ call: SystemCall) {}
    }

    /// Somebody who replaces a folder just when a look lists the one above it.
    private struct Replacer: SystemCallObserver {
        let root: URL
        let isDone = Locked(false)

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name.hasPrefix("open"), call.path == FilePath(root.path),
                !isDone.withLock({ $0 })
            else { return 0 }
            isDone.withLock { $0 = true }
            for (name, target) in [("folder", ".sheaf-keyvalues-old"), (".sheaf-keyvalues-new", "folder")] {
                let paths = [name, target].map { root.appendingPathComponent($0).path }
                guard Foundation.rename(paths[0], paths[1]) == 0 else { return errno }
            }
            return 0
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "What is in a folder that is replaced by its like between two listings keeps the mark that it came with"
    )
    func replacedMeanwhile() throws {
        var table = FolderTable()
        for name in ["folder", "gone", ".sheaf-keyvalues-new"] {
            let url = root.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        }
        try write("text", "folder/a.txt")
        _ = try look(&table)
        let folder = try #require(item("folder", in: table))
        let document = try #require(table.item(at: ItemPlace(folder, "a.txt")))
        try write("made anew", ".sheaf-keyvalues-new/a.txt")
        for (name, item) in [(".sheaf-keyvalues-new", folder), (".sheaf-keyvalues-new/a.txt", document)] {
            let path = FilePath(root.appendingPathComponent(name).path)
            _ = try FileIdentity.marking(path, with: item.mark)
        }
        let gone = try #require(item("gone", in: table))
        try FileManager.default.removeItem(at: root.appendingPathComponent("gone"))
        // What is above the one that is gone is listed last.
        let replacer = Replacer(root: root)
        let outcome = try SystemCallObservation.withObserver(replacer) {
            try look(&table, at: [folder, gone])
        }
        #expect(replacer.isDone.withLock { $0 } && outcome.missing == [gone])
        let path = FilePath(root.appendingPathComponent("folder/a.txt").path)
        #expect(try FileIdentity.mark(at: path) == document.mark)
        // The folder is another directory: it is looked at again.
        #expect(outcome.folders == [folder])
        let next = try look(&table, at: [folder])
        #expect(next.missing.isEmpty && Array(next.touched.keys) == [document])
        #expect(table.item(at: ItemPlace(folder, "a.txt")) == document)
        #expect(try FileIdentity.mark(at: path) == document.mark)
    }

    @Test("A new document that somebody marks while it is looked at is known by that mark, also afterwards")
    func markedMeanwhile() throws {
        var table = FolderTable()
        try write("text", "a.txt")
        let other = OtherMarker(mark: FileMark(UUID()))
        _ = try SystemCallObservation.withObserver(other) { try look(&table) }
        #expect(other.isDone.withLock { $0 } && item("a.txt", in: table) == ItemID(other.mark))
        try write("changed, and longer", "a.txt")
        let outcome = try look(&table)
        #expect(outcome.missing.isEmpty && Array(outcome.touched.keys) == [ItemID(other.mark)])
        // A mark of a known item is a copy's, and is replaced.
        try write("new", "b.txt")
        let copier = OtherMarker(mark: other.mark)
        _ = try SystemCallObservation.withObserver(copier) { try look(&table) }
        let copy = try #require(item("b.txt", in: table))
        #expect(copier.isDone.withLock { $0 } && copy != ItemID(other.mark))
        #expect(try FileIdentity.mark(at: FilePath(root.path + "/b.txt")).map { ItemID($0) } == copy)
        #expect(item("a.txt", in: table) == ItemID(other.mark))
    }

    @Test("A document that is going to be read is new to no other look, unless it looks otherwise by then")
    func awaited() throws {
        var table = FolderTable()
        try write("text", "a.txt")
        try write("another", "b.txt")
        let traces = try look(&table).touched
        #expect(traces.count == 2)
        for item in traces.keys { table[item]?.state.content = nil }
        func touched(_ unread: [ItemID: ItemTrace]) throws -> Set<ItemID> {
            var look = FolderLook(table, at: FilePath(root.path), isPackage: { _ in false })
            for (item, trace) in unread { look.unread[item] = trace }
            let outcome = try look.look(at: [.root])
            #expect(outcome.missing.isEmpty && Set(look.table.items.all.keys) == Set(traces.keys))
            return Set(outcome.touched.keys)
        }
        #expect(try touched([:]) == Set(traces.keys))
        #expect(try touched(traces) == [])
        let changed = try #require(item("a.txt", in: table))
        #expect(try touched(traces.filter { $0.key != changed }) == [changed])
        try write("changed, and longer", "a.txt")
        #expect(try touched(traces) == [changed])
    }

    @Test(
        "What cannot be read is neither gone nor new, and is in the way of nothing else",
        arguments: [["fstatat"], ["lgetxattr"], ["llistxattr"], ["llistxattr", "lgetxattr"]]
    )
    func unreadable(calls: [String]) throws {
        var table = FolderTable()
        try write("excluded", "x.txt")
        try SyncExclusion.set(true, FilePath(root.appendingPathComponent("x.txt").path))
        try write("text", "a.txt")
        _ = try look(&table)
        let known = try #require(item("a.txt", in: table))
        #expect(item("x.txt", in: table) == nil)
        for name in ["a.txt", "x.txt"] {
            try write("changed, and longer", name)
            try write("new", "new beside \(name)")
            let disk = FailingDisk(name: name, calls: Set(calls))
            let outcome = try SystemCallObservation.withObserver(disk) { try look(&table) }
            #expect(item("new beside \(name)", in: table) != nil, "\(name)")
            #expect(item("x.txt", in: table) == nil, "\(name)")
            #expect(outcome.missing.isSubset(of: [known]))
            #expect(outcome.missing.isEmpty || outcome.unreadable[.root]?.isFault == true, "\(name)")
        }
        let outcome = try look(&table)
        #expect(outcome.unreadable.isEmpty && outcome.missing.isEmpty)
        #expect(item("a.txt", in: table) == known)
        #expect(item("x.txt", in: table) == nil)
    }

    @Test(
        "A placeholder that cannot be read is not taken for the document that it stands for",
        arguments: [".a.txt.icloud", "other.txt"]
    )
    func unreadablePlaceholder(name: String) throws {
        var table = FolderTable()
        try write("text", "a.txt")
        _ = try look(&table)
        let known = try #require(item("a.txt", in: table))
        try FileManager.default.removeItem(at: root.appendingPathComponent("a.txt"))
        let placeholder = Placeholder(name: "a.txt", byteCount: 4, isDirectory: false, typeIdentifier: nil)
        try placeholder.encoded().write(to: root.appendingPathComponent(name))
        let place = FilePath(root.appendingPathComponent(name).path)
        _ = try FileIdentity.marking(place, with: known.mark)
        table[known]?.isDataless = true
        let disk = FailingDisk(name: name, calls: ["read"])
        var outcome = try SystemCallObservation.withObserver(disk) { try look(&table) }
        #expect(outcome.unreadable[.root]?.isFault == true)
        #expect(table[known]?.isDataless == true)
        #expect(outcome.touched.isEmpty && outcome.filled.isEmpty)
        outcome = try look(&table)
        #expect(table[known]?.isDataless == true && outcome.missing.isEmpty)
    }

    @Test("A file that is moved between the looks at two folders stays what it was")
    func movedMeanwhile() throws {
        var table = FolderTable()
        try write("text", "b.txt")
        _ = try look(&table)
        let file = try #require(item("b.txt", in: table))
        let places = ["b.txt", "in", "in/c.txt"].map { root.appendingPathComponent($0).path }
        try FileManager.default.createDirectory(atPath: places[1], withIntermediateDirectories: false)
        // Asked about the new folder, when all names of the one above it have been read.
        var look = FolderLook(
            table,
            at: FilePath(root.path),
            isPackage: { _ in
                _ = Foundation.rename(places[0], places[2])
                return false
            }
        )
        let outcome = try look.look(at: [.root])
        let folder = try #require(item("in", in: look.table))
        #expect(look.table.item(at: ItemPlace(folder, "c.txt")) == file)
        #expect(outcome.missing == [] && outcome.placed == [folder, file])
    }

    @Test("A renamed file, and all in a renamed folder, stay what they were")
    func renamed() throws {
        var table = FolderTable()
        try FileManager.default.createDirectory(
            at: root.appendingPathComponent("x"),
            withIntermediateDirectories: true
        )
        try write("in x", "x/a.txt")
        _ = try look(&table)
        let folder = try #require(item("x", in: table))
        let file = try #require(table.item(at: ItemPlace(folder, "a.txt")))
        try rename("x", "y")
        let outcome = try look(&table)
        #expect(outcome.placed == [folder] && outcome.missing == [] && outcome.touched.isEmpty)
        #expect(item("y", in: table) == folder)
        try rename("y/a.txt", "b.txt")
        #expect(try look(&table).placed == [file])
        #expect(item("b.txt", in: table) == file)
    }

    @Test(
        "A folder that is renamed onto an empty one stays what it was, with all in it; the empty one is gone"
    )
    func ontoEmpty() throws {
        for name in ["x", "y"] {
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent(name),
                withIntermediateDirectories: false
            )
        }
        try write("text", "x/a.txt")
        var table = FolderTable()
        _ = try look(&table)
        let (full, empty) = (try #require(item("x", in: table)), try #require(item("y", in: table)))
        let file = try #require(table.item(at: ItemPlace(full, "a.txt")))
        try rename("x", "y")
        let outcome = try look(&table)
        #expect(outcome.missing == [empty] && outcome.placed.contains(full))
        #expect(table[full]?.state.place == ItemPlace(.root, "y"))
        #expect(table[file]?.state.place == ItemPlace(full, "a.txt"))
    }

    @Test(
        "Of a folder with another in its place nobody says that what was in it is missing, but the folder above"
    )
    func otherInPlace() throws {
        for name in ["x", "y"] {
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent(name),
                withIntermediateDirectories: false
            )
            try write("text", "\(name)/a.txt")
        }
        var table = FolderTable()
        _ = try look(&table)
        let (one, other) = (try #require(item("x", in: table)), try #require(item("y", in: table)))
        try rename("y", "z")
        try rename("x", "y")
        var early = FolderLook(table, at: FilePath(root.path), isPackage: { _ in false })
        #expect(try early.look(at: [other]).missing.isEmpty)
        let outcome = try look(&table)
        #expect(outcome.missing.isEmpty && outcome.placed == [one, other])
        #expect(table[one]?.state.place.name == "y" && table[other]?.state.place.name == "z")
        for folder in [one, other] { #expect(table.members(of: folder).count == 1) }
    }

    @Test(
        "What is in the place of a volume that is not mounted is told as the look has found it",
        .enabled(if: MountedVolume.isPossible)
    )
    func unmounted() throws {
        var table = FolderTable()
        let disk = root.appendingPathComponent("disk")
        let others = try TestFolder("volume")
        var volume: MountedVolume? = try MountedVolume(
            over: disk,
            keptAt: others.url.appendingPathComponent("top")
        )
        defer { volume = nil }
        try write("text", "disk/a.txt")
        // The second one finds that it is a volume.
        for _ in 1...2 { _ = try look(&table) }
        let mounted = try #require(item("disk", in: table))
        try volume?.unmount()
        let bare = try FolderPlace(at: FilePath(disk.path))
        var second = FolderLook(table, at: FilePath(root.path), isPackage: { _ in false })
        let outcome = try second.look(at: [.root, mounted])
        // What is there when that is taken is no matter: it is looked at again while it is another.
        try volume?.mountAgain()
        #expect(outcome.apart == [mounted: FolderLook.Apart(cause: .unmounted, place: bare)])
        #expect(try FolderPlace(at: FilePath(disk.path)) != bare)
    }

    @Test("A temporary file that has been seen becomes the document onto which it is renamed")
    func savedBySeenTemporaryFile() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        _ = try look(&table)
        let file = try #require(item("a.txt", in: table))
        try write("new", "a.txt.tmp")
        _ = try look(&table)
        let temporary = try #require(item("a.txt.tmp", in: table))
        try rename("a.txt.tmp", "a.txt")
        let outcome = try look(&table)
        #expect(Set(outcome.touched.keys) == [file] && outcome.missing == [temporary])
        #expect(item("a.txt", in: table) == file)
        #expect(try FileIdentity(of: FilePath(root.appendingPathComponent("a.txt").path)).mark == file.mark)
    }

    @Test("Two files that exchange their names stay what they were")
    func exchanged() throws {
        var table = FolderTable()
        try write("one", "a.txt")
        try write("two", "b.txt")
        _ = try look(&table)
        let items = try ["a.txt", "b.txt"].map { try #require(item($0, in: table)) }
        try rename("a.txt", "c.txt")
        try rename("b.txt", "a.txt")
        try rename("c.txt", "b.txt")
        let outcome = try look(&table)
        #expect(outcome.placed == Set(items) && outcome.missing == [])
        #expect(["b.txt", "a.txt"].map { item($0, in: table) } == items)
    }

    @Test("A save that puts another file in the place of the first leaves the item what it was")
    func savedByRenaming() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        _ = try look(&table)
        let file = try #require(item("a.txt", in: table))
        try write("new", "a.txt.tmp")
        try rename("a.txt.tmp", "a.txt")
        let outcome = try look(&table)
        #expect(Set(outcome.touched.keys) == [file] && outcome.missing == [])
        #expect(try FileIdentity(of: FilePath(root.appendingPathComponent("a.txt").path)).mark == file.mark)
    }

    @Test("What is moved over another document is that one, also when it goes on")
    func movedOver() throws {
        var table = FolderTable()
        try write("one", "one.txt")
        try write("two", "two.txt")
        _ = try look(&table)
        let (one, two) = (try #require(item("one.txt", in: table)), try #require(item("two.txt", in: table)))
        try rename("two.txt", "one.txt")
        #expect(try look(&table).missing == [two])
        #expect(item("one.txt", in: table) == one)
        try rename("one.txt", "three.txt")
        #expect(try look(&table).missing == [two])
        #expect(item("three.txt", in: table) == one)
    }

    @Test("A file that had moved on before it could be read is read where it is")
    func movedBeforeRead() throws {
        var table = FolderTable()
        try write("one", "one.txt")
        var first = FolderLook(table, at: FilePath(root.path), isPackage: { _ in false })
        let file = try #require(try first.look(at: [.root]).touched.keys.first)
        table = first.table
        try rename("one.txt", "two.txt")
        #expect(try look(&table).touched.keys.contains(file))
        #expect(table[file]?.state.content != nil)
    }

    @Test("A copy with its attributes is an item of its own")
    func copied() throws {
        var table = FolderTable()
        try write("one", "one.txt")
        _ = try look(&table)
        let one = try #require(item("one.txt", in: table))
        let copy = Process()
        copy.executableURL = URL(fileURLWithPath: "/bin/cp")
        copy.arguments = [
            "-a", root.appendingPathComponent("one.txt").path, root.appendingPathComponent("two.txt").path,
        ]
        try copy.run()
        copy.waitUntilExit()
        _ = try look(&table)
        let two = try #require(item("two.txt", in: table))
        #expect(two != one && item("one.txt", in: table) == one)
    }

    @Test("A package is one item, and what saves leave is none")
    func package() throws {
        var table = FolderTable()
        try FileManager.default.createDirectory(
            at: root.appendingPathComponent("p.rtfd"),
            withIntermediateDirectories: true
        )
        try write("text", "p.rtfd/TXT.rtf")
        try write("staged", ".sheaf-0123-a.txt")
        _ = try look(&table)
        #expect(table.items.count == 1)
        #expect(table[try #require(item("p.rtfd", in: table))]?.state.kind == .document)
    }

    @Test(
        "What is not as expected comes back from its removal, and so does what a process that died was removing"
    )
    func removals() throws {
        let path = FilePath(root.appendingPathComponent("a.txt").path)
        try write("mine", "a.txt")
        #expect(try !Removal.remove(path, if: { status, _ in status.stamp.byteCount != 4 }))
        #expect(try FileManager.default.contentsOfDirectory(atPath: root.path) == ["a.txt"])
        // It died before it had looked, and somebody has taken the name since.
        try rename("a.txt", ".sheaf-removed-12ab-a.txt")
        try write("another", "a.txt")
        var table = FolderTable()
        _ = try look(&table)
        let names = try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
        #expect(names == ["a 2.txt", "a.txt"] && item("a 2.txt", in: table) != nil)
        #expect(try Removal.remove(path, if: { status, _ in status.stamp.byteCount == 7 }))
        #expect(try FileManager.default.contentsOfDirectory(atPath: root.path) == ["a 2.txt"])
        // A name that begins with a sign that belongs to the one before it.
        try rename("a 2.txt", ".sheaf-removed-12ab-\u{301}a-b.txt")
        _ = try look(&table)
        let last = try FileManager.default.contentsOfDirectory(atPath: root.path)
        #expect(last.map { Array($0.utf8) } == [Array("\u{301}a-b.txt".utf8)])
    }

    @Test("A folder that bears another mark is another item, with all in it that was seen")
    func markedAnew() throws {
        try FileManager.default.createDirectory(
            at: root.appendingPathComponent("sub/deeper"),
            withIntermediateDirectories: true
        )
        try write("text", "sub/a.txt")
        var table = FolderTable()
        _ = try look(&table)
        let all = Set(table.items.keys)
        let folder = try #require(item("sub", in: table))
        let file = try #require(table.item(at: ItemPlace(folder, "a.txt")))
        let mark = FileMark.fresh()
        try FileIdentity.give(
            mark,
            toItemAt: FilePath(root.appendingPathComponent("sub").path),
            replacing: true
        )
        let outcome = try look(&table)
        #expect(item("sub", in: table) == ItemID(mark))
        #expect(table.item(at: ItemPlace(ItemID(mark), "a.txt")) == file)
        #expect(table[file]?.state.parent == ItemID(mark) && outcome.placed.contains(file))
        #expect(outcome.missing == [folder])
        #expect(Set(table.items.keys) == all.union([ItemID(mark)]))
        #expect(table.members(of: folder).isEmpty && table.members(of: ItemID(mark)).count == 2)
    }

    /// Looks at a folder after each of its syncs.
    private final class SyncedFolder: SystemCallObserver {
        let path: String
        private let states: Locked<[[String]]> = Locked([])

        init(_ path: String) { self.path = path }

        /// All that was in it whenever what had been done in it lasted.
        var seen: [[String]] { states.withLock { $0 } }

        func willMake(_ call: SystemCall) -> CInt { 0 }
        func didMake(_ call: SystemCall) {
            guard case .sync = call.effect, call.path.string == path else { return }
            let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
            states.withLock { $0.append(names.sorted()) }
        }
    }

    @Test("A package is gone for good before it is taken apart; what is left then has no name")
    func removedPackage() throws {
        for name in ["p.rtfd", ".sheaf-gone-12ab"] {
            let folder = root.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try write("text", name + "/TXT.rtf")
        }
        let watched = SyncedFolder(root.path)
        let path = FilePath(root.appendingPathComponent("p.rtfd").path)
        let isRemoved = try SystemCallObservation.withObserver(watched) {
            try Removal.remove(path, if: { _, _ in true })
        }
        #expect(isRemoved)
        let last = try #require(watched.seen.last)
        #expect(last.count == 4 && last.allSatisfy { $0.hasPrefix(".sheaf-gone-") }, "\(watched.seen)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: root.path) == [".sheaf-gone-12ab"])
        var table = FolderTable()
        _ = try look(&table)
        #expect(table.items.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: root.path) == [])
    }

    @Test("What is remembered as removed lasts")
    func removedFile() throws {
        try write("text", "a.txt")
        let watched = SyncedFolder(root.path)
        let path = FilePath(root.appendingPathComponent("a.txt").path)
        let isRemoved = try SystemCallObservation.withObserver(watched) {
            try Removal.remove(path, if: { _, _ in true })
        }
        #expect(isRemoved)
        #expect(watched.seen.last == [])
    }

    @Test("A bundle renamed on a device that does not know its type stays one item")
    func unknownBundle() throws {
        var table = FolderTable()
        let (known, renamed) = (
            root.appendingPathComponent("a.rtfd"), root.appendingPathComponent("a.unknown")
        )
        try FileManager.default.createDirectory(at: known, withIntermediateDirectories: true)
        try write("text", "a.rtfd/TXT.rtf")
        _ = try look(&table)
        let bundle = try #require(item("a.rtfd", in: table))
        try FileManager.default.moveItem(at: known, to: renamed)
        #expect(try look(&table).placed == [bundle])
        #expect(table[bundle]?.state.kind == .document && table.items.count == 1)
    }

    @Test("What is in a folder that takes the place of a bundle of an unknown type is no item any more")
    func unknownBundleReplaced() throws {
        var table = FolderTable()
        for name in ["a.rtfd", "fresh"] {
            let folder = root.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        }
        try write("text", "a.rtfd/TXT.rtf")
        try write("new", "fresh/TXT.rtf")
        _ = try look(&table)
        let bundle = try #require(item("a.rtfd", in: table))
        let folder = try #require(item("fresh", in: table))
        try rename("a.rtfd", "a.unknown")
        _ = try look(&table)
        try FileManager.default.removeItem(at: root.appendingPathComponent("a.unknown"))
        try rename("fresh", "a.unknown")
        let outcome = try look(&table)
        // The folder is gone, and with it what was known in it.
        #expect(outcome.missing == [folder] && outcome.touched.keys.sorted() == [bundle])
        #expect(item("a.unknown", in: table) == bundle)
        #expect(table.items.values.allSatisfy { $0.state.parent != bundle })
        #expect(try look(&table).touched.isEmpty && table.items.count == 3)
    }

    @Test("Two names of one file that only look alike are two items, however often one looks")
    func lookAlikeNames() throws {
        var table = FolderTable()
        let paths = ["caf\u{E9}.txt", "cafe\u{301}.txt"].map { root.path + "/" + $0 }
        #expect(FileManager.default.createFile(atPath: paths[0], contents: Data("text".utf8)))
        #expect(link(paths[0], paths[1]) == 0)
        _ = try look(&table)
        for _ in 0..<2 {
            #expect(table.items.count == 2)
            #expect(try look(&table).missing == [])
        }
        // The one that goes is gone, and it alone.
        let gone = try #require(item("cafe\u{301}.txt", in: table))
        #expect(unlink(paths[1]) == 0)
        #expect(try look(&table).missing == [gone])
    }

    @Test(
        "A file of several names that is put back as another file is told under each, whichever is listed first, or alone",
        arguments: ["a.txt", "b.txt", "folder/c.txt"]
    )
    func namesPutBack(first: String) throws {
        let names = ["a.txt", "b.txt", "folder/c.txt"]
        for looksAtOneFirst in [false, true] {
            let folder = root.appendingPathComponent("folder")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var table = FolderTable()
            try write("text", first)
            _ = try look(&table)
            for name in names where name != first {
                #expect(
                    link(root.appendingPathComponent(first).path, root.appendingPathComponent(name).path) == 0
                )
            }
            _ = try look(&table)
            let inner = try #require(item("folder", in: table))
            let items = { (table: FolderTable) in
                [
                    item("a.txt", in: table), item("b.txt", in: table),
                    table.item(at: ItemPlace(inner, "c.txt")),
                ]
            }
            let former = items(table)
            #expect(Set(former).count == 3 && !former.contains(nil))
            let mark = try #require(try FileIdentity.mark(at: FilePath(root.path + "/" + first)))
            #expect(former.contains(ItemID(mark)))
            // It bears the mark that it bore, and is another file.
            try write("text", "back")
            _ = try FileIdentity.give(mark, toItemAt: FilePath(root.path + "/back"), replacing: true)
            for name in names {
                try FileManager.default.removeItem(at: root.appendingPathComponent(name))
                #expect(
                    link(root.appendingPathComponent("back").path, root.appendingPathComponent(name).path)
                        == 0
                )
            }
            try FileManager.default.removeItem(at: root.appendingPathComponent("back"))
            if looksAtOneFirst { #expect(try look(&table, at: [inner]).missing.isEmpty) }
            let outcome = try look(&table)
            #expect(items(table) == former && outcome.missing.isEmpty && outcome.placed.isEmpty)
            #expect(try FileIdentity.mark(at: FilePath(root.path + "/a.txt")) == mark)
            for name in names { try FileManager.default.removeItem(at: root.appendingPathComponent(name)) }
        }
    }

    // MARK: Placeholders

    /// What a kill may have left: the item, its placeholder, or both, each with the item's mark.
    private func leave(_ item: ItemID, file: Bool, placeholder: Bool) throws {
        for (name, isWanted) in [("a.txt", file), (".a.txt.icloud", placeholder)] {
            let url = root.appendingPathComponent(name)
            let isThere = FileManager.default.fileExists(atPath: url.path)
            if !isWanted, isThere { try FileManager.default.removeItem(at: url) }
            guard isWanted, !isThere else { continue }
            try write(name == "a.txt" ? "text" : "", name)
            if name != "a.txt" {
                let stands = Placeholder(name: "a.txt", byteCount: 4, isDirectory: false, typeIdentifier: nil)
                try stands.encoded().write(to: url)
            }
            _ = try FileIdentity.marking(FilePath(url.path), with: item.mark, isForeign: { _ in true })
        }
    }

    @Test(
        "Whatever an eviction or a download has left that was killed, it is one item",
        arguments: [false, true]
    )
    func killed(_ wasEvicted: Bool) throws {
        var table = FolderTable()
        try write("text", "a.txt")
        _ = try look(&table)
        let item = try #require(self.item("a.txt", in: table))
        for (file, placeholder) in [(true, false), (true, true), (false, true)] {
            try leave(item, file: !wasEvicted, placeholder: wasEvicted)
            _ = try look(&table)
            #expect(table[item]?.isDataless == wasEvicted && table.items.count == 1)
            try leave(item, file: file, placeholder: placeholder)
            let outcome = try look(&table)
            let name = Comment("\(file) and \(placeholder)")
            #expect(table.items.count == 1 && self.item("a.txt", in: table) == item, name)
            // Where both are, the item counts.
            #expect(table[item]?.isDataless == !file, name)
            #expect(outcome.missing == [] && outcome.placed == [], name)
            #expect(outcome.filled == (wasEvicted && file ? [item] : []), name)
            #expect(outcome.evicted == (!wasEvicted && !file ? [item] : []), name)
            // The next look finds what is to be taken away.
            let next = try look(&table)
            #expect((outcome.leftovers + next.leftovers).isEmpty == !(file && placeholder), name)
            #expect(next.touched.isEmpty && next.filled.isEmpty && next.evicted.isEmpty, name)
        }
    }

    @Test("A placeholder under its item's own name is never taken for the item", arguments: [false, true])
    func misnamed(_ isCopy: Bool) throws {
        var table = FolderTable()
        try write("text", "a.txt")
        _ = try look(&table)
        let item = try #require(self.item("a.txt", in: table))
        try leave(item, file: false, placeholder: true)
        _ = try look(&table)
        let (place, target) = (
            root.appendingPathComponent(".a.txt.icloud"), root.appendingPathComponent("a.txt")
        )
        // A copy has another inode, and may bear no mark.
        if isCopy {
            try Data(contentsOf: place).write(to: target)
            try FileManager.default.removeItem(at: place)
        } else {
            try FileManager.default.moveItem(at: place, to: target)
        }
        let outcome = try look(&table)
        #expect(outcome.misnamed.keys.sorted() == [item] && outcome.touched.isEmpty && outcome.filled.isEmpty)
        #expect(table[item]?.isDataless == true && table.items.count == 1)
        // Its contents come by the hand of whoever has them.
        try write("text again", "a.txt")
        let filled = try look(&table)
        #expect(filled.filled == [item] && table[item]?.isDataless == false)
    }

    @Test("Placeholders of nobody's, copies of them, and files that are called so")
    func strangers() throws {
        var table = FolderTable()
        try write("not a property list", ".b.txt.icloud")
        let stranger = Placeholder(name: "c.txt", byteCount: 4, isDirectory: false, typeIdentifier: nil)
        try stranger.encoded().write(to: root.appendingPathComponent(".c.txt.icloud"))
        try write("text", "a.txt")
        _ = try look(&table)
        #expect(table.items.values.map(\.state.place.name).sorted() == [".b.txt.icloud", "a.txt"])
        let item = try #require(self.item("a.txt", in: table))
        try leave(item, file: false, placeholder: true)
        _ = try look(&table)
        #expect(table[item]?.isDataless == true)
        // A copy with its attributes.
        let copy = root.appendingPathComponent(".d.txt.icloud")
        try FileManager.default.copyItem(at: root.appendingPathComponent(".a.txt.icloud"), to: copy)
        _ = try FileIdentity.marking(FilePath(copy.path), with: item.mark, isForeign: { _ in true })
        let outcome = try look(&table)
        #expect(table.items.count == 2 && outcome.missing == [] && outcome.leftovers == [])
        #expect(self.item("a.txt", in: table) == item)
    }
}

import CLinux
import CrashHarness
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

@Suite("StagedSave", .onOwnThreads)
struct StagedSaveTests {
    let scratch: ScratchFolder
    var item: FilePath { scratch.path.appending("item.doc") }

    init() throws {
        scratch = try ScratchFolder()
    }

    func member(_ path: String) -> MemberPath {
        path.split(separator: "/").reduce(.top) { $0.appending(String($1)) ?? $0 }
    }

    func permissions(_ path: FilePath) throws -> UInt32 { try FileStamp(of: path).permissions }

    func setPermissions(_ permissions: Int, of path: FilePath) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path.string)
    }

    @Test("A new file is there whole, alone, with the stamp that was returned")
    func newFile() throws {
        let save = try StagedSave(item: item)
        try save.write(Data("new".utf8))
        #expect(try FileStamp.ifPresent(at: item) == nil)
        let stamp = try save.commit()
        #expect(try scratch.tree() == ["item.doc": "new"])
        #expect(try FileStamp(of: item) == stamp)
    }

    @Test("A replaced file keeps its permissions and extended attributes")
    func replacedFile() throws {
        try DiskTree.file("old").write(to: item)
        try setPermissions(0o640, of: item)
        #expect(setxattr(item.string, "user.sheaf", "kept", 4, 0) == 0)
        let save = try StagedSave(item: item)
        try save.write(Data("new".utf8))
        #expect(try DiskTree(at: item) == "old")
        try save.commit()
        #expect(try scratch.tree() == ["item.doc": "new"])
        #expect(try permissions(item) == 0o640)
        #expect(try FileReading.extendedAttributes(of: item)["user.sheaf"] == Data("kept".utf8))
    }

    @Test(
        "What somebody put in place in the last instant stays, if the save says so",
        arguments: [true, false]
    )
    func replacedInTheLastInstant(isExpected: Bool) throws {
        try DiskTree.file("old").write(to: item)
        let known = try FileStamp(of: item)
        let save = try StagedSave(item: item)
        try Data("new".utf8).write(to: try save.stagedPath().url(isDirectory: false))
        save.beforeSwap = { [item] () throws(SystemError) in
            guard !isExpected else { return }
            do { try Data("another's".utf8).write(to: item.url(isDirectory: false), options: .atomic) } catch
            {
                throw SystemError(call: "write", errno: EIO, path: item)
            }
        }
        save.isReplaceable = { status, _ in status.stamp == known }
        if isExpected {
            try save.commit()
            #expect(try DiskTree(at: item) == "new")
        } else {
            #expect { try save.commit() } throws: { ($0 as? SystemError)?.errno == ESTALE }
            #expect(try DiskTree(at: item) == "another's")
        }
    }

    @Test("What was put in place in the last instant comes back, also where the new item is taken away")
    func takenAwayInTheLastInstant() throws {
        try DiskTree.file("another's").write(to: item)
        let save = try StagedSave(item: item)
        try Data("new".utf8).write(to: try save.stagedPath().url(isDirectory: false))
        save.isReplaceable = { [item] _, _ in
            // Had it stayed, it would be seen below.
            try? FileManager.default.removeItem(atPath: item.string)
            return false
        }
        #expect(throws: SystemError.self) { try save.commit() }
        #expect(try scratch.tree() == ["item.doc": "another's"])
    }

    /// A volume that exchanges two names once only.
    private final class ExchangesOnce: SystemCallObserver {
        private let count = Locked(0)

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "renameat2" else { return 0 }
            // Both tries to have it back.
            return count.withLock { count in
                count += 1
                return count == 2 || count == 3 ? EIO : 0
            }
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test("What cannot go back to its place goes beside it, and the error says what is in place")
    func putBeside() throws {
        try DiskTree.file("another's").write(to: item)
        let save = try StagedSave(item: item)
        try Data("new".utf8).write(to: try save.stagedPath().url(isDirectory: false))
        save.isReplaceable = { _, _ in false }
        let error = #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(ExchangesOnce()) { _ = try save.commit() }
        }
        #expect(error?.errno == EIO && error?.isNewInPlace == true)
        #expect(try scratch.tree() == ["item.doc": "new", "item 2.doc": "another's"])
    }

    @Test("Attributes asked for go before those the item had")
    func attributesAskedFor() throws {
        try DiskTree.file("old").write(to: item)
        let save = try StagedSave(item: item)
        try save.write(Data("new".utf8))
        let date = Date(timeIntervalSince1970: 1_000_000_000.5)
        let stamp = try save.commit(MemberAttributes(permissions: 0o600, modificationDate: date))
        #expect(stamp.permissions == 0o600)
        #expect(stamp.modificationDate == date)
    }

    @Test("A save that is abandoned or dropped leaves everything as it was", arguments: [false, true])
    func abandoned(isDropped: Bool) throws {
        try DiskTree.file("old").write(to: item)
        do {
            let save = try StagedSave(item: item)
            try save.write(Data("new".utf8))
            if !isDropped { save.abandon() }
        }
        #expect(try scratch.tree() == ["item.doc": "old"])
    }

    @Test("An item that must not exist is not replaced", arguments: [false, true])
    func mustNotExist(isFolder: Bool) throws {
        let new: DiskTree = isFolder ? ["a": "1"] : "new"
        try StagedSaveTests.save(new, at: item, mustNotExist: true)
        #expect(try DiskTree(at: item) == new)
        let error = #expect(throws: SystemError.self) {
            try StagedSaveTests.save(isFolder ? ["a": "2"] : "newer", at: item, mustNotExist: true)
        }
        #expect(error?.errno == EEXIST)
        #expect(error?.path == item)
        #expect(try scratch.tree() == .folder(["item.doc": new]))
    }

    static func save(_ tree: DiskTree, at item: FilePath, mustNotExist: Bool = false) throws {
        let save = try StagedSave(item: item, mustNotExist: mustNotExist)
        try save.write(tree.memberTree)
        try save.commit()
    }

    @Test("Saving through a symbolic link saves what it leads to")
    func throughLink() throws {
        try DiskTree(dictionaryLiteral: ("real", ["item.doc": "old"]), ("link", .link("real/item.doc")))
            .write(to: scratch.path.appending("top"))
        try StagedSaveTests.save("new", at: scratch.path.appending("top").appending("link"))
        #expect(try scratch.tree() == ["top": ["real": ["item.doc": "new"], "link": .link("real/item.doc")]])
    }

    static let kinds: [DiskTree] = ["file", ["a": "1", "b": ["c": "2"]], [:], .link("nowhere")]

    @Test("Any kind of item takes the place of any other", arguments: kinds, kinds)
    func anyKind(old: DiskTree, new: DiskTree) throws {
        try old.write(to: item)
        let save = try StagedSave(item: item, followsSymbolicLink: false)
        try save.write(new.memberTree)
        try save.commit()
        #expect(try DiskTree(at: item) == new)
        try save.removeRemains()
        #expect(try scratch.tree() == .folder(["item.doc": new]))
    }

    @Test("What the caller writes at the staged path is what is saved", arguments: kinds, kinds)
    func stagedPath(old: DiskTree, new: DiskTree) throws {
        try old.write(to: item)
        let save = try StagedSave(item: item, followsSymbolicLink: false)
        try new.write(to: try save.stagedPath())
        try save.commit()
        try save.removeRemains()
        #expect(try scratch.tree() == .folder(["item.doc": new]))
    }

    static let package: DiskTree = [
        "Info": "i", "Pages": ["1": "one", "2": "two", "Deep": ["x": "X"]], "Media": ["a": "A"],
        "to": .link("Info"),
    ]

    static let changeCases: [(String, [String: DiskTree], [String], DiskTree)] = [
        ("nothing", [:], [], package),
        ("nothing that is there", [:], ["Pages/9", "No/where"], package),
        (
            "one replaced", ["Pages/1": "ONE"], [],
            [
                "Info": "i", "Pages": ["1": "ONE", "2": "two", "Deep": ["x": "X"]], "Media": ["a": "A"],
                "to": .link("Info"),
            ]
        ),
        (
            "one folder replaced", ["Pages": ["3": "three"]], [],
            ["Info": "i", "Pages": ["3": "three"], "Media": ["a": "A"], "to": .link("Info")]
        ),
        (
            "a folder becomes a file", ["Pages": "none"], [],
            ["Info": "i", "Pages": "none", "Media": ["a": "A"], "to": .link("Info")]
        ),
        (
            "one in a folder that is new", ["New/deep/file": "!"], [],
            [
                "Info": "i", "Pages": ["1": "one", "2": "two", "Deep": ["x": "X"]], "Media": ["a": "A"],
                "to": .link("Info"), "New": ["deep": ["file": "!"]],
            ]
        ),
        (
            "one removed", [:], ["Pages/2"],
            [
                "Info": "i", "Pages": ["1": "one", "Deep": ["x": "X"]], "Media": ["a": "A"],
                "to": .link("Info"),
            ]
        ),
        (
            "one folder removed", [:], ["Pages"],
            ["Info": "i", "Media": ["a": "A"], "to": .link("Info")]
        ),
        (
            "two in one folder", ["Pages/1": "ONE"], ["Pages/2"],
            [
                "Info": "i", "Pages": ["1": "ONE", "Deep": ["x": "X"]], "Media": ["a": "A"],
                "to": .link("Info"),
            ]
        ),
        (
            "many everywhere", ["Info": "I", "Pages/Deep/y": "Y", "New": ["z": "Z"]], ["Media", "Pages/1"],
            [
                "Info": "I", "Pages": ["2": "two", "Deep": ["x": "X", "y": "Y"]], "New": ["z": "Z"],
                "to": .link("Info"),
            ]
        ),
        (
            "a folder made anew", ["Pages/3": "three"], ["Pages"],
            ["Info": "i", "Pages": ["3": "three"], "Media": ["a": "A"], "to": .link("Info")]
        ),
    ]

    @Test("The members that change change, the others stay", arguments: changeCases)
    func changedMembers(
        name: String,
        placed: [String: DiskTree],
        removed: [String],
        expected: DiskTree
    ) throws {
        try Self.package.write(to: item)
        try setPermissions(0o750, of: item)
        let save = try StagedSave(item: item)
        try save.write(packageChanges(placed, removed))
        #expect(try DiskTree(at: item) == Self.package)
        try save.commit()
        #expect(try DiskTree(at: item) == expected)
        try save.removeRemains()
        #expect(try scratch.tree() == .folder(["item.doc": expected]))
        #expect(try permissions(item) == 0o750)
    }

    func packageChanges(_ placed: [String: DiskTree], _ removed: [String]) -> PackageChanges {
        PackageChanges(
            placed: Dictionary(uniqueKeysWithValues: placed.map { (member($0), $1.memberTree) }),
            removed: Set(removed.map(member))
        )
    }

    @Test("Files the caller adds to the staged changes are part of them")
    func addedByCaller() throws {
        try Self.package.write(to: item)
        let save = try StagedSave(item: item)
        try save.write(packageChanges(["Info": "I"], ["Media"]))
        try DiskTree.file("page").write(to: try save.stagedPath().appending("index.html"))
        try save.commit()
        #expect(
            try DiskTree(at: item) == [
                "Info": "I", "Pages": ["1": "one", "2": "two", "Deep": ["x": "X"]], "to": .link("Info"),
                "index.html": "page",
            ]
        )
    }

    @Test("A file the caller adds to a single staged change is part of it too")
    func addedToOne() throws {
        try Self.package.write(to: item)
        let save = try StagedSave(item: item)
        try save.write(packageChanges(["Info": "I"], []))
        try DiskTree.file("page").write(to: try save.stagedPath().appending("index.html"))
        try save.commit()
        try save.removeRemains()
        #expect(try DiskTree(at: item.appending("Info")) == "I")
        #expect(try DiskTree(at: item.appending("index.html")) == "page")
        #expect(try scratch.tree() == .folder(["item.doc": try #require(try DiskTree(at: item))]))
    }

    @Test(
        "One new file in a package: where something else is in its place, or its folder is new, it is put there too",
        arguments: ["Info", "Pages/1", "new", "Pages/new", "New/Deep/1", "Media", "to"]
    )
    func oneMember(_ path: String) throws {
        try Self.package.write(to: item)
        let save = try StagedSave(item: item)
        try save.write(packageChanges([path: "put"], []))
        try save.commit()
        try save.removeRemains()
        let place = path.split(separator: "/").reduce(item) { $0.appending(String($1)) }
        #expect(try DiskTree(at: place) == "put")
        #expect(try FileStamp(of: place) == save.placedStamps[member(path)] || path.hasPrefix("New/"))
        #expect(try scratch.tree() == .folder(["item.doc": try #require(try DiskTree(at: item))]))
    }

    @Test("What was put in place is known as it was before others could change it")
    func placedStamps() throws {
        try Self.package.write(to: item)
        let save = try StagedSave(item: item)
        try save.write(packageChanges(["Info": "I", "Pages/1": "ONE", "Media/new": "N"], []))
        try save.commit()
        #expect(save.placedStamps.count == 3)
        for (path, stamp) in save.placedStamps {
            #expect(try FileStamp(of: path.components.reduce(item) { $0.appending($1) }) == stamp)
        }
        try DiskTree.file("theirs").write(to: item.appending("Info"))
        #expect(try FileStamp(of: item.appending("Info")) != save.placedStamps[member("Info")])
    }

    @Test("Members that stay are the same files after a rebuild, and folders keep their dates")
    func sharedMembers() throws {
        try Self.package.write(to: item)
        let media = item.appending("Media")
        let before = (try FileStamp(of: media.appending("a")), try FileStamp(of: media))
        try setPermissions(0o755, of: media)
        let save = try StagedSave(item: item)
        try save.write(packageChanges(["Info": "I", "Pages/1": "ONE"], []))
        try save.commit()
        #expect(try FileStamp(of: media.appending("a")) == before.0)
        #expect(try FileStamp(of: media).modificationDate == before.1.modificationDate)
    }

    @Test(
        "A package that is to be another folder is one for a single change, too, and what stays are the same files"
    )
    func folderMadeAnew() throws {
        try Self.package.write(to: item)
        let places = [item, item.appending("Media/a")]
        let before = try places.map { try FileStamp(of: $0) }
        for isPut in [true, false] {
            let save = try StagedSave(item: item)
            save.makesFolderAnew = true
            try save.write(packageChanges(isPut ? ["Info": "I"] : [:], isPut ? [] : ["Pages/1"]))
            let former = try FileStamp(of: item)
            let date = FileTime(
                seconds: before[0].modificationSeconds,
                nanoseconds: before[0].modificationNanoseconds
            )
            let stamp = try save.commit(MemberAttributes(modified: date))
            #expect(stamp.inode != former.inode && stamp.modificationDate == before[0].modificationDate)
            #expect(try FileStamp(of: places[1]) == before[1])
        }
        #expect(try DiskTree(at: item.appending("Info")) == .file("I"))
        #expect(try FileStamp.ifPresent(at: item.appending("Pages/1")) == nil)
    }

    @Test("A replaced member keeps its permissions")
    func replacedMember() throws {
        try Self.package.write(to: item)
        try setPermissions(0o604, of: item.appending("Info"))
        let save = try StagedSave(item: item)
        try save.write(packageChanges(["Info": "I"], []))
        try save.commit()
        #expect(try permissions(item.appending("Info")) == 0o604)
    }

    @Test("An existing file is linked into a package, unless it has changed")
    func existingSource() throws {
        let source = scratch.path.appending("source")
        try DiskTree.file("bytes").write(to: source)
        let stamp = try FileStamp(of: source)
        let tree = MemberTree.directory(["member": .file(.existing(source, stamp))])
        let save = try StagedSave(item: item)
        try save.write(tree)
        try save.commit()
        #expect(try FileStamp(of: item.appending("member")) == stamp)
        try Data("other".utf8).write(to: source.url(isDirectory: false), options: .atomic)
        let error = #expect(throws: SystemError.self) {
            let save = try StagedSave(item: item)
            try save.write(tree)
        }
        #expect(error?.errno == ESTALE)
        #expect(error?.path == source)
        #expect(try scratch.tree() == ["item.doc": ["member": "bytes"], "source": "other"])
    }

    @Test("An existing file is copied when other attributes are wanted than it has")
    func existingSourceOtherAttributes() throws {
        let source = scratch.path.appending("source")
        try DiskTree.file("bytes").write(to: source)
        try setPermissions(0o644, of: source)
        let attributes = MemberAttributes(permissions: 0o600)
        let save = try StagedSave(item: item)
        try save.write(.directory(["member": .file(.existing(source, nil), attributes)]))
        try save.commit()
        #expect(try permissions(item.appending("member")) == 0o600)
        #expect(try permissions(source) == 0o644)
        #expect(try DiskTree(at: item) == ["member": "bytes"])
    }

    @Test("A change does not reach through a symbolic link out of the package")
    func linkOutOfPackage() throws {
        try DiskTree(dictionaryLiteral: ("x", "outside")).write(to: scratch.path.appending("outside"))
        try DiskTree(dictionaryLiteral: ("out", .link("../outside")), ("a", "1")).write(to: item)
        let save = try StagedSave(item: item)
        try save.write(packageChanges([:], ["out/x"]))
        try save.commit()
        #expect(try DiskTree(at: scratch.path.appending("outside")) == ["x": "outside"])
    }

    @Test("A package of many folders is saved whole, and what fails in any of them is told")
    func manyFolders() throws {
        var (old, new): ([String: DiskTree], [String: DiskTree]) = ([:], [:])
        var changes: [String: DiskTree] = [:]
        for index in 0..<40 {
            let members: [String: DiskTree] = ["a": "1", "b": ["c": .file("\(index)")], "d": .link("a")]
            old["\(index)"] = .folder(members)
            let isChanged = index % 3 == 0
            new["\(index)"] = .folder(members.merging(isChanged ? ["a": "new"] : [:]) { $1 })
            if isChanged { changes["\(index)/a"] = "new" }
        }
        try DiskTree.folder(old).write(to: item)
        let failing = StagedSaveFailure(call: "linkat", after: 50)
        let refused = try StagedSave(item: item)
        try refused.write(packageChanges(changes, []))
        #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(failing) { _ = try refused.commit() }
        }
        #expect(failing.callCount.withLock { $0 } >= 50)
        #expect(try scratch.tree() == .folder(["item.doc": .folder(old)]))
        let save = try StagedSave(item: item)
        try save.write(packageChanges(changes, []))
        try save.commit()
        try save.removeRemains()
        #expect(try scratch.tree() == .folder(["item.doc": .folder(new)]))
    }

    @Test("A name of 255 bytes can be saved", arguments: ["a", "é"])
    func longName(letter: String) throws {
        let name = String(repeating: letter, count: 250 / letter.utf8.count) + ".doc"
        try StagedSaveTests.save(["a": "1"], at: scratch.path.appending(name))
        try StagedSaveTests.save(["b": "2"], at: scratch.path.appending(name))
        #expect(try scratch.tree() == .folder([name: ["b": "2"]]))
    }

    @Test("A file replaces the folder that the save it waited for has left")
    func folderLeftMeanwhile() throws {
        let item = self.item
        try DiskTree.file("old").write(to: item)
        let intruder = Intruder {
            try FileManager.default.removeItem(atPath: item.string)
            try FileManager.default.createDirectory(atPath: item.string, withIntermediateDirectories: false)
        }
        try SystemCallObservation.withObserver(intruder) {
            let save = try StagedSave(item: item)
            try save.write(Data("new".utf8))
            try save.commit()
        }
        #expect(intruder.hasRun.withLock { $0 })
        #expect(try scratch.tree() == .folder(["item.doc": "new"]))
    }

    @Test("Saves of one item by many threads happen one after the other")
    func manySavers() throws {
        let item = self.item
        DispatchQueue.concurrentPerform(iterations: 40) { index in
            do {
                let text = DiskTree.file("\(index)")
                let tree: DiskTree = index % 2 == 0 ? ["n": text, "m": text] : text
                try StagedSaveTests.save(tree, at: item)
            } catch { Issue.record(error) }
        }
        let names = try FileReading.entries(in: scratch.path).map(\.name)
        #expect(names == ["item.doc"])
    }
}

/// Does something in the instant before the first file of a save is made.
private final class Intruder: SystemCallObserver {
    let hasRun = Locked(false)
    private let intrude: @Sendable () throws -> Void

    init(_ intrude: @escaping @Sendable () throws -> Void) {
        self.intrude = intrude
    }

    func willMake(_ call: SystemCall) -> CInt {
        guard case .createFile = call.effect else { return 0 }
        let isFirst = hasRun.withLock { hasRun in
            defer { hasRun = true }
            return !hasRun
        }
        guard isFirst else { return 0 }
        do { try intrude() } catch { Issue.record(error) }
        return 0
    }

    func didMake(_ call: SystemCall) {}
}

/// Refuses one kind of call from some time on, on whichever thread.
private final class StagedSaveFailure: SystemCallObserver {
    let callCount = Locked(0)
    private let call: String
    private let allowed: Int

    init(call: String, after allowed: Int) {
        self.call = call
        self.allowed = allowed
    }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.name == self.call else { return 0 }
        return callCount.withLock { count in
            count += 1
            return count > allowed ? ENOSPC : 0
        }
    }

    func didMake(_ call: SystemCall) {}
}

import CrashHarness
import Foundation
import Locks
import TestThreads
import Testing

@testable import FileSystem

@Suite("SaveRecovery", .onOwnThreads)
struct SaveRecoveryTests {
    let scratch: ScratchFolder
    var item: FilePath { scratch.path.appending("item.doc") }
    var stagingName: String { SaveSite.stagingName(for: "item.doc") }
    var staging: FilePath { scratch.path.appending(stagingName) }

    init() throws { scratch = try ScratchFolder() }

    @Test("Two system calls when nothing was left")
    func cost() throws {
        try DiskTree.file("1").write(to: item)
        let counter = FaultInjector(callNumber: 0, errno: 0)
        try SystemCallObservation.withObserver(counter) { try SaveRecovery.recover(item: item) }
        #expect(counter.callCount == 2)
    }

    @Test(
        "What a dead save left goes, what only looks like it stays",
        arguments: ["file", ["a": "1"]] as [DiskTree]
    )
    func leftovers(left: DiskTree) throws {
        let others: [String: DiskTree] = [
            "item.doc": "1", ".sheaf-item.doc": "2", ".sheaf-0000000000000000-item.doc": "3",
            stagingName + "~": "4", SaveSite.stagingName(for: "item.do"): "5",
        ]
        for (name, tree) in others { try tree.write(to: scratch.path.appending(name)) }
        try left.write(to: staging)
        try SaveRecovery.recover(item: item)
        #expect(try scratch.tree() == .folder(others))
    }

    @Test("A live save is left alone")
    func live() throws {
        try DiskTree.file("old").write(to: item)
        let save = try StagedSave(item: item)
        try save.write(Data("new".utf8))
        try SaveRecovery.recover(item: item)
        #expect(try DiskTree(at: staging) == "new")
        try save.commit()
        #expect(try scratch.tree() == ["item.doc": "new"])
    }

    static let journal = DiskTree.file("sheaf swap 1\n")
    static let memberJournal = DiskTree.file("sheaf swap 1/Pages\n")

    static let cutSwaps: [(DiskTree?, DiskTree, DiskTree)] = [
        (nil, [".sheaf-journal": journal, ".sheaf-next": ["n": "N"], ".sheaf-old": ["o": "O"]], ["n": "N"]),
        (nil, [".sheaf-journal": journal, ".sheaf-old": ["o": "O"]], ["o": "O"]),
        (["o": "O"], [".sheaf-journal": journal, ".sheaf-next": ["n": "N"]], ["o": "O"]),
        (["n": "N"], [".sheaf-journal": journal, ".sheaf-old": ["o": "O"]], ["n": "N"]),
        (["o": "O"], [".sheaf-journal-part": "sheaf", ".sheaf-next": ["n": "N"]], ["o": "O"]),
        (
            ["i": "I"], [".sheaf-journal": memberJournal, ".sheaf-next": ["n": "N"], ".sheaf-old": [:]],
            ["i": "I", "Pages": ["n": "N"]]
        ),
    ]

    @Test("A swap in two steps that was cut short is brought to its end", arguments: cutSwaps)
    func cutSwap(old: DiskTree?, left: DiskTree, expected: DiskTree) throws {
        try old?.write(to: item)
        try left.write(to: staging)
        try SaveRecovery.recover(item: item)
        #expect(try scratch.tree() == .folder(["item.doc": expected]))
    }

    @Test("Recovery that fails at any call can be done again", arguments: cutSwaps)
    func failingRecovery(old: DiskTree?, left: DiskTree, expected: DiskTree) throws {
        var callNumber = 0
        var isFailed = true
        while isFailed {
            callNumber += 1
            let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
            let item = scratch.path.appending("item.doc")
            try old?.write(to: item)
            try left.write(to: scratch.path.appending(stagingName))
            let faults = FaultInjector(callNumber: callNumber, errno: EIO)
            // What the failing one says does not matter here; what the next one leaves does.
            try? SystemCallObservation.withObserver(faults) { try SaveRecovery.recover(item: item) }
            isFailed = faults.failed != nil
            try SaveRecovery.recover(item: item)
            #expect(try scratch.tree() == .folder(["item.doc": expected]), "call \(callNumber)")
        }
        #expect(callNumber > 10)
    }

    @Test("What a dead save put in place lasts before its note and the old version go")
    func lastsFirst() throws {
        try DiskTree.folder(["n": "N"]).write(to: item)
        try DiskTree.folder([".sheaf-journal": Self.journal, ".sheaf-old": ["o": "O"]]).write(to: staging)
        let recorder = CallList()
        try SystemCallObservation.withObserver(recorder) { try SaveRecovery.recover(item: item) }
        let calls = recorder.calls.withLock { $0 }
        func place(_ name: String, _ path: FilePath) throws -> Int {
            try #require(calls.firstIndex { $0.name == name && $0.path == path })
        }
        let synced = try place("fsync", scratch.path)
        let noteGone = try place("unlinkat", staging.appending(".sheaf-journal"))
        let allSynced = try place("syncfs", staging)
        let oldGone = try place("unlinkat", staging.appending(".sheaf-old").appending("o"))
        #expect(synced < noteGone)
        #expect(allSynced < oldGone)
    }

    @Test("Recovery that fails gives its lock up, though a process that is just being started has a copy")
    func failingRecoveryUnlocks() throws {
        try DiskTree.file("1").write(to: item)
        try DiskTree.file("left").write(to: staging)
        let copier = FailingWithCopies(of: staging)
        #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(copier) { try SaveRecovery.recover(item: item) }
        }
        #expect(copier.copyCount > 0)
        try SaveRecovery.recover(item: item)
        #expect(try scratch.tree() == ["item.doc": "1"])
    }

    @Test("Where only who may write a file can lock it, as on NFS, what a dead save left keeps nobody out")
    func lockedForWriting() throws {
        try DiskTree.file("1").write(to: item)
        try DiskTree.file("left").write(to: staging)
        try SystemCallObservation.withObserver(LocksOfNFS()) { try SaveRecovery.recover(item: item) }
        #expect(try scratch.tree() == ["item.doc": "1"])
        try DiskTree.file("left").write(to: staging)
        try SystemCallObservation.withObserver(LocksOfNFS()) {
            let save = try StagedSave(item: item)
            try save.write(Data("2".utf8))
            _ = try save.commit()
        }
        #expect(try scratch.tree() == ["item.doc": "2"])
    }

    @Test("A staging that another save has cleared away is made anew, though it has a name still, as on NFS")
    func renamedAway() throws {
        try DiskTree.file("1").write(to: item)
        let aside = scratch.path.appending(".nfs1")
        try SystemCallObservation.withObserver(RemovesAsNFS(staging, as: aside)) {
            let save = try StagedSave(item: item)
            try save.write(Data("2".utf8))
            _ = try save.commit()
        }
        #expect(try scratch.tree() == ["item.doc": "2", ".nfs1": ""])
    }

    @Test(
        "What cannot be locked stays, and is an error only where the item is not in its place",
        arguments: [EBADF, ENOLCK, EOPNOTSUPP]
    )
    func unlockable(code: CInt) throws {
        try DiskTree.file("1").write(to: item)
        try DiskTree.file("left").write(to: staging)
        try SystemCallObservation.withObserver(NoLocks(code: code)) { try SaveRecovery.recover(item: item) }
        #expect(try scratch.tree() == .folder(["item.doc": "1", stagingName: "left"]))
        try FileManager.default.removeItem(atPath: item.string)
        let error = #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(NoLocks(code: code)) {
                try SaveRecovery.recover(item: item)
            }
        }
        #expect(error?.errno == code)
    }

    @Test("What a dead save left goes though there are names in it that are not UTF-8")
    func unnamed() throws {
        try DiskTree.file("1").write(to: item)
        try DiskTree.folder([".sheaf-old": ["a": "A"]]).write(to: staging)
        let old = staging.appending(".sheaf-old").string
        let name: [UInt8] = [0x2F, 0xFF, 0x61]
        for (ending, isFolder) in [(0x62, true), (0x63, false)] as [(UInt8, Bool)] {
            let path = (Array(old.utf8) + name + [ending, 0]).map { CChar(bitPattern: $0) }
            guard isFolder ? mkdir(path, 0o700) == 0 : mknod(path, S_IFREG | 0o600, 0) == 0 else {
                print("not tried: the volume takes no such names, \(errno)")
                return
            }
        }
        try SaveRecovery.recover(item: item)
        #expect(try scratch.tree() == ["item.doc": "1"])
    }

    @Test("What this user may not remove is in the way of no save")
    func unremovable() throws {
        try DiskTree.file("1").write(to: item)
        try DiskTree.folder(["Theirs": ["a": "A"]]).write(to: staging)
        try SystemCallObservation.withObserver(Unremovable(name: "a")) {
            let save = try StagedSave(item: item)
            try save.write(Data("2".utf8))
            _ = try save.commit()
        }
        let aside = NumberedName.of(stagingName, 2)
        #expect(try scratch.tree() == .folder(["item.doc": "2", aside: ["Theirs": ["a": "A"]]]))
    }

    @Test("A journal that would lead out of the item is refused")
    func foreignJournal() throws {
        #expect(SwapJournal(text: "sheaf swap 1/..\n") == nil)
        #expect(SwapJournal(text: "sheaf swap 1/a//b\n") == nil)
        #expect(SwapJournal(text: "sheaf swap 1/a") == nil)
        #expect(SwapJournal(text: "sheaf swap 1/a/b\n")?.target == MemberPath(["a", "b"]))
    }

    @Test(
        "A journal is read as it was written, whatever signs the names are of",
        arguments: ["Icon\r", "\u{301}a", "a\n"]
    )
    func journalNames(name: String) throws {
        let target = try #require(MemberPath([name, name]))
        try FileManager.default.createDirectory(atPath: staging.string, withIntermediateDirectories: false)
        let folder = try Folder.open(staging)
        try SwapJournal(target: target).write(in: folder)
        #expect(try SwapJournal.read(in: folder) == SwapJournal(target: target))
    }

    @Test("A symbolic link where a staging would be is not followed and stops a save")
    func bait() throws {
        try DiskTree.file("1").write(to: item)
        try DiskTree.link("elsewhere").write(to: staging)
        try SaveRecovery.recover(item: item)
        let error = #expect(throws: SystemError.self) {
            let save = try StagedSave(item: item)
            try save.write(Data("2".utf8))
        }
        #expect(error?.errno == EEXIST)
        #expect(error?.path == staging)
        #expect(try DiskTree(at: staging) == .link("elsewhere"))
    }
}

/// A server that locks files only for who has them open for writing, and folders for everybody.
private struct LocksOfNFS: SystemCallObserver {
    func willMake(_ call: SystemCall) -> CInt {
        var isFolder: ObjCBool = false
        guard call.name == "flock",
            FileManager.default.fileExists(atPath: call.path.string, isDirectory: &isFolder),
            !isFolder.boolValue
        else { return 0 }
        let found = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let isWritable = found.compactMap { CInt($0) }.contains { number in
            // Others' descriptors come and go meanwhile.
            let leadsTo = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(number)"
            )
            return leadsTo == call.path.string && fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY
        }
        return isWritable ? 0 : EBADF
    }

    func didMake(_ call: SystemCall) {}
}

/// Takes a staging away before it is locked, once, in the way of a client that has it open.
private final class RemovesAsNFS: SystemCallObserver {
    private let staging: FilePath
    private let aside: FilePath
    private let isDone = Locked(false)

    init(_ staging: FilePath, as aside: FilePath) { (self.staging, self.aside) = (staging, aside) }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.name == "flock", !isDone.withLock({ $0 }) else { return 0 }
        isDone.withLock { $0 = true }
        return rename(staging.string, aside.string) == 0 ? 0 : EIO
    }

    func didMake(_ call: SystemCall) {}
}

/// A server without locks.
private struct NoLocks: SystemCallObserver {
    let code: CInt

    func willMake(_ call: SystemCall) -> CInt { call.name == "flock" ? code : 0 }
    func didMake(_ call: SystemCall) {}
}

/// Lists all calls.
private final class CallList: SystemCallObserver {
    let calls = Locked<[SystemCall]>([])

    func willMake(_ call: SystemCall) -> CInt {
        calls.withLock { $0.append(call) }
        return 0
    }

    func didMake(_ call: SystemCall) {}
}

/// Lets nobody remove what has a name.
private struct Unremovable: SystemCallObserver {
    let name: String

    func willMake(_ call: SystemCall) -> CInt {
        call.name == "unlinkat" && call.path.name == name ? EPERM : 0
    }
    func didMake(_ call: SystemCall) {}
}

/// Fails removals, and keeps copies of all descriptors of an item, as a process has them between fork and exec.
private final class FailingWithCopies: SystemCallObserver {
    private let place: String
    private let copies = Locked<[CInt]>([])

    init(of item: FilePath) { place = item.string }

    deinit { for copy in copies.withLock({ $0 }) { close(copy) } }

    var copyCount: Int { copies.withLock { $0.count } }

    func willMake(_ call: SystemCall) -> CInt {
        guard call.name == "unlinkat" else { return 0 }
        let found = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for number in found.compactMap({ CInt($0) }) {
            // Others' descriptors come and go meanwhile.
            let leadsTo = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(number)"
            )
            if leadsTo == place { copies.withLock { $0.append(dup(number)) } }
        }
        return EIO
    }

    func didMake(_ call: SystemCall) {}
}

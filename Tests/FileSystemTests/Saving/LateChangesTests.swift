import CrashHarness
import Foundation
import Locks
import TestThreads
import Testing

@testable import FileSystem

/// What others do in a package while a save makes folders of it anew.
@Suite("Late changes", .onOwnThreads)
struct LateChangesTests {
    let scratch: ScratchFolder
    var item: FilePath { scratch.path.appending("item.doc") }

    init() throws { scratch = try ScratchFolder() }

    static let package: DiskTree = [
        "Info": "i", "Pages": ["1": "one", "2": "two", "Deep": ["x": "X"]], "Media": ["a": "A", "b": "B"],
    ]

    func begin(_ placed: [String: DiskTree], removing removed: [String] = []) throws -> StagedSave {
        try Self.package.write(to: item)
        return try begin(placed, removing: removed, at: item)
    }

    func begin(
        _ placed: [String: DiskTree],
        removing removed: [String] = [],
        at item: FilePath
    ) throws -> StagedSave {
        func member(_ path: String) -> MemberPath {
            MemberPath(path.split(separator: "/").map(String.init)) ?? .top
        }
        let save = try StagedSave(item: item)
        let changes = PackageChanges(
            placed: Dictionary(uniqueKeysWithValues: placed.map { (member($0), $1.memberTree) }),
            removed: Set(removed.map(member))
        )
        try save.write(changes)
        return save
    }

    /// Commits, and does something in the instant before a call.
    func commit(
        _ save: StagedSave,
        before isMeant: @escaping @Sendable (SystemCall) -> Bool = Meddler.isExchange,
        refusesExchange: Bool = false,
        refusesLinks: Bool = false,
        _ meddle: @escaping @Sendable () throws -> Void
    ) throws {
        let meddler = Meddler(
            before: isMeant,
            refusesExchange: refusesExchange,
            refusesLinks: refusesLinks,
            meddle
        )
        try SystemCallObservation.withObserver(meddler) { _ = try save.commit() }
        #expect(meddler.hasRun.withLock { $0 })
        try save.removeRemains()
    }

    @Test("What others do in a folder after it was linked is in the new one", arguments: [false, true])
    func carriedOver(refusesExchange: Bool) throws {
        let save = try begin(["Info": "I", "Pages/1": "ONE"])
        try commit(save, refusesExchange: refusesExchange) { [item] in
            try put("theirs", item.appending("Media").appending("a"))
            try put("new", item.appending("Media").appending("c"))
            try FileManager.default.removeItem(atPath: item.appending("Media").appending("b").string)
            try DiskTree.folder(["s": "S"]).write(to: item.appending("Media").appending("Sub"))
            try put("their two", item.appending("Pages").appending("2"))
            try put("deep", item.appending("Pages").appending("Deep").appending("y"))
            try put("top", item.appending("Top"))
        }
        let expected: DiskTree = [
            "Info": "I", "Top": "top",
            "Pages": ["1": "ONE", "2": "their two", "Deep": ["x": "X", "y": "deep"]],
            "Media": ["a": "theirs", "c": "new", "Sub": ["s": "S"]],
        ]
        #expect(try scratch.tree() == .folder(["item.doc": expected]))
    }

    @Test("What others write into a file that could not be linked, only copied, is in the new folder")
    func writtenAfterCopy() throws {
        let save = try begin(["Info": "I", "Pages/1": "ONE"])
        try commit(save, refusesLinks: true) { [item] in
            let place = item.appending("Media").appending("a").url(isDirectory: false)
            try Data("written in place".utf8).write(to: place)
        }
        let expected: DiskTree = [
            "Info": "I", "Pages": ["1": "ONE", "2": "two", "Deep": ["x": "X"]],
            "Media": ["a": "written in place", "b": "B"],
        ]
        #expect(try scratch.tree() == .folder(["item.doc": expected]))
    }

    @Test("The same where a folder deep in the package is made anew")
    func innerFolder() throws {
        let save = try begin(["Pages/1": "ONE"], removing: ["Pages/2"])
        try commit(save) { [item] in
            try put("their x", item.appending("Pages").appending("Deep").appending("x"))
            try put("new", item.appending("Pages").appending("3"))
        }
        let pages: DiskTree = ["1": "ONE", "3": "new", "Deep": ["x": "their x"]]
        let expected: DiskTree = ["Info": "i", "Pages": pages, "Media": ["a": "A", "b": "B"]]
        #expect(try scratch.tree() == .folder(["item.doc": expected]))
    }

    @Test(
        "What others put in the place of what the save itself changes stays beside that",
        arguments: [false, true]
    )
    func changedByBoth(refusesExchange: Bool) throws {
        let save = try begin(["Info": "I", "Pages/1": "ONE"], removing: ["Media/b"])
        try commit(save, refusesExchange: refusesExchange) { [item] in
            try put("their info", item.appending("Info"))
            try put("their b", item.appending("Media").appending("b"))
        }
        let expected: DiskTree = [
            "Info": "I", "Info 2": "their info", "Pages": ["1": "ONE", "2": "two", "Deep": ["x": "X"]],
            "Media": ["a": "A", "b": "their b"],
        ]
        #expect(try scratch.tree() == .folder(["item.doc": expected]))
    }

    @Test("What the caller could see as it looked for the last time is not put beside")
    func seenByCaller() throws {
        let save = try begin(["Info": "I", "Pages/1": "ONE"])
        let isNote: @Sendable (SystemCall) -> Bool = { $0.path.name == RebuildNote.name }
        try commit(save, before: isNote) { [item] in try put("their info", item.appending("Info")) }
        let expected: DiskTree = [
            "Info": "I", "Pages": ["1": "ONE", "2": "two", "Deep": ["x": "X"]],
            "Media": ["a": "A", "b": "B"],
        ]
        #expect(try scratch.tree() == .folder(["item.doc": expected]))
    }

    @Test("A folder that others move is moved; what the save changed in it stays", arguments: [false, true])
    func movedFolder(isChanged: Bool) throws {
        let save = try begin(["Info": "I", (isChanged ? "Media/a" : "Pages/1"): "new"])
        try commit(save) { [item] in
            try FileManager.default.moveItem(
                atPath: item.appending("Media").string,
                toPath: item.appending("Pictures").string
            )
        }
        let media: DiskTree = ["a": "A", "b": "B"]
        var expected: [String: DiskTree] = [
            "Info": "I", "Pages": ["1": isChanged ? "one" : "new", "2": "two", "Deep": ["x": "X"]],
            "Pictures": media,
        ]
        if isChanged { expected["Media"] = ["a": "new", "b": "B"] }
        #expect(try scratch.tree() == .folder(["item.doc": .folder(expected)]))
    }

    @Test(
        "What others take away between the listing and its link does not end the save",
        arguments: ["a", ""]
    )
    func gone(name: String) throws {
        let save = try begin(["Info": "I", "Pages/1": "ONE"])
        let place = item.appending("Media")
        let isMeant: @Sendable (SystemCall) -> Bool = { call in
            // A link of the file, or the opening of the folder.
            name.isEmpty
                ? call.name == "openat" && call.path == place
                : call.name == "linkat" && call.source == place.appending(name)
        }
        try commit(save, before: isMeant) {
            let gone = name.isEmpty ? place : place.appending(name)
            try FileManager.default.removeItem(atPath: gone.string)
        }
        var expected: [String: DiskTree] = [
            "Info": "I", "Pages": ["1": "ONE", "2": "two", "Deep": ["x": "X"]],
        ]
        if !name.isEmpty { expected["Media"] = ["b": "B"] }
        #expect(try scratch.tree() == .folder(["item.doc": .folder(expected)]))
    }

    /// Saves up to the exchange, after which nothing is looked at any more: as if the process died there.
    private func saveAndDie(at item: FilePath) throws {
        try Self.package.write(to: item)
        let save = try begin(["Info": "I", "Pages/1": "ONE"], at: item)
        let meddler = Meddler(before: Meddler.isExchange, refusesLooks: true) {
            try put("theirs", item.appending("Media").appending("a"))
            try put("new", item.appending("Media").appending("c"))
            try put("their info", item.appending("Info"))
        }
        #expect { try SystemCallObservation.withObserver(meddler) { _ = try save.commit() } } throws: {
            ($0 as? SystemError)?.isNewInPlace == true
        }
        #expect(try DiskTree(at: item.appending("Media").appending("a")) == "A")
    }

    @Test("What a save that died had not carried over its recovery does, cut short at any call")
    func recovery() throws {
        let expected: DiskTree = [
            "Info": "I", "Info 2": "their info", "Pages": ["1": "ONE", "2": "two", "Deep": ["x": "X"]],
            "Media": ["a": "theirs", "b": "B", "c": "new"],
        ]
        var (callNumber, isFailed) = (0, true)
        while isFailed {
            callNumber += 1
            let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
            let item = scratch.path.appending("item.doc")
            try saveAndDie(at: item)
            let faults = FaultInjector(callNumber: callNumber, errno: EIO)
            // What the failing one says does not matter here; what the next one leaves does.
            try? SystemCallObservation.withObserver(faults) { try SaveRecovery.recover(item: item) }
            isFailed = faults.failed != nil
            try SaveRecovery.recover(item: item)
            #expect(try scratch.tree() == .folder(["item.doc": expected]), "call \(callNumber)")
        }
        #expect(callNumber > 20)
    }

    @Test("What others write after a save that died stays as it is")
    func writtenAfterDeath() throws {
        try saveAndDie(at: item)
        try put("latest", item.appending("Media").appending("a"))
        try put("latest", item.appending("Media").appending("b"))
        try FileManager.default.removeItem(atPath: item.appending("Pages").appending("2").string)
        try SaveRecovery.recover(item: item)
        let expected: DiskTree = [
            "Info": "I", "Info 2": "their info", "Pages": ["1": "ONE", "Deep": ["x": "X"]],
            "Media": ["a": "latest", "a 2": "theirs", "b": "latest", "c": "new"],
        ]
        #expect(try scratch.tree() == .folder(["item.doc": expected]))
    }

    @Test("After the exchange folders are looked at, and no member for itself")
    func cost() throws {
        var members: [String: DiskTree] = [:]
        for index in 0..<300 { members["\(index)"] = "m" }
        try DiskTree.folder(["a": .folder(members), "b": .folder(members), "c": "C"]).write(to: item)
        let save = try begin(["a/0": "new", "c": "new"], at: item)
        let counter = CallsAfterExchange()
        try SystemCallObservation.withObserver(counter) { _ = try save.commit() }
        // A folder that changed just before is listed too, which takes some more.
        let count = try #require(counter.count.withLock { $0 })
        #expect(count < 50)
    }

    @Test("A note is read as it was written, and half of one not at all")
    func note() throws {
        var record = RebuildRecord(target: try #require(MemberPath(["a", "b\nc"])))
        var folder = RebuildRecord.Listed(
            device: 1,
            inode: .max,
            modified: FileTime(seconds: -1, nanoseconds: 999_999_999),
            changed: FileTime(seconds: .min, nanoseconds: 0),
            newInode: 3,
            isChanging: true
        )
        folder.members = [
            "é\n": .init(old: 4, new: nil), "f": .init(old: 5, new: 6), "end": .init(old: 7, new: 7),
        ]
        folder.leaving = ["l": 0, "m": 8]
        record.folders[.top] = folder
        folder.leaving = [:]
        record.folders[try #require(MemberPath(["d", "\u{301}e"]))] = folder
        let bytes = RebuildNote.bytes(of: record, stagingInode: 9)
        #expect(RebuildNote.record(bytes, stagingInode: 9) == record)
        #expect(RebuildNote.record(bytes, stagingInode: 10) == nil)
        for count in 0..<bytes.count {
            #expect(RebuildNote.record(bytes.prefix(count), stagingInode: 9) == nil)
            let torn = bytes.prefix(count) + Data(count: bytes.count - count)
            #expect(RebuildNote.record(torn, stagingInode: 9) == nil || torn == bytes)
        }
    }
}

/// Puts a file in a place as editors do: written beside it, then renamed.
private func put(_ text: String, _ path: FilePath) throws {
    try Data(text.utf8).write(to: path.url(isDirectory: false), options: .atomic)
}

/// Does something in the instant before a call.
private final class Meddler: SystemCallObserver {
    let hasRun = Locked(false)
    private let isMeant: @Sendable (SystemCall) -> Bool
    private let refusesExchange: Bool
    private let refusesLinks: Bool
    private let refusesLooks: Bool
    private let meddle: @Sendable () throws -> Void

    /// - Parameters:
    ///   - refusesExchange: Whether the volume is to behave as one that cannot exchange names.
    ///   - refusesLinks: Whether it is to behave as one that has no links.
    ///   - refusesLooks: Whether nothing can be looked at any more from then on.
    init(
        before isMeant: @escaping @Sendable (SystemCall) -> Bool,
        refusesExchange: Bool = false,
        refusesLinks: Bool = false,
        refusesLooks: Bool = false,
        _ meddle: @escaping @Sendable () throws -> Void
    ) {
        (self.isMeant, self.meddle) = (isMeant, meddle)
        (self.refusesExchange, self.refusesLinks) = (refusesExchange, refusesLinks)
        self.refusesLooks = refusesLooks
    }

    @Sendable static func isExchange(_ call: SystemCall) -> Bool {
        guard case .rename(_, _, _, _, exchanges: true) = call.effect else { return false }
        return true
    }

    func willMake(_ call: SystemCall) -> CInt {
        let (isFirst, isAfter) = hasRun.withLock { hasRun -> (Bool, Bool) in
            let isAfter = hasRun
            if !hasRun, isMeant(call) { hasRun = true }
            return (hasRun != isAfter, isAfter)
        }
        if isFirst {
            do { try meddle() } catch { Issue.record(error) }
        }
        if isAfter, refusesLooks, call.name == "fstatat" { return EIO }
        if refusesLinks, call.name == "linkat" { return EPERM }
        return refusesExchange && Self.isExchange(call) ? EINVAL : 0
    }

    func didMake(_ call: SystemCall) {}
}

/// Counts the calls that follow the exchange.
private final class CallsAfterExchange: SystemCallObserver {
    let count = Locked<Int?>(nil)

    func willMake(_ call: SystemCall) -> CInt {
        count.withLock { count in
            if let before = count { count = before + 1 }
        }
        return 0
    }

    func didMake(_ call: SystemCall) {
        guard Meddler.isExchange(call) else { return }
        count.withLock { $0 = $0 ?? 0 }
    }
}

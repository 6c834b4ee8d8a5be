import CLinux
import CrashHarness
import FileSystem
import Foundation
import TestFolders
import TestThreads
import Testing

@Suite("ItemReplacement", .onOwnThreads)
struct ItemReplacementTests {
    private let folder: TestFolder
    private var root: FilePath { FilePath(folder.path) }
    private var original: FilePath { root.appending("original") }
    private var new: FilePath { root.appending("new") }

    init() throws { folder = try TestFolder("replacement") }

    /// An original and a new item, of every kind.
    static let pairs: [(old: DiskTree, new: DiskTree)] = [
        (.file("old"), .file("new")),
        (["a": "old", "b": ["c": "1"]], ["a": "new"]),
        (.file("old"), ["a": "new"]),
        (["a": "old"], .file("new")),
        (.link("nowhere"), .file("new")),
        (.file("old"), .link("elsewhere")),
        (["a": "old"], .link("elsewhere")),
    ]

    private func write(_ pair: (old: DiskTree, new: DiskTree)) throws {
        for name in try FolderScan.names(in: root) {
            try FileManager.default.removeItem(atPath: root.appending(name).string)
        }
        try pair.old.write(to: original)
        try pair.new.write(to: new)
    }

    private func all() throws -> DiskTree? { try DiskTree(at: root) }

    private func observed(_ refusesExchange: Bool, _ body: () throws -> Void) rethrows {
        let observer = FaultInjector(callNumber: 0, errno: 0, refusesExchange: refusesExchange)
        try SystemCallObservation.withObserver(observer, body)
    }

    @Test("An item of any kind takes another's place and leaves its own", arguments: [false, true])
    func replaces(refusesExchange: Bool) throws {
        for pair in Self.pairs {
            try write(pair)
            try observed(refusesExchange) { try ItemReplacement(of: original, by: new).perform() }
            #expect(try all() == ["original": pair.new])
        }
    }

    @Test(
        "The original stays as a backup, and takes the place of an older one of any kind",
        arguments: [false, true]
    )
    func keeps(refusesExchange: Bool) throws {
        let replacement = ItemReplacement(of: original, by: new, backupName: "backup")
        for pair in Self.pairs {
            for older in [nil, DiskTree.file("older"), ["x": "older"]] as [DiskTree?] {
                try write(pair)
                try older?.write(to: root.appending("backup"))
                try observed(refusesExchange) { try replacement.perform() }
                #expect(try all() == ["original": pair.new, "backup": pair.old])
            }
        }
    }

    @Test(
        "Permissions and extended attributes stay with the name, unless they are to go",
        arguments: [false, true]
    )
    func carries(refusesExchange: Bool) throws {
        for leavesAttributes in [false, true] {
            for pair in Self.pairs.prefix(2) {
                try write(pair)
                #expect(setxattr(original.string, "user.sheaf", "kept", 4, 0) == 0)
                #expect(setxattr(new.string, "user.other", "new", 3, 0) == 0)
                #expect(chmod(original.string, 0o751) == 0 && chmod(new.string, 0o700) == 0)
                let inode = try FileStamp(of: new).inode
                var replacement = ItemReplacement(of: original, by: new)
                replacement.leavesAttributes = leavesAttributes
                try observed(refusesExchange) { try replacement.perform() }
                let stamp = try FileStamp(of: original)
                #expect(stamp.permissions == (leavesAttributes ? 0o700 : 0o751))
                #expect((getxattr(original.string, "user.sheaf", nil, 0) == 4) == !leavesAttributes)
                #expect(getxattr(original.string, "user.other", nil, 0) == 3)
                if !refusesExchange { #expect(stamp.inode == inode) }
            }
        }
    }

    @Test("An item comes from another volume, too")
    func otherVolume() throws {
        let apart = try ScratchFolder(in: ScratchFolder.memoryDisk)
        for pair in Self.pairs {
            try write(pair)
            let elsewhere = apart.path.appending("new")
            try pair.new.write(to: elsewhere)
            try ItemReplacement(of: original, by: elsewhere, backupName: "backup").perform()
            #expect(try all() == ["original": pair.new, "new": pair.new, "backup": pair.old])
            #expect(try FileStamp.ifPresent(at: elsewhere) == nil)
        }
    }

    @Test("What is not there, is one item, or is inside the other is refused, and all stays as it was")
    func refuses() throws {
        try write((["a": ["b": "1"]], .file("new")))
        try FileManager.default.linkItem(atPath: new.string, toPath: root.appending("link").string)
        let before = try all()
        let inside = original.appending("a")
        let refused: [(FilePath, FilePath, String?, CInt)] = [
            (root.appending("none"), new, nil, ENOENT), (original, root.appending("none"), nil, ENOENT),
            (new, new, nil, EINVAL), (original, root.appending("./original"), nil, EINVAL),
            (original, inside, nil, EINVAL), (inside, original, nil, EINVAL),
            (original, new, "original", EINVAL), (original, new, "new", EINVAL), (original, new, "", EINVAL),
            (original, new, "..", EINVAL), (original, new, "a/b", EINVAL),
            (original, new, String(repeating: "x", count: 256), ENAMETOOLONG),
        ]
        for (old, new, backup, code) in refused {
            let error = #expect(throws: SystemError.self) {
                try ItemReplacement(of: old, by: new, backupName: backup).perform()
            }
            #expect(error?.errno == code, "\(old) by \(new), \(backup ?? "no backup")")
            #expect(error?.isNewInPlace == false)
            #expect(try all() == before)
        }
        // Another link of the same file is an item of its own.
        try ItemReplacement(of: root.appending("link"), by: new).perform()
        #expect(try all() == ["original": ["a": ["b": "1"]], "link": "new"])
    }

    @Test("A pipe neither takes a place nor loses its own")
    func pipes() throws {
        try DiskTree.file("1").write(to: original)
        #expect(mkfifo(new.string, 0o600) == 0)
        for (old, new) in [(original, new), (new, original)] {
            let error = #expect(throws: SystemError.self) { try ItemReplacement(of: old, by: new).perform() }
            #expect(error?.errno == EOPNOTSUPP)
        }
    }

    @Test(
        "Whichever call fails, nothing is lost, and the error says which item is in place",
        arguments: [false, true]
    )
    func faults(refusesExchange: Bool) throws {
        for pair in Self.pairs {
            for backupName in [nil, "backup"] {
                var callNumber = 0
                while try fails(pair, backupName, callNumber: &callNumber, refusesExchange) {}
                #expect(callNumber > 8)
            }
        }
    }

    /// - Returns: Whether there were so many calls.
    private func fails(
        _ pair: (old: DiskTree, new: DiskTree),
        _ backupName: String?,
        callNumber: inout Int,
        _ refusesExchange: Bool
    ) throws -> Bool {
        callNumber += 1
        try write(pair)
        let faults = FaultInjector(callNumber: callNumber, errno: EIO, refusesExchange: refusesExchange)
        var failure: SystemError?
        let replacement = ItemReplacement(of: original, by: new, backupName: backupName)
        do {
            try SystemCallObservation.withObserver(faults) { try replacement.perform() }
        } catch let error as SystemError { failure = error }
        let place: Comment =
            "\(pair), backup \(backupName ?? "none"), call \(callNumber) \(String(describing: faults.failed))"
        let found = try DiskTree(at: original)
        if let failure {
            #expect(failure.errno == EIO, place)
            #expect(found == (failure.isNewInPlace ? pair.new : pair.old), place)
            // What is not in place is still there.
            if !failure.isNewInPlace { #expect(try DiskTree(at: new) == pair.new, place) }
            if backupName != nil, failure.isNewInPlace {
                let places = [try DiskTree(at: root.appending("backup")), try DiskTree(at: new)]
                #expect(places.contains(pair.old), place)
            }
            let hidden = try FolderScan.names(in: root).filter { $0.hasPrefix(".sheaf-") }
            if !failure.isNewInPlace { #expect(hidden == [] || failure.call == "unlinkat", place) }
        } else {
            #expect(found == pair.new, place)
        }
        return faults.failed != nil
    }
}

import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What has gone wrong for the users of other sync programs, by name: each story is told again here, and ends well.
@Suite("Disasters of others", .onOwnThreads, .timeLimit(.minutes(2)))
struct DisasterTests {
    private let pair: DevicePair
    private var base: URL { pair.base }
    private var hub: HubInMemory { pair.hub }
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func expectBoth(_ contents: [String: String], _ location: SourceLocation = #_sourceLocation) {
        let isSo = two.wait {
            one.contents == contents && two.contents == contents && one.status?.isSettled == true
                && two.status?.isSettled == true
        }
        #expect(
            isSo,
            "\(one.contents) and \(two.contents); \(one.said) and \(two.said)",
            sourceLocation: location
        )
    }

    private func end() { pair.end() }

    private func remove(_ name: String, on device: TestDevice) throws {
        try FileManager.default.removeItem(at: device.folder.appendingPathComponent(name))
    }

    private func rename(_ name: String, to target: String, on device: TestDevice) {
        let path = { (name: String) in device.folder.appendingPathComponent(name).path }
        #expect(Foundation.rename(path(name), path(target)) == 0)
    }

    @Test(
        "Deletes after a restored database: a memory put back to a backup removes nothing and brings nothing back"
    )
    func restoredDatabase() throws {
        try one.write("a", to: "a.txt")
        try one.write("b", to: "b.txt")
        expectBoth(["a.txt": "a", "b.txt": "b"])
        two.stop()
        let backup = base.appendingPathComponent("backup")
        try FileManager.default.copyItem(at: two.memoryFolder, to: backup)
        try two.start()
        try remove("a.txt", on: two)
        try two.write("b edited", to: "b.txt")
        try two.write("c", to: "c.txt")
        expectBoth(["b.txt": "b edited", "c.txt": "c"])
        two.stop()
        try FileManager.default.removeItem(at: two.memoryFolder)
        try FileManager.default.copyItem(at: backup, to: two.memoryFolder)
        let count = hub.entryCount
        try one.write("b edited twice", to: "b.txt")
        // What it has sent itself, and what was made of that, is news together.
        #expect(one.wait { hub.entryCount > count && one.status?.isSettled == true })
        try two.start()
        expectBoth(["b.txt": "b edited twice", "c.txt": "c"])
        #expect(try one.conflicts("b.txt") == [] && two.conflicts("b.txt") == [])
        end()
    }

    @Test("Deletes after a missing root: an empty folder in the place of the container's deletes nothing")
    func missingRoot() throws {
        try one.write("a", to: "a.txt")
        expectBoth(["a.txt": "a"])
        two.stop()
        let aside = base.appendingPathComponent("unmounted")
        try FileManager.default.moveItem(at: two.folder, to: aside)
        try FileManager.default.createDirectory(at: two.folder, withIntermediateDirectories: true)
        #expect { try two.start() } throws: { ($0 as? SyncFailure)?.code == .rootMissing }
        #expect(one.contents == ["a.txt": "a"])
        try FileManager.default.removeItem(at: two.folder)
        try FileManager.default.moveItem(at: aside, to: two.folder)
        try two.start()
        expectBoth(["a.txt": "a"])
        end()
    }

    @Test("Resurrected deletes: who was away when something was removed does not bring it back")
    func resurrectedDelete() throws {
        try one.write("a", to: "folder/a.txt")
        try one.write("b", to: "b.txt")
        expectBoth(["folder": "/", "folder/a.txt": "a", "b.txt": "b"])
        two.stop()
        try remove("folder", on: one)
        #expect(one.wait { one.status?.isSettled == true && one.status?.itemCount == 1 })
        // Looked at and copied to, but not edited.
        let date: [FileAttributeKey: Any] = [.modificationDate: Date()]
        try FileManager.default.setAttributes(
            date,
            ofItemAtPath: two.folder.appendingPathComponent("folder/a.txt").path
        )
        try two.start()
        expectBoth(["b.txt": "b"])
        end()
    }

    @Test("Delete against edit: the edit wins, whoever is heard first", arguments: [true, false])
    func deleteAgainstEdit(deleteIsFirst: Bool) throws {
        try one.write("a", to: "a.txt")
        expectBoth(["a.txt": "a"])
        one.stop()
        two.stop()
        try remove("a.txt", on: one)
        try two.write("a edited", to: "a.txt")
        for device in deleteIsFirst ? [one, two] : [two, one] {
            try device.start()
            #expect(device.wait { device.status?.isSettled == true })
        }
        expectBoth(["a.txt": "a edited"])
        end()
    }

    @Test("Case and Unicode renames: a name becomes another that only looks alike, and the bytes stay")
    func renames() throws {
        try one.write("case", to: "letter.txt")
        try one.write("accent", to: "caf\u{E9}.txt")
        expectBoth(["letter.txt": "case", "caf\u{E9}.txt": "accent"])
        rename("letter.txt", to: "Letter.txt", on: one)
        rename("caf\u{E9}.txt", to: "cafe\u{301}.txt", on: one)
        expectBytes(["Letter.txt": "case", "cafe\u{301}.txt": "accent"])
        // The name that it had is free for another.
        try one.write("new", to: "caf\u{E9}.txt")
        expectBytes(["Letter.txt": "case", "cafe\u{301}.txt": "accent", "caf\u{E9}.txt": "new"])
        end()
    }

    /// Both have files of just these names, byte for byte.
    private func expectBytes(
        _ files: KeyValuePairs<String, String>,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let expected = Dictionary(uniqueKeysWithValues: files.map { (Array($0.key.utf8), $0.value) })
        let isSo = two.wait {
            one.filesByBytes == expected && two.filesByBytes == expected && pair.isSettled
        }
        #expect(
            isSo,
            "\(one.filesByBytes) and \(two.filesByBytes); \(one.said) and \(two.said)",
            sourceLocation: location
        )
    }

    @Test("Names that only look alike are two files, and both of them arrive")
    func namesThatLookAlike() throws {
        two.stop()
        try one.write("composed", to: "caf\u{E9}.txt")
        let other = one.folder.path + "/cafe\u{301}.txt"
        #expect(FileManager.default.createFile(atPath: other, contents: Data("decomposed".utf8)))
        try two.start()
        expectBytes(["caf\u{E9}.txt": "composed", "cafe\u{301}.txt": "decomposed"])
        end()
    }

    @Test("A name that begins with a sign that belongs to the one before it is a name like others")
    func signsOfOneBefore() throws {
        let name = "\u{301}a.txt"
        try one.write("a", to: name)
        expectBytes([name: "a"])
        #expect(try #require(two.explanation(name)).isSettled)
        try two.write("edited", to: name)
        expectBytes([name: "edited"])
        try remove(name, on: two)
        expectBytes([:])
        end()
    }

    @Test("Conflict copies without a conflict: the same edit on both, or a new date, is none")
    func noConflict() throws {
        try one.write("a", to: "a.txt")
        try one.write("b", to: "b.bin")
        expectBoth(["a.txt": "a", "b.bin": "b"])
        one.stop()
        two.stop()
        try one.write("the same", to: "a.txt")
        try two.write("the same", to: "a.txt")
        try two.write("b edited", to: "b.bin")
        let date: [FileAttributeKey: Any] = [.modificationDate: Date()]
        try FileManager.default.setAttributes(date, ofItemAtPath: one.folder.path + "/b.bin")
        try one.start()
        try two.start()
        expectBoth(["a.txt": "the same", "b.bin": "b edited"])
        for device in [one, two] {
            #expect(try device.conflicts("a.txt") == [] && device.conflicts("b.bin") == [])
        }
        end()
    }

    @Test("Repair that empties a file: what the hub has lost is asked for again, and nothing takes its place")
    func lostContents() throws {
        try one.write("kept", to: "a.txt")
        expectBoth(["a.txt": "kept"])
        two.stop()
        let count = hub.entryCount
        try one.write("edited", to: "a.txt")
        #expect(one.wait { hub.entryCount > count && one.status?.isSettled == true })
        let backup = hub.backup()
        hub.loseBlobs()
        try two.start()
        #expect(
            two.wait { two.said.contains { if case .failed = $0 { true } else { false } } },
            "\(two.said)"
        )
        #expect(two.text("a.txt") == "kept" && one.text("a.txt") == "edited")
        #expect(two.explanation("a.txt")?.causes.first?.contains("cannot be had") == true)
        hub.restore(backup)
        two.stop()
        try two.start()
        expectBoth(["a.txt": "edited"])
        end()
    }

    @Test("What cannot be kept for want of room is not said to be in step, and goes when there is room")
    func vaultOutOfReach() throws {
        expectBoth([:])
        // As good as a full volume: nothing can be put into it.
        let packs = URL(fileURLWithPath: one.place.memory.string).appendingPathComponent("vault/packs")
        try FileManager.default.removeItem(at: packs)
        try Data("a letter".utf8).write(to: one.folder.appendingPathComponent("letter.txt"))
        #expect(one.wait { one.status?.stuck["letter.txt"] != nil })
        #expect(one.status?.isSettled == false)
        #expect(one.explanation("letter.txt")?.isSettled == false)

        one.stop()
        try one.start()
        expectBoth(["letter.txt": "a letter"])
        end()
    }
}

import DeviceHarness
import FileSystem
import Foundation
import TestThreads
import Testing

/// What a device comes to when its power is cut anywhere; see `DevicePowerCut`.
@Suite("A device whose power is cut", .onOwnThreads, .timeLimit(.minutes(5)))
struct DevicePowerCutTests {
    /// Runs the harness, which is built beside this test: only in a process of its own are all calls seen.
    private func run(stories: Int, flaw: String) throws -> (status: Int32, said: String) {
        let own = try FileReading.symbolicLinkText(at: FilePath("/proc/self/exe"))
        let child = Process()
        child.executableURL = FilePath(own).parent.appending("device-harness").url(isDirectory: false)
        let seed = UInt64.random(in: 0...UInt64.max / 2)
        child.arguments = ["powercut", "\(stories)", "\(seed)", flaw]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        return (child.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    @Test(
        "It comes in step again, nothing that was in step is gone or sent older, and nothing is sent that nobody has edited"
    )
    func powerCut() throws {
        let (status, said) = try run(stories: 1, flaw: "none")
        print(said)
        #expect(status == 0, "\(said)")
        #expect(said.contains("lost 0") && !said.contains("states 0"))
    }

    @Test(
        "The harness finds out what is not synced, and what is remembered or sent too early",
        arguments: [
            "skipsFileSync", "skipsFolderSync", "skipsVolumeSync", "skipsMemorySync", "skipsVaultSync",
            "remembersTooEarly",
        ]
    )
    func flaws(flaw: String) throws {
        let (status, said) = try run(stories: 6, flaw: flaw)
        #expect(status == 1 && said.contains("lost ") && !said.contains("lost 0"), "\(said)")
    }

    // MARK: What the check lets pass

    private let old = ["": String(repeating: "old ", count: 300)]
    private let new = ["": String(repeating: "new, too ", count: 300)]

    /// Somebody gives “a” the name “b” and edits it then.
    private func moveAndEdit(isCareless: Bool) -> [DeviceDeed] {
        var move = DeviceDeed(paths: ["a", "b"], before: ["a": old, "b": [:]], isCareless: false)
        (move.after, move.formerPaths) = (["a": [:], "b": old], ["b": ["a"]])
        var edit = DeviceDeed(paths: ["b"], before: ["b": old], isCareless: isCareless)
        edit.after = ["b": new]
        // What is saved is another file, which never had the other's name.
        if isCareless { edit.formerPaths = ["b": ["a"]] }
        return [move, edit]
    }

    /// The first sector of one, the rest of another, and a blank one.
    private func torn(_ first: DeviceDeed.Document, _ rest: DeviceDeed.Document) -> DeviceDeed.Document {
        let (first, rest) = ((first[""] ?? "").prefix(512), (rest[""] ?? "").dropFirst(512).prefix(188))
        return ["": String(first + rest) + String(repeating: "\0", count: 100)]
    }

    @Test("What was edited unsynced under a new name may stand under the former one")
    func editUnderAFormerName() {
        let deeds = moveAndEdit(isCareless: true)
        for found in [old, new, [:], torn(new, old), torn(old, new)] {
            #expect(DeviceDeed.mayLeave(found, at: "a", had: old, deeds))
            #expect(DeviceDeed.mayLeave(found, at: "b", had: [:], deeds))
        }
        #expect(!DeviceDeed.mayLeave(new, at: "c", had: [:], deeds))
    }

    @Test("What was edited unsynced and moved then may be torn under both names")
    func editBeforeAMove() {
        var edit = DeviceDeed(paths: ["a"], before: ["a": old], isCareless: true)
        edit.after = ["a": new]
        var move = DeviceDeed(paths: ["a", "b"], before: ["a": new, "b": [:]], isCareless: true)
        (move.after, move.formerPaths) = (["a": [:], "b": new], ["b": ["a"]])
        for path in ["a", "b"] {
            #expect(DeviceDeed.mayLeave(torn(old, new), at: path, had: [:], [edit, move]))
        }
    }

    @Test("What was saved is whole, under its own name, and none of it is under the one before")
    func saveUnderANewName() {
        let deeds = moveAndEdit(isCareless: false)
        for path in ["a", "b"] {
            #expect(DeviceDeed.mayLeave(old, at: path, had: [:], deeds))
            #expect(!DeviceDeed.mayLeave(torn(old, new), at: path, had: [:], deeds))
        }
        #expect(DeviceDeed.mayLeave(new, at: "b", had: [:], deeds))
        #expect(!DeviceDeed.mayLeave(new, at: "a", had: old, deeds))
    }

    @Test("Not even of what was written unsynced may anything be there that nobody has written there")
    func madeUp() {
        let deeds = moveAndEdit(isCareless: true)
        let longer = ["": (new[""] ?? "") + "\0"]
        for found in [["": "other"], longer, ["/a": "old "], ["": "/"], ["": (old[""] ?? ""), "/a": ""]] {
            #expect(!DeviceDeed.mayLeave(found, at: "a", had: old, deeds))
        }
    }

    @Test("What was edited unsynced is not gone")
    func editedAndGone() {
        let package = ["": "/", "/a": "old ", "/b": "old "]
        var edit = DeviceDeed(paths: ["p.rtfd"], before: ["p.rtfd": package], isCareless: true)
        edit.after = ["p.rtfd": ["": "/", "/a": "new ", "/b": "new "]]
        let half = ["": "/", "/a": "new ", "/b": "old "]
        #expect(DeviceDeed.mayLeave(half, at: "p.rtfd", had: package, [edit]))
        #expect(!DeviceDeed.mayLeave([:], at: "p.rtfd", had: package, [edit]))
        #expect(!DeviceDeed.mayLeave(["": "/", "/b": "old "], at: "p.rtfd", had: package, [edit]))
        var removal = DeviceDeed(paths: ["p.rtfd"], before: ["p.rtfd": package], isCareless: true)
        removal.after = ["p.rtfd": [:]]
        #expect(DeviceDeed.mayLeave(["": "/", "/b": "old "], at: "p.rtfd", had: package, [removal]))
    }
}

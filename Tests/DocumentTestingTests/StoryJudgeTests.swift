import DeviceSync
import Foundation
import SyncMessages
import TestThreads
import Testing
import UIKit

@testable import DocumentTesting

/// What is looked at when a story has ended, and on its way.
@Suite("What is checked in stories", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct StoryJudgeTests {
    private func evidence(_ name: String, _ files: [String: String]) throws -> StoryJudge.Evidence {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files {
            #expect(
                FileManager.default.createFile(atPath: folder.path + "/" + name, contents: Data(text.utf8))
            )
        }
        return StoryJudge.Evidence(name: name, folder: try StoryFolder(folder))
    }

    @Test("What a step that broke off has left is no placeholder of anything")
    func evicted() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        for name in [
            "a/.b.txt.icloud", "a/.sheaf-51d4-.A.rtfd.icloud/.A.rtfd.icloud", ".sheaf-7-.c.txt.icloud",
            "d.txt",
        ] {
            let url = folder.appendingPathComponent(name)
            let parent = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try Data().write(to: url)
        }
        #expect(StoryScene.evicted(in: folder).map(\.path) == [folder.path + "/a/b.txt"])
    }

    @Test("Who lacks an item, or has other contents, or a name that only looks alike, is found")
    func differences() throws {
        let judge = StoryJudge(acknowledged: [], discarded: [])
        let (a, b, c) = ("mark-1-1.", "mark-2-2.", "mark-3-3.")
        let hub = try evidence("the last", ["caf\u{E9}.txt": a, "b.txt": b])
        #expect(judge.faults([hub], witness: hub) == [])
        func fault(_ files: [String: String]) throws -> String? {
            let faults = judge.faults([hub, try evidence("two", files)], witness: hub)
            #expect(faults.count < 2)
            return faults.first?.text
        }
        #expect(try fault(["caf\u{E9}.txt": a])?.contains("two lacks b.txt") == true)
        let more = ["caf\u{E9}.txt": a, "b.txt": b, "c.txt": c]
        #expect(try fault(more)?.contains("two has also c.txt") == true)
        #expect(try fault(["caf\u{E9}.txt": a, "b.txt": c])?.contains("other contents in b.txt") == true)
        #expect(try fault(["cafe\u{301}.txt": a, "b.txt": b])?.contains("lacks caf\u{E9}.txt") == true)
        var redressed = hub
        redressed.folder.items[Array("b.txt".utf8)] = .file(Data(b.utf8), .init(permissions: 0o755))
        let said = judge.faults([redressed], witness: hub).first?.text
        #expect(said?.contains("has other permissions or attributes of b.txt") == true)
        var inConflict = hub
        inConflict.conflicts = [Array("b.txt".utf8): [hub.folder]]
        #expect(judge.faults([hub], witness: inConflict).contains { $0.text.contains("conflicts in none") })
        #expect(judge.faults([inConflict], witness: hub).first?.text.contains("the hub in none") == true)
        var half = hub
        half.wrong = [StoryFault(.half, "it is half")]
        #expect(judge.faults([half], witness: hub) == half.wrong)
        #expect(judge.faults([hub], witness: half) == half.wrong)
    }

    @Test("What has left a device is taken to be as at the hub, and is to be there")
    func left() throws {
        let judge = StoryJudge(acknowledged: [], discarded: [])
        let hub = try evidence("the last", ["a.txt": "mark-1-1.", "b.txt": "mark-2-2."])
        var device = try evidence("one", [".a.txt.icloud": "", "b.txt": "mark-2-2."])
        #expect(judge.faults([device], witness: hub).map(\.kind) == [.differs])
        device.left = device.folder.takePlaceholders()
        #expect(device.left == ["a.txt"] && device.folder.paths == ["b.txt"])
        #expect(judge.faults([device], witness: hub) == [])
        device.left.insert("c.txt")
        #expect(judge.faults([device], witness: hub).first?.text.contains("one has also c.txt") == true)
    }

    @Test("An edit is lost that is in no document and no version, unless somebody has removed it")
    func lost() throws {
        let text = "\(StoryMarks.mark(of: 1, 1))\n\(StoryMarks.mark(of: 1, 12))\n"
        var device = try evidence("one", ["a.txt": text])
        let marks: Set = ["mark-1-1.", "mark-1-12.", "mark-2-3."]
        #expect(device.folder.marks == ["mark-1-1.", "mark-1-12."])
        #expect(
            StoryJudge(acknowledged: marks, discarded: []).faults([device], witness: device) == [
                StoryFault(.lost, "edits are lost: [\"mark-2-3.\"]")
            ]
        )
        #expect(
            StoryJudge(acknowledged: marks, discarded: ["mark-2-3."]).faults([device], witness: device) == []
        )
        let judge = StoryJudge(acknowledged: marks, discarded: [], evaporated: ["mark-2-3."])
        #expect(judge.faults([device], witness: device) == [])
        device.keptMarks = ["mark-2-3."]
        let hidden = StoryJudge(acknowledged: marks, discarded: []).faults([device], witness: device)
        #expect(
            hidden.map(\.kind) == [.lost] && hidden.first?.text.contains("only in former versions") == true
        )
        // Where the hub was put back to a backup from before, that is all there may be; where a device was, if it was so then.
        var forgetful = StoryJudge(acknowledged: marks, discarded: [])
        forgetful.record.noteEdit(of: [1], on: 0)
        forgetful.record.noteRest(of: [0])
        let restCount = forgetful.record.restCount
        forgetful.record.noteEdit(of: [2], on: 0)
        var other = forgetful
        forgetful.record.noteForgetting(since: restCount, isHub: true)
        #expect(forgetful.faults([device], witness: device) == [])
        other.record.noteForgetting(since: restCount)
        #expect(other.faults([device], witness: device) == hidden)
        other.record.noteForgetting(since: restCount, hidden: ["mark-2-3."])
        #expect(other.faults([device], witness: device) == [])
        other = StoryJudge(acknowledged: marks, discarded: [])
        other.record.noteForgetting(since: 0, isHub: true)
        #expect(other.faults([device], witness: device) == hidden)
        // What is in conflict somebody is asked about.
        device.conflicts = [Array("a.txt".utf8): [try evidence("b", ["b.txt": "mark-2-3."]).folder]]
        let said = StoryJudge(acknowledged: marks, discarded: []).faults([device], witness: device)
        #expect(!said.contains { $0.kind == .lost }, "\(said)")
    }

    @Test("What explain says of an item has a reason, and is not that it is in step while it is not")
    func explained() {
        var state = ItemSyncState(path: "a.txt")
        let causes = [Explanation.Cause(.due, "It is its turn.")]
        func fault(_ isSettled: Bool, _ causes: [Explanation.Cause], _ next: String = "Wait.") -> String? {
            let said = Explanation(path: "a.txt", isSettled: isSettled, change: "", causes, next: next)
            return StoryJudge.fault(in: said, of: state, on: "one")?.text
        }
        #expect(fault(true, causes) == nil && fault(false, causes) == nil)
        #expect(fault(true, [])?.contains("“a.txt” on one, which is in step") == true)
        #expect(fault(false, causes, "") != nil)
        state.isSettled = false
        #expect(fault(false, causes) == nil)
        #expect(fault(true, causes)?.contains("“a.txt” on one, which is not in step") == true)
        #expect(fault(false, []) != nil)
    }

    @Test(
        "At rest every item is said to be in step, or in conflict where it is, by a device that says so of itself"
    )
    func atRest() {
        var state = ItemSyncState(path: "/pad/a.txt")
        func fault(
            _ kinds: [Explanation.Cause.Kind],
            isSettled: Bool = true,
            isInConflict: Bool = false,
            hasLeft: Bool = false
        ) -> String? {
            let chain = kinds.map { Explanation.Cause($0, "It is \($0).") }
            let said = Explanation(path: "a.txt", isSettled: isSettled, change: "", chain, next: "Wait.")
            return StoryJudge.faultAtRest(
                in: said,
                of: state,
                isInConflict: isInConflict,
                hasLeft: hasLeft,
                on: "one"
            )?.text
        }
        #expect(fault([.settled]) == nil)
        let said = fault([.due, .offline], isSettled: false)
        for part in ["“a.txt” on one is to be said to be in step", "due: It is due.", "offline: It is"] {
            #expect(said?.contains(part) == true, "\(said ?? "")")
        }
        #expect(fault([.settled], isSettled: false) != nil && fault([]) != nil)
        #expect(fault([.settled, .conflict]) != nil)
        #expect(fault([.settled], isInConflict: true)?.contains("in step, and in conflict") == true)
        #expect(fault([.settled, .inside]) != nil)
        state.hasConflicts = true
        #expect(fault([.settled, .conflict], isInConflict: true) == nil)
        #expect(fault([.settled])?.contains("it stands so") == true)
        state.hasConflicts = false
        state.contents = .missing
        #expect(fault([.settled, .evicted], hasLeft: true) == nil && fault([.settled], hasLeft: true) != nil)
        #expect(fault([.settled, .evicted]) != nil && fault([.settled]) != nil)
        state.contents = .current
        state.isUploading = true
        #expect(fault([.settled]) != nil)
        state.isUploading = false
        state.isFolder = true
        #expect(fault([.settled, .inside]) == nil)

        var status = SyncStatus(
            line: .up,
            lineFailure: nil,
            itemCount: 2,
            unsettledCount: 0,
            isSettled: true,
            stuck: [:]
        )
        #expect(StoryJudge.faults(in: status, on: "one") == nil)
        status.stuck = ["a.txt": "It is locked."]
        let stuck = StoryJudge.faults(in: status, on: "one")?.text
        #expect(stuck?.contains("one says that 0 items") == true && stuck?.contains("“a.txt”: It is") == true)
    }

    @Test("An item that is not said to be in step at the end is a fault, whatever else holds of it")
    func notInStepAtTheEnd() async throws {
        let scene = try StoryScene(seed: 1, deviceCount: 2, kinds: StoryKind.all)
        for deed: WorldDeed in [.make(on: 0, kind: 0, folder: 0, name: 0), .rest] { await scene.apply(deed) }
        let device = scene.devices[0]
        #expect(scene.whatIsNotInStep(on: device, conflicts: []) == [], "\(scene.told)")
        let unsaid = scene.whatIsNotInStep(on: device, conflicts: ["a.txt"]).map(\.text)
        #expect(
            unsaid.count == 1 && unsaid[0].contains("“a.txt” on device 1 is to be said to be in step, and in")
        )
        try device.running?.pause("a.txt", by: "test")
        let faults = await scene.judge()
        #expect(Set(faults.map(\.kind)) == [.explain], "\(faults)")
        #expect(faults.contains { $0.text.contains("“a.txt” on device 1") && $0.text.contains("paused: ") })
        device.stop()
        #expect(scene.whatIsNotInStep(on: device, conflicts: []).map(\.kind) == [.explain])
        try scene.end()
    }

    @Test("What waits on a device that has no line is explained there, item by item")
    func explainedOffline() async throws {
        let scene = try StoryScene(seed: 1, deviceCount: 2, kinds: StoryKind.all)
        let deeds: [WorldDeed] = [
            .make(on: 0, kind: 0, folder: 0, name: 0), .rest, .goOffline(on: 0), .edit(on: 0, item: 0), .rest,
        ]
        for deed in deeds { await scene.apply(deed) }
        let running = try #require(scene.devices[0].running)
        #expect(!running.isInStepNow)
        let standings = running.standings(below: "")
        #expect(standings.map(\.state.isSettled) == [false])
        #expect(standings.map(\.explanation.isSettled) == [false])
        #expect(await scene.judge() == [], "\(scene.told)")
        try scene.end()
    }

    @Test("A package is half when a member is missing or says something else, and not when it has gone")
    func half() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).rtfd")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let members = StoryPackage.members
        func whatIsHalf() -> String? { StoryPackages.whatIsHalf(at: folder.path, members: members) }
        #expect(whatIsHalf() == nil)
        for member in members {
            let url = folder.appendingPathComponent(member)
            let parent = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try Data("state 1\n".utf8).write(to: url)
        }
        #expect(whatIsHalf() == nil)
        try Data("state 2\n".utf8).write(to: folder.appendingPathComponent("pages/four.dat"))
        #expect(whatIsHalf()?.contains("pages/four.dat has “state 2”") == true)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("pages/four.dat"))
        #expect(whatIsHalf()?.contains("pages/four.dat has nothing") == true)
    }
}

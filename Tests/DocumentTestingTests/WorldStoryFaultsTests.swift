import DocumentFoundation
import Foundation
import TestThreads
import Testing
import UIKit

@testable import DocumentTesting

/// What is said of a story that goes wrong, and what its scene takes for wrong.
@Suite("What goes wrong in stories", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldStoryFaultsTests {
    private static let needed: [WorldDeed] = [
        .edit(on: 0, item: 3), .kill(on: 1), .move(on: 0, item: 1, folder: 0, name: 0),
    ]

    /// A long story, among which are those that are needed.
    private func longStory() -> WorldStory {
        var story = WorldStory(seed: 5, deviceCount: 2, deedCount: 40)
        for (index, deed) in Self.needed.enumerated() { story.deeds.insert(deed, at: 7 * index + 3) }
        return story
    }

    private func has(_ deeds: some Collection<WorldDeed>, in story: WorldStory) -> Bool {
        var rest = story.deeds[...]
        return deeds.allSatisfy { deed in
            guard let at = rest.firstIndex(of: deed) else { return false }
            rest = rest[(at + 1)...]
            return true
        }
    }

    @Test("A story that goes wrong is told without what it does not need")
    func shrinks() async throws {
        let short = try await longStory().shrunk(keeping: [.lost]) { story in
            has(Self.needed, in: story) ? [.lost] : []
        }
        #expect(short.deeds == Self.needed)
    }

    @Test("What goes wrong now and then only is told often enough")
    func shrinksUnsteady() async throws {
        var count = 0
        let short = try await longStory().shrunk(tryCount: 3, keeping: [.lost]) { story in
            count += 1
            return count.isMultiple(of: 3) && has(Self.needed, in: story) ? [.lost] : []
        }
        #expect(short.deeds == Self.needed)
    }

    @Test("A shorter story that goes wrong in another way alone is not taken for it")
    func shrinksToTheSame() async throws {
        let short = try await longStory().shrunk(keeping: [.doubled, .returned]) { story in
            guard has(Self.needed, in: story) else { return [.differs, .restless, .other] }
            return [.returned, .explain]
        }
        #expect(short.deeds == Self.needed)
        // One in which nothing is wrong is as short as it is.
        let story = longStory()
        #expect(try await story.shrunk(keeping: [], { _ in [.lost] }) == story)
    }

    @Test("A shorter story keeps the gravest of what goes wrong, and no lesser one is taken for it")
    func shrinksToTheGravest() async throws {
        let ranks: [[StoryFault.Kind]] = [
            [.lost], [.half], [.conflict, .differs], [.explain], [.other, .restless],
        ]
        for (at, graver) in ranks.dropLast().enumerated() {
            let lesser = Set(ranks[(at + 1)...].joined())
            #expect(StoryFault.Kind.gravest(of: lesser.union(graver)) == Set(graver))
            let short = try await longStory().shrunk(keeping: lesser.union([graver[0]])) { story in
                has(Self.needed, in: story) ? [graver[0]] : lesser
            }
            #expect(short.deeds == Self.needed)
        }
        #expect(StoryFault.Kind.gravest(of: []) == [])
    }

    @Test(
        "A story says all that is wrong with it, as a test, and the shortest one; one that goes well says nothing"
    )
    func reports() async throws {
        let make = WorldDeed.make(on: 0, kind: 0, folder: 0, name: 0)
        let well = WorldStory(seed: 1, deviceCount: 1, deeds: [make])
        #expect(try await well.report([Self.note]) == nil)
        // A document of which nothing is saved has lost what was acknowledged.
        let forgetful = StoryKind("note", Note.init) { note, _, _ in note.text = "nothing of it\n" }
        let story = WorldStory(seed: 1, deviceCount: 1, deeds: [.pass(milliseconds: 1), make, .rest])
        let said = try await story.report([forgetful], written: "[forgetful]")
        let report = try #require(said)
        for part in [
            "The story of seed 1 goes wrong: edits are lost: [\"mark-1-1.\"]", "// Wrong: edits are lost",
            ".pass(milliseconds: 1),", "In 1 of 3 deeds, which went wrong in 3 of 3 tellings:",
            "story.run([forgetful]).faults == []",
        ] { #expect(report.contains(part), "\(part) is missing in: \(report)") }
        #expect(!report.contains("SHEAF_SEED"))
    }

    private static let note = StoryKind("note", Note.init) { note, mark, _ in note.text += mark + "\n" }

    @Test("All troubles end on the way, and all devices agree then, also of what has left one of them")
    func endsTroubles() async throws {
        let scene = try StoryScene(seed: 1, deviceCount: 2, kinds: StoryKind.all)
        let deeds: [WorldDeed] = [
            .make(on: 0, kind: 0, folder: 0, name: 0), .make(on: 0, kind: 2, folder: 0, name: 1), .rest,
            .evict(on: 0, item: 0), .open(on: 1, item: 1), .type(on: 1, document: 0), .fillDisk(on: 1),
            .goOffline(on: 0), .crashHub(afterWrites: 0, isLastAnswered: false), .fillHub,
            .edit(on: 1, item: 0),
            .endTroubles,
        ]
        for deed in deeds { await scene.apply(deed) }
        #expect(scene.faults == [] && !scene.isOver, "\(scene.told)")
        #expect(scene.world.hasHubRoom && scene.world.isHubRunning && scene.full.isEmpty)
        #expect(scene.devices.allSatisfy { $0.isOnline && $0.isStarted } && scene.typed.isEmpty)
        #expect(Placeholder.itemName(of: try names(scene.devices[0])[0]) == "a.txt", "\(scene.told)")
        await scene.apply(.edit(on: 1, item: 0))
        #expect(await scene.judge() == [], "\(scene.told)")
        try scene.end()
    }

    private func names(_ device: WorldDevice) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.folder.path).sorted()
    }

    @Test("What is wrong on the way ends the story there, and is said once")
    func endsEarly() async throws {
        let scene = try StoryScene(seed: 1, deviceCount: 2, kinds: StoryKind.all)
        for deed: WorldDeed in [.make(on: 0, kind: 0, folder: 0, name: 0), .rest] { await scene.apply(deed) }
        scene.acknowledged.insert("mark-1-77.")
        for deed: WorldDeed in [.endTroubles, .edit(on: 0, item: 0)] { await scene.apply(deed) }
        let wanted = "when all troubles had ended on the way: edits are lost: [\"mark-1-77.\"]"
        #expect(scene.isOver && scene.faults == [StoryFault(.lost, wanted)], "\(scene.faults)")
        #expect(scene.acknowledged.count == 2, "\(scene.told)")
        #expect(await scene.judge() == [StoryFault(.lost, wanted)])
        try scene.end()
    }

    @Test("Devices that do not come to rest are said without a seed that no story takes")
    func restless() {
        let fault = StoryFault(WorldFailure(devices: ["pad is stopped."], seed: 4711))
        #expect(fault.kind == .restless)
        #expect(fault.text == "The devices are not in step. pad is stopped.")
        #expect(StoryFault(CocoaError(.fileReadUnknown)).kind == .other)
    }

    @Test("A hub that is put back has not crashed, and one that was never backed up is left as it is")
    func hubRestores() async throws {
        let put = try await WorldStory(seed: 1, deviceCount: 2, deeds: [.backUpHub, .restoreHub]).run()
        #expect(put.faults == [] && put.hubCrashCount == 0 && put.hubRestoreCount == 1, "\(put.told)")
        let none = try await WorldStory(seed: 1, deviceCount: 1, deeds: [.restoreHub]).run()
        #expect(none.faults == [] && none.hubCrashCount == 0 && none.hubRestoreCount == 0, "\(none.told)")
        let deeds: [WorldDeed] = [.backUpHub, .crashHub(afterWrites: 0, isLastAnswered: false), .restoreHub]
        let both = try await WorldStory(seed: 1, deviceCount: 2, deeds: deeds).run()
        #expect(both.faults == [] && both.hubCrashCount == 1 && both.hubRestoreCount == 1, "\(both.told)")
    }

    @Test(
        "What is on the devices alone outlasts a hub that is put back, and what neither has is missed by nobody"
    )
    func evaporated() async throws {
        let scene = try StoryScene(seed: 1, deviceCount: 2, kinds: StoryKind.all)
        let deeds: [WorldDeed] = [
            .make(on: 0, kind: 0, folder: 0, name: 0), .rest, .backUpHub, .backUp(on: 1),
            .edit(on: 0, item: 0), .edit(on: 1, item: 0), .rest, .restore(on: 1), .restoreHub,
        ]
        for deed in deeds { await scene.apply(deed) }
        #expect(scene.restoreCount == 1 && scene.hubRestoreCount == 1, "\(scene.told)")
        // The first device has all of it.
        #expect(scene.evaporated.isEmpty, "\(scene.told)")
        #expect(await scene.judge() == [], "\(scene.told)")
        try scene.end()
    }

    @Test("Whoever joins at the end is watched from his beginning, whether his packages are half")
    func witness() throws {
        let seen = DispatchSemaphore(value: 0)
        let half = StoryKind("rtfd", Note.init) { _, _, _ in
        } isWhole: { _ in
            seen.signal()
            return false
        }
        let scene = try StoryScene(seed: 1, deviceCount: 1, kinds: [half])
        let place = scene.world.folder.appendingPathComponent("a device that joins at the end/a.rtfd")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        // It is noted before the next look, if not before the first has answered.
        for _ in 0..<2 { #expect(seen.wait(timeout: .now() + 60) == .success) }
        #expect(scene.watch.end().contains { $0.contains("joins at the end/a.rtfd” is half") })
        try scene.end()
    }

    @Test(
        "Nothing is moved from a place on a disk that cannot be written to, and nothing off a disk that is no more"
    )
    func moves() async throws {
        let scene = try StoryScene(seed: 1, deviceCount: 1, kinds: StoryKind.all)
        let device = scene.devices[0]
        let url = device.folder.appendingPathComponent("a.txt")
        await scene.apply(.make(on: 0, kind: 0, folder: 0, name: 0))
        await scene.apply(.rest)
        try device.breakDisk(.writing, at: url)
        await scene.apply(.move(on: 0, item: 0, folder: 0, name: 1))
        #expect(scene.told.last?.contains("which fails") == true, "\(scene.told)")
        await scene.apply(.remove(on: 0, item: 0))
        #expect(scene.told.last?.contains("is not removed") == true, "\(scene.told)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: device.folder.path) == ["a.txt"])
        device.mendDisk()
        await scene.apply(.move(on: 0, item: 0, folder: 0, name: 1))
        #expect(try FileManager.default.contentsOfDirectory(atPath: device.folder.path) == ["b.txt"])

        try device.crash()
        await scene.apply(.remove(on: 0, item: 0))
        #expect(scene.told.last?.contains("is not removed") == true, "\(scene.told)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: device.folder.path) == ["b.txt"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.desk.path) == [])
        #expect(await scene.judge() == [], "\(scene.told)")
        try scene.end()
    }
}

/// A text that is added to.
private final class Note: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

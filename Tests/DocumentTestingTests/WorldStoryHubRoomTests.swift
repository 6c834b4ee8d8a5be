import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync
@testable import DocumentTesting

/// Stories in which the hub has no room for a while.
@Suite("Stories of a full hub", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldStoryHubRoomTests {
    private func played(_ deeds: [WorldDeed]) async throws -> StoryScene {
        let scene = try StoryScene(seed: 1, deviceCount: 2, kinds: StoryKind.all)
        for deed in deeds { await scene.apply(deed) }
        #expect(scene.faults == [], "\(scene.told)")
        return scene
    }

    private func names(_ device: WorldDevice) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.folder.path).sorted()
    }

    private static let made: [WorldDeed] = [
        .make(on: 0, kind: 0, folder: 0, name: 0), .make(on: 0, kind: 0, folder: 0, name: 1), .rest,
    ]

    @Test("What a device has removed is told only once there is room, and who waits for that is not at rest")
    func removed() async throws {
        let scene = try await played(Self.made + [.fillHub, .remove(on: 0, item: 0), .rest])
        #expect(try names(scene.devices[1]) == ["a.txt", "b.txt"], "\(scene.told)")
        #expect(scene.record.removals.map(\.isTold) == [false])
        #expect(scene.told.last?.contains("wait for room at the hub: [\"device 1\"]") == true)
        for deed: WorldDeed in [.freeHub, .rest] { await scene.apply(deed) }
        #expect(try names(scene.devices[1]) == ["b.txt"], "\(scene.told)")
        #expect(scene.record.removals.map(\.isTold) == [true])
        #expect(await scene.judge() == [], "\(scene.told)")
        try scene.end()
    }

    @Test("A hub that is still full has room again before anything is compared")
    func fullAtTheEnd() async throws {
        let story = WorldStory(
            seed: 1,
            deviceCount: 2,
            deeds: Self.made + [
                .fillHub, .edit(on: 0, item: 0), .edit(on: 1, item: 1),
                .make(on: 1, kind: 2, folder: 0, name: 2),
                .rest, .move(on: 1, item: 0, folder: 0, name: 3), .stop(on: 0), .start(on: 0), .rest,
            ]
        )
        let ending = try await story.run()
        #expect(ending.faults == [] && ending.editCount == 5, "\(ending.told)")
        #expect(ending.told.contains { $0.contains("wait for room at the hub") }, "\(ending.told)")
    }

    @Test("Of what waits while the hub is full it is said to wait for room there; another reason is a fault")
    func explained() async throws {
        let scene = try await played(Self.made + [.fillHub, .edit(on: 0, item: 0), .rest])
        let running = try #require(scene.devices[0].running)
        #expect(running.explainAlone("a.txt").chain.contains { $0.kind == .hubFull }, "\(scene.told)")
        // What waits for the person who has paused it does so, however full the hub is.
        try running.pause("b.txt", by: "test")
        await scene.apply(.edit(on: 0, item: 1))
        while running.explainAlone("b.txt").isSettled { await Task.yield() }
        scene.saidSeconds = 0.1
        await scene.askWhy()
        #expect(scene.faults.allSatisfy { $0.kind == .explain }, "\(scene.faults)")
        // What is tried again in that moment waits for nothing.
        let said = scene.faults.filter { $0.text.contains("b.txt") }
        #expect(said.count == 1, "\(scene.faults)")
        #expect(
            said.first?.text.contains("device 1 is without room at the hub, and explain says") == true,
            "\(scene.faults)"
        )
        try scene.end()
    }
}

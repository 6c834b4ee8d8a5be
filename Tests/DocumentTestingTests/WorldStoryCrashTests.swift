import FileSystem
import Foundation
import TestThreads
import Testing

@testable import DocumentTesting

/// Stories in which a device or the hub crashes in the midst of something.
@Suite("Stories of crashes", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldStoryCrashTests {
    /// Has a device crash in the very moment in which something has been put into a folder that is not its own, and is not there
    /// for good yet.
    private final class Crash: SystemCallObserver {
        private let device: WorldDevice
        private let folder: String

        init(_ device: WorldDevice, putInto folder: URL) {
            (self.device, self.folder) = (device, folder.path + "/")
        }

        func willMake(_ call: SystemCall) -> CInt { 0 }

        func didMake(_ call: SystemCall) {
            guard call.name == "renameat2", call.path.string.hasPrefix(folder) else { return }
            #expect(throws: Never.self) { try device.crash() }
        }
    }

    @Test("What a device that crashes has thrown away without knowing it for good is missed by nobody")
    func removedInDoubt() async throws {
        let scene = try StoryScene(seed: 1, deviceCount: 2, kinds: StoryKind.all)
        for deed: WorldDeed in [.make(on: 1, kind: 0, folder: 0, name: 0), .rest] { await scene.apply(deed) }
        let crash = Crash(scene.devices[1], putInto: scene.desk)
        SystemCallObservation.add(crash)
        defer { SystemCallObservation.remove(crash) }
        await scene.apply(.remove(on: 1, item: 0))
        #expect(scene.devices[1].hasCrashed)
        let isInDoubt = scene.told.contains { $0.contains("is removed") && $0.contains("not for good") }
        #expect(isInDoubt, "\(scene.told)")
        #expect(await scene.judge() == [], "\(scene.told)")
        try scene.end()
    }

    @Test("A story goes on over a hub that crashes, whenever it does", arguments: 0..<4, [false, true])
    func crashingHub(writeCount: Int, isLastAnswered: Bool) async throws {
        let story = WorldStory(
            seed: 1,
            deviceCount: 2,
            deeds: [
                .make(on: 0, kind: 2, folder: 0, name: 0), .rest,
                .crashHub(afterWrites: writeCount, isLastAnswered: isLastAnswered), .edit(on: 0, item: 0),
                .edit(on: 1, item: 0), .rest, .make(on: 1, kind: 0, folder: 0, name: 1), .startHub, .rest,
                .edit(on: 1, item: 1), .crashHub(afterWrites: writeCount, isLastAnswered: isLastAnswered),
            ]
        )
        let ending = try await story.run()
        #expect(ending.faults == [] && ending.editCount == 5, "\(ending.told)")
        #expect(writeCount > 0 || ending.hubCrashCount > 0)
    }
}

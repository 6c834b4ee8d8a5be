import SyncModel
import Testing

/// Stories about a hub that is put back to what it was once.
@Suite("Stories of going back in the log")
struct RewindingStories {
    @Test("A conflict that a device was never known to have is not settled by it")
    func neverKnown() {
        let story = Story(
            deviceCount: 5,
            restSeed: 11197532225387218180,
            brakePercent: nil,
            deeds: [
                .make(on: 0, isFolder: false, folder: 0, name: 0),
                .make(on: 0, isFolder: false, folder: 0, name: 1), .hear(on: 0), .hear(on: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .hear(on: 0), .hear(on: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .hear(on: 1), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 0), .hear(on: 0), .hear(on: 1), .hear(on: 1),
                .work(on: 1), .hear(on: 2), .hear(on: 2), .hear(on: 3), .hear(on: 3), .hear(on: 4),
                .edit(on: 0, item: 0), .edit(on: 1, item: 0), .hear(on: 0), .deliver(letter: 0),
                .deliver(letter: 1), .deliver(letter: 60), .deliver(letter: 0), .deliver(letter: 3),
                .lose(letter: 1), .make(on: 2, isFolder: true, folder: 0, name: 2),
                .deliver(letter: 2), .deliver(letter: 0), .deliver(letter: 3), .deliver(letter: 1),
                .hear(on: 0), .deliver(letter: 0), .deliver(letter: 1), .edit(on: 0, item: 1),
                .deliver(letter: 19), .deliver(letter: 1), .deliver(letter: 1), .deliver(letter: 1),
                .bring(to: 2, from: 0), .hear(on: 1), .hear(on: 1), .hear(on: 1), .hear(on: 1),
                .kill(on: 2), .deliver(letter: 0), .deliver(letter: 0), .double(letter: 0),
                .deliver(letter: 2), .hear(on: 1), .work(on: 1), .work(on: 1), .restoreHub(backup: 6),
                .hear(on: 2), .hear(on: 2), .deliver(letter: 0), .deliver(letter: 2), .hear(on: 1),
                .hear(on: 1), .hear(on: 1), .work(on: 1), .work(on: 1), .restoreHub(backup: 0),
                .hear(on: 1), .hear(on: 1), .deliver(letter: 1), .deliver(letter: 1), .lose(letter: 3),
                .work(on: 1), .deliver(letter: 1), .deliver(letter: 1), .hear(on: 2), .hear(on: 2),
                .lose(letter: 1), .deliver(letter: 2), .deliver(letter: 0), .deliver(letter: 0),
                .hear(on: 1), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 1), .hear(on: 1), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .hear(on: 2), .hear(on: 2), .move(on: 1, item: 1, folder: 6, name: 3),
                .readLog(on: 1, count: 4), .hear(on: 1), .hear(on: 1), .bring(to: 4, from: 2),
                .deliver(letter: 1), .deliver(letter: 1), .hear(on: 3), .hear(on: 3), .hear(on: 3),
                .hear(on: 1), .hear(on: 1), .lose(letter: 1), .lose(letter: 1), .deliver(letter: 0),
                .deliver(letter: 0), .lose(letter: 61), .deliver(letter: 3), .work(on: 4),
                .deliver(letter: 0), .deliver(letter: 10), .restoreHub(backup: 6),
            ]
        )
        #expect(story.run().faults == [])
    }

    @Test("What has lost its contents does not keep a folder that is another from becoming that")
    func lostInUnited() {
        let story = Story(
            deviceCount: 2,
            restSeed: 9214261857794810395,
            brakePercent: 40,
            deeds: [
                .make(on: 0, isFolder: true, folder: 0, name: 0),
                .make(on: 0, isFolder: true, folder: 0, name: 1), .hear(on: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .hear(on: 0), .hear(on: 0), .hear(on: 1),
                .work(on: 1), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .hear(on: 1), .hear(on: 1), .work(on: 1), .cross(on: 0, and: 1, folder: 1),
                .hear(on: 0), .hear(on: 1), .hear(on: 0), .hear(on: 1), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 2), .hear(on: 1),
                .work(on: 1), .restoreHub(backup: 2), .work(on: 1),
                .replace(on: 1, item: 0, isFolder: false, isHeardFirst: false), .hear(on: 0),
                .hear(on: 0), .deliver(letter: 0), .restoreMemory(on: 1), .hear(on: 1), .hear(on: 1),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .hear(on: 1),
                .deliver(letter: 0), .hear(on: 0), .work(on: 1), .hear(on: 1), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 1), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 1), .evict(on: 0, item: 0), .work(on: 1),
                .move(on: 1, item: 1, folder: 3, name: 0), .evict(on: 1, item: 0),
                .restoreHub(backup: 2),
            ]
        )
        #expect(story.run().faults == [])
    }

    @Test(
        "A folder that has gone from disk and log, and is put back by hand when the log is another, is told again"
    )
    func goneAndBack() {
        let story = Story(
            deviceCount: 3,
            restSeed: 808174373290827751,
            brakePercent: nil,
            deeds: [
                .ambush(state: 37, fault: 62, number: 19), .ambush(state: 26, fault: 17, number: 60),
                .ambush(state: 61, fault: 22, number: 42), .ambush(state: 53, fault: 70, number: 44),
                .make(on: 0, isFolder: true, folder: 0, name: 0),
                .make(on: 0, isFolder: true, folder: 0, name: 1), .hear(on: 0), .hear(on: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .hear(on: 0), .hear(on: 1), .work(on: 1),
                .hear(on: 2), .work(on: 2), .deliver(letter: 0), .deliver(letter: 0), .hear(on: 1),
                .hear(on: 1), .work(on: 1), .hear(on: 2), .hear(on: 2), .hear(on: 1),
                .cross(on: 0, and: 1, folder: 0), .hear(on: 0), .hear(on: 0), .deliver(letter: 0),
                .deliver(letter: 0), .loseLog(on: 1), .hear(on: 1), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 0), .deliver(letter: 0), .loseLog(on: 1), .hear(on: 0),
                .remove(on: 1, item: 1), .move(on: 0, item: 1, folder: 4, name: 1), .work(on: 2),
                .deliver(letter: 0), .make(on: 0, isFolder: false, folder: 2, name: 3), .hear(on: 0),
                .deliver(letter: 0), .deliver(letter: 1), .backUpHub, .hear(on: 1), .hear(on: 1),
                .hear(on: 1), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 0), .hear(on: 0), .hear(on: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .hear(on: 1),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .backUp(on: 0), .replace(on: 0, item: 1, isFolder: true, isHeardFirst: true),
                .hear(on: 2), .hear(on: 2), .hear(on: 2), .hear(on: 0), .hear(on: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .work(on: 2), .hear(on: 1), .hear(on: 1), .work(on: 1), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 1), .hear(on: 0), .hear(on: 0), .hear(on: 0),
                .hear(on: 0), .deliver(letter: 0),
                .replace(on: 1, item: 0, isFolder: false, isHeardFirst: false),
                .make(on: 1, isFolder: false, folder: 0, name: 1), .deliver(letter: 1),
                .deliver(letter: 1), .hear(on: 1), .hear(on: 1), .deliver(letter: 1), .work(on: 1),
                .work(on: 1), .hear(on: 1), .hear(on: 1), .hear(on: 1), .deliver(letter: 1),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 2), .hear(on: 2), .hear(on: 2), .hear(on: 2),
                .hear(on: 1), .hear(on: 1), .hear(on: 1), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 1), .deliver(letter: 1),
                .deliver(letter: 1), .hear(on: 2), .hear(on: 2), .hear(on: 2), .hear(on: 2),
                .deliver(letter: 0), .hear(on: 1), .hear(on: 1), .hear(on: 1), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .work(on: 1), .hear(on: 1), .work(on: 0),
                .remove(on: 1, item: 1), .hear(on: 0), .hear(on: 0), .hear(on: 0), .work(on: 2),
                .work(on: 2), .work(on: 2), .work(on: 2), .edit(on: 2, item: 3), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 0), .hear(on: 2), .hear(on: 2), .hear(on: 2),
                .hear(on: 2), .hear(on: 2), .hear(on: 2), .hear(on: 2), .hear(on: 1), .hear(on: 1),
                .hear(on: 1), .hear(on: 1), .readLog(on: 2, count: 1), .hear(on: 1), .hear(on: 1),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .hear(on: 1),
                .hear(on: 1), .hear(on: 1), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 3), .hear(on: 2), .hear(on: 2), .hear(on: 2), .deliver(letter: 0),
                .deliver(letter: 2), .hear(on: 2), .restoreMemory(on: 0), .restoreFolder(on: 0),
            ]
        )
        #expect(story.run().faults == [])
    }
}

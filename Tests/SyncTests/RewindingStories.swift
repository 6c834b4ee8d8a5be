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
}

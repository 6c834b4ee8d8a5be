import SyncModel
import Testing

/// Stories about going back to what was before a large change.
@Suite("Stories of going back")
struct GoingBackStories {
    @Test("What was in a folder that is gone for good comes back beside it")
    func withoutItsFolder() {
        let story = Story(
            deviceCount: 2,
            restSeed: 5788654695582989095,
            brakePercent: 40,
            deeds: [
                .make(on: 0, isFolder: false, folder: 0, name: 0),
                .backUp(on: 0),
                .readLog(on: 1, count: 5),
                .pause(on: 0, item: 0),
                .deliver(letter: 0),
                .lose(letter: 0),
                .make(on: 0, isFolder: false, folder: 0, name: 2),
                .hear(on: 0),
                .deliver(letter: 0),
                .deliver(letter: 0),
                .hear(on: 0),
                .make(on: 0, isFolder: true, folder: 0, name: 3),
                .edit(on: 0, item: 1),
                .deliver(letter: 0),
                .deliver(letter: 0),
                .hear(on: 0),
                .hear(on: 0),
                .hear(on: 0),
                .deliver(letter: 0),
                .deliver(letter: 0),
                .deliver(letter: 0),
                .make(on: 0, isFolder: false, folder: 1, name: 0),
                .decide(on: 0, goesOn: true),
                .deliver(letter: 0),
                .hear(on: 0),
                .hear(on: 0),
                .hear(on: 0),
                .deliver(letter: 0),
                .deliver(letter: 0),
                .deliver(letter: 0),
                .deliver(letter: 0),
                .hear(on: 0),
                .hear(on: 0),
                .deliver(letter: 0),
                .deliver(letter: 0),
                .deliver(letter: 0),
                .restoreFolder(on: 0),
                .resume(on: 0, item: 0),
                .crashHub(letter: 0, hasWritten: true),
                .hear(on: 1),
                .hear(on: 0),
                .hear(on: 0),
                .wantBack(on: 0),
            ]
        )
        #expect(story.run().faults == [])
    }
}

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
                .make(on: 0, isFolder: false, folder: 0, name: 0), .backUp(on: 0),
                .readLog(on: 1, count: 5), .pause(on: 0, item: 0), .deliver(letter: 0), .lose(letter: 0),
                .make(on: 0, isFolder: false, folder: 0, name: 2), .hear(on: 0), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 0), .make(on: 0, isFolder: true, folder: 0, name: 3),
                .edit(on: 0, item: 1), .deliver(letter: 0), .deliver(letter: 0), .hear(on: 0),
                .hear(on: 0), .hear(on: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .make(on: 0, isFolder: false, folder: 1, name: 0), .decide(on: 0, goesOn: true),
                .deliver(letter: 0), .hear(on: 0), .hear(on: 0), .hear(on: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .hear(on: 0), .hear(on: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .restoreFolder(on: 0),
                .resume(on: 0, item: 0), .crashHub(letter: 0, hasWritten: true), .hear(on: 1),
                .hear(on: 0), .hear(on: 0), .wantBack(on: 0),
            ]
        )
        #expect(story.run().faults == [])
    }

    @Test("A folder that was removed here comes back for one that stands aside here until it can go into it")
    func neededByOneAside() {
        let story = Story(
            deviceCount: 3,
            restSeed: 13255269327150480943,
            brakePercent: 40,
            deeds: [
                .make(on: 0, isFolder: true, folder: 0, name: 0),
                .make(on: 0, isFolder: true, folder: 0, name: 1), .hear(on: 0), .hear(on: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 0), .hear(on: 2), .work(on: 2), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .hear(on: 1), .work(on: 1), .hear(on: 0),
                .hear(on: 1), .work(on: 1), .hear(on: 2), .hear(on: 2), .work(on: 2),
                .cross(on: 0, and: 1, folder: 1), .hear(on: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 1), .hear(on: 2), .hear(on: 2), .bring(to: 0, from: 2),
                .deliver(letter: 0), .work(on: 2), .hear(on: 0), .hear(on: 0), .deliver(letter: 0),
                .deliver(letter: 1), .deliver(letter: 1), .hear(on: 2), .hear(on: 2), .work(on: 2),
                .restoreHub(backup: 0), .hear(on: 2), .hear(on: 2), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .hear(on: 0), .hear(on: 0), .hear(on: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .remove(on: 1, item: 1), .deliver(letter: 3),
            ]
        )
        #expect(story.run().faults == [])
    }

    @Test("What others have edited while an evicted item was on its way back stays")
    func editedMeanwhile() {
        let story = Story(
            deviceCount: 3,
            restSeed: 162889256056423353,
            brakePercent: 40,
            deeds: [
                .make(on: 0, isFolder: false, folder: 0, name: 0), .hear(on: 0), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .hear(on: 2), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 2), .work(on: 2), .edit(on: 0, item: 0), .hear(on: 0),
                .edit(on: 2, item: 0), .hear(on: 2), .hear(on: 2), .hear(on: 1), .edit(on: 2, item: 0),
                .decide(on: 2, goesOn: true), .hear(on: 2), .hear(on: 2), .deliver(letter: 1),
                .deliver(letter: 1), .lose(letter: 0), .hear(on: 2), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .hear(on: 1),
                .evict(on: 2, item: 0), .deliver(letter: 0), .edit(on: 0, item: 0),
                .deliver(letter: 0), .edit(on: 0, item: 0), .hear(on: 0), .hear(on: 0),
                .deliver(letter: 0), .deliver(letter: 0), .hear(on: 0), .hear(on: 0), .hear(on: 0),
                .work(on: 0), .hear(on: 0), .work(on: 0), .wantBack(on: 2), .hear(on: 0),
                .deliver(letter: 0), .deliver(letter: 0), .readLog(on: 0, count: 7),
                .readLog(on: 0, count: 6), .hear(on: 0), .double(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 1), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 1),
            ]
        )
        #expect(story.run().faults == [])
    }

    @Test("What was to come back when the hub is put back to a backup is not waited for")
    func lostMeanwhile() {
        let story = Story(
            deviceCount: 5,
            restSeed: 6418028259279082016,
            brakePercent: 40,
            deeds: [
                .make(on: 0, isFolder: false, folder: 0, name: 0),
                .make(on: 0, isFolder: false, folder: 0, name: 1), .hear(on: 0), .hear(on: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .hear(on: 0), .hear(on: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 3), .hear(on: 4), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0), .deliver(letter: 0),
                .deliver(letter: 0), .deliver(letter: 0), .hear(on: 3), .hear(on: 3), .deliver(letter: 0),
                .deliver(letter: 0), .hear(on: 3), .work(on: 3), .hear(on: 4), .hear(on: 4),
                .deliver(letter: 0), .deliver(letter: 0), .work(on: 3), .hear(on: 4),
                .remove(on: 0, item: 1), .work(on: 4), .work(on: 4),
                .replace(on: 3, item: 1, isFolder: false, isHeardFirst: false), .evict(on: 2, item: 0),
                .hear(on: 0), .hear(on: 0), .hear(on: 0), .hear(on: 3), .hear(on: 3), .hear(on: 3),
                .hear(on: 3), .lose(letter: 0), .decide(on: 0, goesOn: true),
                .decide(on: 3, goesOn: true), .hear(on: 3), .deliver(letter: 1), .deliver(letter: 1),
                .hear(on: 0), .hear(on: 0), .goOffline(on: 0),
                .replace(on: 4, item: 1, isFolder: true, isHeardFirst: false), .restoreHub(backup: 0),
                .wantBack(on: 0),
            ]
        )
        #expect(story.run().faults == [])
    }
}

import SyncModel
import Testing

/// Folders that are there again in the log for what was put into them.
@Suite("Sync: folders that are there again")
struct RevivedFolderStories {
    @Test(
        "A folder that comes again with what this device has put into it, and was removed here since, goes again"
    )
    func removedSince() {
        let story = Story(
            deviceCount: 2,
            restSeed: 1_153_215_771_725_593_318,
            brakePercent: nil,
            deeds: Self.removedSince
        )
        #expect(story.run().faults == [])
    }

    private static let removedSince: [Deed] = [
        .make(on: 0, isFolder: false, folder: 0, name: 1),
        .make(on: 0, isFolder: false, folder: 0, name: 2),
        .make(on: 0, isFolder: true, folder: 0, name: 0),
        .hear(on: 0),
        .hear(on: 0),
        .hear(on: 0),
        .backUp(on: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .hear(on: 1),
        .remove(on: 0, item: 1),
        .hear(on: 0),
        .hear(on: 0),
        .hear(on: 0),
        .deliver(letter: 0),
        .deliver(letter: 1),
        .hear(on: 0),
        .hear(on: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .remove(on: 0, item: 1),
        .lose(letter: 0),
        .hear(on: 1),
        .hear(on: 0),
        .hear(on: 0),
        .lose(letter: 2),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .crashHub(letter: 0, hasWritten: true),
        .restoreFolder(on: 0),
        .hear(on: 0),
        .move(on: 0, item: 0, folder: 7, name: 2),
        .hear(on: 0),
        .hear(on: 0),
        .hear(on: 0),
        .hear(on: 0),
        .deliver(letter: 0),
        .remove(on: 0, item: 2),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .kill(on: 0),
        .hear(on: 0),
        .hear(on: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .hear(on: 0),
        .hear(on: 0),
        .hear(on: 0),
        .deliver(letter: 0),
        .move(on: 0, item: 0, folder: 6, name: 0),
        .deliver(letter: 0),
    ]
}

import SyncModel
import Testing

/// Stories of contents that have left a device, found at random.
@Suite("Stories of evicted items")
struct EvictedStories {
    @Test("A placeholder that came back to the log unread goes only when all of the log has been read")
    func placeholderBeforeTheLogIsRead() {
        // device 0: makes 1 at a with 1
        // device 0: makes 2 at b.txt with 2
        // the hub: entry 1 is 1 a 1 by device 0
        // the hub: entry 2 is 2 b.txt 2 by device 0
        // device 1: has 1 at a 1 placed, was -
        // device 1: has 2 at b.txt 2 placed, was -
        // device 2: has 1 at a 1 placed, was -
        // device 1: edits 1 to 1+3
        // device 1: killed, its memory put back to a backup
        // device 1: edits 2 to 2+4
        // device 2: edits 1 to 1+5
        // device 1: makes 3 at c with 6
        // device 2: has 2 at b.txt 2 placed, was -
        // device 2: removes 2
        // device 2: makes 4 at b.txt with 7
        // the hub: entry 3 is 3 c 6 by device 1
        // device 2: pauses 4
        // device 1: removes 3
        // device 1: moves 2 to c
        // device 1: pauses 2
        // the hub: put back to entry 2
        // device 0: goes back from entry 3 to 2
        // device 2: goes back from entry 3 to 2
        // device 2: what is leaving is to go on
        // device 2: has 3 at c 6 placed, was -
        // the hub: entry 3 is 2 - by device 2
        // the hub: entry 4 is 1 a 1+5 by device 2
        // the hub: entry 5 is 3 c 6 by device 2
        // device 1: resumes 2
        // device 1: has 2 at .sheaf-aside-1-2-c 2+4 placed, was c 2+4
        // the hub: entry 6 is 2 b.txt 2+4 by device 1
        // the hub: dies and comes again
        // device 1: has 3 at c 6 placed, was -
        // device 1: has 2 at b.txt 2+4 placed, was .sheaf-aside-1-2-c 2+4
        // device 1: evicts 2 with 2+4
        // device 1: killed, its memory put back to a backup
        // device 1: has 2 removed, was b.txt 2+4
        // all troubles are over
        // device 2: resumes 4
        // the hub: entry 7 is 2 - by device 1
        // device 0: what is arriving is to go on
        // device 0: has 1 at a 1+5 placed, was a 1
        // device 0: has 2 removed, was b.txt 2
        // the hub: entry 8 is 4 b.txt 7 by device 2
        // device 0: has 4 at b.txt 7 placed, was -
        // device 0: has 3 at c 6 placed, was -
        // device 1: has 1 at a 1+3 against ["1+3"] placed, was a 1+3
        // device 1: has 1 at a 1+5 against ["1+3"] placed, was a 1+3 against ["1+3"]
        // device 1: has 4 at b.txt 7 placed, was -
        // the hub: entry 9 is 1 a 1+5 against ["1+3"] by device 1
        // device 2: has 1 at a 1+5 against ["1+3"] placed, was a 1+5
        // device 0: has 1 at a 1+5 against ["1+3"] placed, was a 1+5
        // Wrong was: edits [4] are lost
        let story = Story(
            deviceCount: 3,
            restSeed: 11208076383626540745,
            brakePercent: 40,
            deeds: Self.placeholderBeforeTheLogIsRead
        )
        #expect(story.run().faults == [])
    }

    private static let placeholderBeforeTheLogIsRead: [Deed] = [
        .ambush(state: 5, fault: 43, number: 53),
        .ambush(state: 5, fault: 65, number: 0),
        .make(on: 0, isFolder: false, folder: 0, name: 0),
        .make(on: 0, isFolder: false, folder: 0, name: 1),
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
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .hear(on: 1),
        .hear(on: 1),
        .hear(on: 2),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .hear(on: 1),
        .hear(on: 1),
        .work(on: 1),
        .deliver(letter: 0),
        .work(on: 1),
        .hear(on: 2),
        .hear(on: 2),
        .work(on: 2),
        .deliver(letter: 0),
        .edit(on: 1, item: 0),
        .restoreMemory(on: 1),
        .edit(on: 1, item: 1),
        .deliver(letter: 0),
        .backUpHub,
        .edit(on: 2, item: 0),
        .hear(on: 2),
        .hear(on: 2),
        .make(on: 1, isFolder: false, folder: 0, name: 2),
        .work(on: 2),
        .replace(on: 2, item: 1, isFolder: false, isHeardFirst: true),
        .pause(on: 1, item: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .hear(on: 1),
        .work(on: 1),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .double(letter: 1),
        .pause(on: 2, item: 1),
        .deliver(letter: 2),
        .remove(on: 1, item: 2),
        .move(on: 1, item: 1, folder: 4, name: 2),
        .pause(on: 1, item: 1),
        .deliver(letter: 2),
        .restoreHub(backup: 1),
        .decide(on: 2, goesOn: true),
        .evict(on: 2, item: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .hear(on: 0),
        .deliver(letter: 0),
        .loseLog(on: 1),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 1),
        .deliver(letter: 0),
        .hear(on: 2),
        .hear(on: 2),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .double(letter: 3),
        .deliver(letter: 0),
        .resume(on: 1, item: 0),
        .deliver(letter: 0),
        .deliver(letter: 49),
        .double(letter: 2),
        .deliver(letter: 0),
        .double(letter: 2),
        .work(on: 1),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .deliver(letter: 0),
        .hear(on: 1),
        .hear(on: 1),
        .hear(on: 1),
        .hear(on: 1),
        .backUp(on: 1),
        .evict(on: 1, item: 0),
        .restoreMemory(on: 1),
        .hear(on: 1),
        .hear(on: 1),
        .hear(on: 1),
        .work(on: 1),
    ]
}

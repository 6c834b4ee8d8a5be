import SyncModel
import Testing

/// Each bug that is planted, in the shortest story that `sync-harness bugs` has made of one that showed it.
@Suite("Sync: planted bugs")
struct PlantedBugTests {
    @Test("A bug makes its story go wrong, which is right without it", arguments: PlantedBug.allCases)
    func shows(_ bug: PlantedBug) throws {
        let story = try #require(shortStories[bug])
        #expect(!story.run(bug: bug).faults.isEmpty, "told anew by: sync-harness bugs 500 100 told")
        #expect(story.run().faults == [])
    }

    @Test("A story that goes wrong is told without what it does not need")
    func shrinks() throws {
        var story = try #require(shortStories[.unsentContents])
        let length = story.deeds.count
        let needless: [Deed] = [
            .hear(on: 0), .fillDisk(on: 1), .deliver(letter: 3), .goOffline(on: 0), .kill(on: 1),
        ]
        story.deeds = needless + story.deeds + needless
        let short = story.shrunk(bug: .unsentContents)
        #expect(short.deeds.count <= length && !short.run(bug: .unsentContents).faults.isEmpty)
        #expect(short.test(bug: .unsentContents).contains("story.run(bug: .unsentContents)"))
    }
}

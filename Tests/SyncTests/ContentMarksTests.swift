import SeededNumbers
import Testing

@testable import Sync

@Suite("Sync: which contents are where")
struct ContentMarksTests {
    @Test("They are what two sets are, whatever comes and is taken back", arguments: [10, 200, 3000])
    func asSets(nameCount: Int) {
        var random = seededNumbers(for: "content marks")
        let names = (0..<nameCount).map { number in
            number % 2 == 0
                ? ContentName("text \(number)")
                : ContentName(digitsOf: (0..<random.below(40)).map { _ in UInt8(random.below(4)) })
        }
        var (marks, here, atHub) = (ContentMarks(), Set<ContentName>(), Set<ContentName>())
        for _ in 0..<4 * nameCount {
            let name = names[random.below(names.count)]
            switch random.below(6) {
            case 0, 1:
                let (isNew, wasNew) = (marks.insert(name, .here), here.insert(name).inserted)
                #expect(isNew == wasNew)
            case 2:
                let (isNew, wasNew) = (marks.insert(ContentKey(name), .atHub), atHub.insert(name).inserted)
                #expect(isNew == wasNew)
            case 3:
                if random.below(2) == 0 {
                    marks.remove(name, .here)
                    here.remove(name)
                } else {
                    marks.remove(name, .atHub)
                    atHub.remove(name)
                }
            default:
                #expect(marks.contains(name, .here) == here.contains(name))
                #expect(marks.contains(name, .atHub) == atHub.contains(name))
            }
            if random.below(nameCount) == 0 {
                marks.removeAll(.here)
                here = []
            }
            if random.below(nameCount) == 0 {
                marks.removeAll(.atHub)
                atHub = []
            }
        }
        for name in names {
            #expect(marks.contains(name, .here) == here.contains(name))
            #expect(marks.contains(name, .atHub) == atHub.contains(name))
        }
        marks.removeAll(.here)
        marks.removeAll(.atHub)
        #expect(!names.contains { marks.contains($0, .here) || marks.contains($0, .atHub) })
    }
}

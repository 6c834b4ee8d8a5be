import Foundation
import SeededNumbers
import Testing

@testable import Coordination

@Suite("Values by key, mostly few")
struct SmallTableTests {
    @Test("It is what a dictionary is, whatever is put in, changed and taken out", arguments: [3, 14, 200])
    func asDictionary(keyCount: Int) {
        let seed =
            ProcessInfo.processInfo.environment["COORDINATION_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 1...999_999)
        print("small table: COORDINATION_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        var (table, dictionary): (SmallTable<Int, [Int]>, [Int: [Int]]) = (SmallTable(), [:])
        for step in 0..<20 * keyCount + 400 {
            let key = random.below(keyCount)
            // Now many, now few of them.
            let isFilling = step / (5 * keyCount) % 2 == 0
            switch random.below(6) {
            case 0, 1:
                let value = isFilling ? [step] : nil
                (table[key], dictionary[key]) = (value, value)
            case 2:
                table[key]?.append(step)
                dictionary[key]?.append(step)
            case 3:
                guard let place = table.place(of: key) else { break }
                #expect(table.key(at: place) == key)
                table[at: place].append(-step)
                dictionary[key]?.append(-step)
            case 4 where step % 3 == 0:
                #expect(table.removeValue(forKey: key) == dictionary.removeValue(forKey: key))
            default: #expect(table[key] == dictionary[key])
            }
            #expect(table.count == dictionary.count && table.isEmpty == dictionary.isEmpty)
        }
        #expect(Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.value) }) == dictionary)
        #expect(Set(table.keys) == Set(dictionary.keys))
        #expect(Set(table.values) == Set(dictionary.values))
        for key in 0..<keyCount { table[key] = nil }
        #expect(table.isEmpty && table.place(of: 0) == nil)
    }
}

import Foundation
import SeededNumbers
import Testing

@testable import Sync

@Suite("Sync: values by item")
struct ItemMapTests {
    @Test("It is what a dictionary is, whatever is put in, changed and taken out", arguments: [8, 40, 3000])
    func asDictionary(itemCount: Int) {
        let seed =
            ProcessInfo.processInfo.environment["SYNC_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 1...999_999)
        print("item map: SYNC_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        // Some of them alike in the half that they are found by.
        let items = (0..<itemCount).map { ItemID(UInt64($0), $0 % 5 == 0 ? 7 : random.next()) }
        var (map, dictionary): (ItemMap<Int>, [ItemID: Int]) = ([:], [:])
        for step in 0..<4 * itemCount + 200 {
            let item = items[random.below(items.count)]
            switch random.below(5) {
            case 0, 1: (map[item], dictionary[item]) = (step, step)
            case 2: (map[item], dictionary[item]) = (nil, nil)
            case 3:
                map[item]? += 1
                dictionary[item]? += 1
            default: #expect(map[item] == dictionary[item])
            }
            #expect(map.count == dictionary.count && map.isEmpty == dictionary.isEmpty)
        }
        #expect(Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) }) == dictionary)
        #expect(Set(map.keys) == Set(dictionary.keys) && map.values.sorted() == dictionary.values.sorted())
        #expect(map == ItemMap(dictionary) && map.hashValue == ItemMap(dictionary).hashValue)
        #expect(map.filter { $0.value % 2 == 0 } == ItemMap(dictionary.filter { $0.value % 2 == 0 }))
        for item in items { map[item] = nil }
        #expect(map.isEmpty && map == [:])
    }

    @Test("Of several items at a place one comes first, and all are known")
    func places() {
        let (one, two, three) = (ItemID(1, 1), ItemID(1, 2), ItemID(1, 3))
        let place = ItemPlace(.root, "a")
        var items = ItemsByPlace()
        for item in [two, three, one, two] { items.insert(item, at: place) }
        #expect(items[place] == [one, two, three] && items[ItemPlace(.root, "b")] == [])
        items.remove(two, at: place)
        items.remove(two, at: place)
        #expect(items[place] == [one, three])
        items.remove(three, at: place)
        items.remove(one, at: place)
        #expect(items[place] == [])
    }
}

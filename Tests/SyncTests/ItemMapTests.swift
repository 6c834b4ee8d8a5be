import SeededNumbers
import Testing

@testable import Sync

@Suite("Sync: values by item")
struct ItemMapTests {
    @Test("It is what a dictionary is, whatever is put in, changed and taken out", arguments: [8, 40, 3000])
    func asDictionary(itemCount: Int) {
        var random = seededNumbers(for: "item map")
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

    @Test(
        "What is placed is found by its place, its folder and its key, whatever comes, moves and goes",
        arguments: [8, 40, 2000]
    )
    func places(itemCount: Int) {
        var random = seededNumbers(for: "placed items")
        let items = (0..<itemCount).map { ItemID(UInt64($0), random.next()) }
        let folders = [ItemID.root] + items.prefix(3)
        var (placed, dictionary) = (PlacedItems<Something>(), [ItemID: Something]())
        let keys = (0..<itemCount).map { ItemID(random.next(), UInt64($0 / 2)) }
        func place() -> ItemPlace? {
            let name = String(random.below(itemCount / 2 + 1))
            return random.below(5) == 0 ? nil : ItemPlace(folders[random.below(folders.count)], name)
        }
        for step in 0..<4 * itemCount + 200 {
            let item = items[random.below(items.count)]
            var value: Something?
            if random.below(4) > 0 {
                let key = random.below(5) == 0 ? nil : keys[random.below(keys.count)]
                value = Something(number: step, listedPlace: place(), listedKey: key)
            }
            (placed[item], dictionary[item]) = (value, value)
            if step % 100 == 0 { placed = PlacedItems(placed.all) }
            guard step % 20 == 0 else { continue }
            let at = place() ?? ItemPlace(.root, "0")
            let there = Set(dictionary.filter { $0.value.listedPlace == at }.keys)
            #expect(Set(placed.items(at: at)) == there && placed.items(at: at).count == there.count)
            #expect(placed.item(at: at).map { there.contains($0) } ?? there.isEmpty)
            let holders = Dictionary(grouping: dictionary.filter { $0.value.listedKey != nil }.keys) {
                dictionary[$0]?.listedKey ?? .root
            }
            for key in keys.prefix(50) {
                let holding = holders[key] ?? []
                #expect(placed.items(keyed: key).sorted() == holding.sorted())
                #expect(placed.item(keyed: key).map(holding.contains) ?? holding.isEmpty)
                // Each of several is found by what else it is.
                for holder in holding {
                    #expect(placed.item(keyed: key) { $0 == dictionary[holder] } == holder)
                }
            }
            for folder in folders {
                let members = dictionary.filter { $0.value.listedPlace?.parent == folder }.keys
                #expect(placed.members(of: folder).sorted() == members.sorted())
                #expect(placed.hasMembers(folder) == !members.isEmpty)
            }
        }
        #expect(placed.all == ItemMap(dictionary))
        for item in items { placed[item] = nil }
        #expect(placed.isEmpty && folders.allSatisfy { !placed.hasMembers($0) })
    }

    private struct Something: Placed, Equatable {
        let number: Int
        let listedPlace: ItemPlace?
        let listedKey: ItemID?
        static let hasKeys = true
    }
}

import SeededNumbers
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

@Suite("FolderConcerns", .onOwnThreads)
struct FolderConcernsTests {
    private func id(_ number: Int) -> ItemID { number == 0 ? .root : ItemID(7, UInt64(number)) }

    /// A tree in which items are noted one by one.
    private struct Tree {
        var parents: [ItemID: ItemID]
        var concerns = FolderConcerns()

        mutating func note(_ item: ItemID, _ concern: ItemConcern?) -> Set<ItemID> {
            let change = FolderConcerns.Change(item: item, parent: parents[item], concern: concern)
            return concerns.note([change]) { [parents] in parents[$0] }
        }
    }

    @Test("A folder has the worst of what is in it at any depth, until that is in step again")
    func worst() {
        // 1 holds 2, which holds the documents 3 and 4.
        var tree = Tree(parents: [id(1): .root, id(2): id(1), id(3): id(2), id(4): id(2)])
        #expect(tree.note(id(3), .remote) == [id(2), id(1), .root])
        #expect(tree.concerns.worst(in: id(1)) == .remote && tree.concerns.worst(in: id(3)) == nil)
        #expect(tree.note(id(4), .conflict) == [id(2), id(1), .root])
        // Nothing that anybody would see.
        #expect(tree.note(id(3), .waiting) == [])
        #expect(tree.note(id(4), nil) == [id(2), id(1), .root])
        #expect(tree.concerns.worst(in: .root) == .waiting)
        // What is the matter with a folder itself is the matter in those above it.
        #expect(tree.note(id(1), .error) == [.root])
        #expect(tree.concerns.worst(in: id(1)) == .waiting)
        #expect(tree.note(id(3), nil) == [id(2), id(1)])
        #expect(tree.note(id(1), nil) == [.root])
        #expect((0...4).allSatisfy { tree.concerns.worst(in: id($0)) == nil })
    }

    @Test("Two folders that change places with each other are counted where they are")
    func ring() {
        var parents = [id(1): ItemID.root, id(2): id(1), id(3): id(2)]
        var concerns = FolderConcerns()
        _ = concerns.note([.init(item: id(3), parent: id(2), concern: .waiting)]) { parents[$0] }
        parents = [id(2): .root, id(1): id(2), id(3): id(1)]
        _ = concerns.note(
            (1...3).map { .init(item: id($0), parent: parents[id($0)], concern: $0 == 3 ? .paused : nil) }
        ) {
            parents[$0]
        }
        #expect((0...2).allSatisfy { concerns.worst(in: id($0)) == .paused })
        _ = concerns.note([.init(item: id(3), parent: nil, concern: nil)]) { parents[$0] }
        #expect((0...2).allSatisfy { concerns.worst(in: id($0)) == nil })
        // What is known of two moments leads round in a ring: nothing hangs.
        _ = concerns.note([.init(item: id(1), parent: id(2), concern: .error)]) { $0 == id(2) ? id(1) : nil }
        #expect(concerns.worst(in: id(2)) == nil)
    }

    @Test("After any moves and changes it is as if all had been counted anew")
    func random() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SplitMix64(seed: seed)
        let count = 40
        var parents: [ItemID: ItemID] = [:]
        var stated: [ItemID: ItemConcern] = [:]
        var concerns = FolderConcerns()
        for number in 1..<count { parents[id(number)] = id(numbers.below(number)) }
        func isInside(_ item: ItemID, _ folder: ItemID) -> Bool {
            var next: ItemID? = item
            while let at = next {
                if at == folder { return true }
                next = parents[at]
            }
            return false
        }
        for round in 0..<400 {
            let before = counted(parents, stated)
            var touched: Set<ItemID> = []
            for _ in 0...numbers.below(5) {
                let item = id(1 + numbers.below(count - 1))
                touched.insert(item)
                switch numbers.below(4) {
                case 0: stated[item] = nil
                case 1:
                    let folder = id(numbers.below(count))
                    guard !isInside(folder, item) else { continue }
                    parents[item] = folder
                default: stated[item] = ItemConcern.allCases[numbers.below(ItemConcern.allCases.count)]
                }
            }
            let changes = touched.map {
                FolderConcerns.Change(item: $0, parent: parents[$0], concern: stated[$0])
            }
            let told = concerns.note(changes) { parents[$0] }
            let after = counted(parents, stated)
            for number in 0..<count {
                let folder = id(number)
                #expect(
                    concerns.worst(in: folder) == after[folder],
                    "seed \(seed), round \(round), \(number)"
                )
                #expect(
                    told.contains(folder) == (before[folder] != after[folder]),
                    "seed \(seed), round \(round), \(number)"
                )
            }
        }
    }

    /// The worst in each folder, found by going up from each item.
    private func counted(
        _ parents: [ItemID: ItemID],
        _ stated: [ItemID: ItemConcern]
    ) -> [ItemID: ItemConcern] {
        var worst: [ItemID: ItemConcern] = [:]
        for (item, concern) in stated {
            var next = parents[item]
            while let folder = next {
                worst[folder] = max(worst[folder] ?? concern, concern)
                next = parents[folder]
            }
        }
        return worst
    }
}

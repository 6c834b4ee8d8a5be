import Cryptography
import Sealing
import Sync
import Testing

@Suite("RecoveryKey")
struct RecoveryKeyTests {
    private let world: SealingWorld
    private let key: RecoveryKey

    init() throws {
        world = try SealingWorld()
        key = try RecoveryKey(random: world.random.source)
    }

    @Test("What is on the paper can be typed in again, in any case and with any dashes")
    func typing() throws {
        for _ in 0..<20 {
            let key = try RecoveryKey(random: world.random.source)
            let groups = try key.groups()
            #expect(groups.count == RecoveryKey.groupCount && groups.allSatisfy { $0.count == 5 })
            for text in [
                groups.joined(separator: "-"), groups.joined(separator: " ").lowercased(),
                groups.joined().replacing("0", with: "O").replacing("1", with: "l"),
            ] {
                #expect(try RecoveryKey(typed: text) == key)
            }
        }
    }

    @Test("Each wrong sign, and each exchange of two, is found in its group")
    func mistyping() throws {
        let groups = try key.groups()
        for place in groups.indices {
            for sign in 0..<5 {
                for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZU" {
                    var wrong = Array(groups[place])
                    guard wrong[sign] != other else { continue }
                    wrong[sign] = other
                    #expect(mistyped(replacing(groups, place, String(wrong)))?.groups == [place + 1])
                }
                for second in 0..<sign where Array(groups[place])[sign] != Array(groups[place])[second] {
                    var wrong = Array(groups[place])
                    wrong.swapAt(sign, second)
                    #expect(mistyped(replacing(groups, place, String(wrong)))?.groups == [place + 1])
                }
            }
        }
    }

    @Test("Two groups that were exchanged are found, and missing ones are named")
    func groups() throws {
        let groups = try key.groups()
        for first in groups.indices {
            for second in 0..<first {
                var wrong = groups
                wrong.swapAt(first, second)
                #expect(mistyped(wrong)?.groups == [second + 1, first + 1])
            }
        }
        #expect(mistyped(Array(groups.dropLast(2)))?.groups == [12, 13])
        #expect(mistyped(groups + ["00000"])?.typedGroupCount == 14)
        #expect(mistyped([])?.groups.count == 13)
    }

    @Test("With the paper and the kit the keys are there again, and a new device can be added")
    func recovery() throws {
        let kit = try RecoveryKit(world.keys, under: key, random: world.random.source)
        let paper = try key.identity()
        var list = world.list
        try list.apply(
            list.adding(paper.publicIdentity(named: RecoveryKey.deviceName), by: world.phone),
            at: 3
        )
        // A key that came after the kit was made.
        var keys = world.keys
        let next = try keys.nextKey(list, random: world.random.source)
        try list.apply(list.revoking(world.pad.id, next: next, keys, by: world.phone), at: 4)
        try keys.add(next)
        let receiver = paper.publicIdentity(named: RecoveryKey.deviceName)
        let wrapped = try WrappedKeys(keys, for: receiver, by: world.phone, random: world.random.source)
        // All devices are lost.
        let typed = try RecoveryKey(typed: key.groups().joined())
        var found = try RecoveryKit(encoded: kit.encoded).open(with: typed)
        #expect(found == world.keys)
        try found.merge(WrappedKeys(encoded: wrapped.encoded).open(as: typed.identity(), list))
        #expect(found == keys)
        #expect(try list.sealingKey(of: found) == next)
        let statement = try list.adding(
            world.stranger.publicIdentity(named: "new phone"),
            by: typed.identity()
        )
        try list.apply(statement, at: 5)
        #expect(list.present.map(\.name).contains("new phone"))
    }

    @Test("Another paper opens no kit, nor does a damaged one open")
    func wrongPaper() throws {
        let kit = try RecoveryKit(world.keys, under: key, random: world.random.source)
        let other = try RecoveryKey(random: world.random.source)
        #expect(SealingError.Code.of { _ = try kit.open(with: other) } == .damagedOrExchanged)
        for index in kit.encoded.indices {
            var bytes = kit.encoded
            bytes[index] ^= 1
            #expect(SealingError.Code.of { _ = try RecoveryKit(encoded: bytes).open(with: key) } != nil)
            let cut = Array(kit.encoded.prefix(index))
            #expect(SealingError.Code.of { _ = try RecoveryKit(encoded: cut).open(with: key) } != nil)
        }
    }

    private func replacing(_ groups: [String], _ place: Int, _ group: String) -> [String] {
        var groups = groups
        groups[place] = group
        return groups
    }

    private func mistyped(_ groups: [String]) -> RecoveryKeyMistyped? {
        do { _ = try RecoveryKey(typed: groups.joined(separator: "-")) } catch {
            return error as? RecoveryKeyMistyped
        }
        return nil
    }
}

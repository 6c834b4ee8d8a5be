import Foundation
import SeededNumbers
import TestThreads
import Testing

@testable import DocumentFoundation

/// What is shown and told, without files and without a clock.
@Suite("MetadataQueryCore", .onOwnThreads)
struct MetadataQueryCoreTests {
    private typealias Core = MetadataQueryCore

    private static func live(interval: Double = 1, _ ids: [Int] = []) -> MetadataQueryCore {
        var core = Core(interval: interval)
        core.start()
        core.gathered(ids.map { Core.Match(id: $0) })
        core.finished()
        _ = core.tell(at: 0)
        return core
    }

    @Test("Start, progress and finish are told in order, and results are shown with each")
    func gathering() {
        var core = Core(interval: 1)
        core.start()
        #expect(core.tell(at: 10) == [.started])
        core.gathered([Core.Match(id: 0), Core.Match(id: 1)])
        #expect(core.shown.isEmpty)
        #expect(core.due() == 11)
        #expect(core.tell(at: 10.5).isEmpty)
        #expect(core.tell(at: 11) == [.progress])
        #expect(core.shown == [0, 1])
        core.gathered([Core.Match(id: 2)])
        core.finished()
        #expect(core.tell(at: 11.1) == [.finished])
        #expect(core.shown == [0, 1, 2])
        #expect(core.due() == nil)
    }

    @Test("The first update after a pause comes at once, the next one interval later, with all that happened")
    func batching() {
        var core = Self.live([0, 1])
        core.change(put: [Core.Match(id: 2)], drop: [])
        #expect(core.tell(at: 5) == [.updated(added: [2], changed: [], removed: [])])
        for id in 3..<1003 { core.change(put: [Core.Match(id: id)], drop: [0]) }
        core.change(put: [Core.Match(id: 1)], drop: [3])
        #expect(core.due() == 6)
        #expect(core.tell(at: 5.9).isEmpty)
        #expect(core.shown == [0, 1, 2])
        #expect(core.tell(at: 6) == [.updated(added: Array(4..<1003), changed: [1], removed: [0])])
    }

    @Test("While updates are disabled, however often, nothing is told and nothing moves")
    func disabled() {
        var core = Self.live([0])
        core.disable()
        core.disable()
        core.change(put: [Core.Match(id: 1)], drop: [0])
        #expect(core.due() == nil)
        core.enable()
        #expect(core.tell(at: 100).isEmpty)
        #expect(core.shown == [0])
        core.enable()
        #expect(core.tell(at: 100) == [.updated(added: [1], changed: [], removed: [0])])
    }

    @Test("What came and went between two updates is told in neither; what went and came back has changed")
    func cancelled() {
        var core = Self.live([0])
        core.change(put: [Core.Match(id: 1)], drop: [])
        core.change(put: [], drop: [1])
        #expect(core.due() == nil)
        core.change(put: [], drop: [0])
        core.change(put: [Core.Match(id: 0)], drop: [])
        #expect(core.tell(at: 9) == [.updated(added: [], changed: [0], removed: [])])
    }

    @Test("A stopped query shows what it found, and tells nothing")
    func stopped() {
        var core = Self.live([0])
        core.change(put: [Core.Match(id: 1)], drop: [])
        core.stop()
        #expect(core.shown == [0, 1])
        #expect(core.tell(at: 9).isEmpty)
        core.change(put: [Core.Match(id: 2)], drop: [])
        #expect(core.shown == [0, 1])
    }

    @Test("Any sequence of events shows and tells what a sort of everything says", arguments: [false, true])
    func oracle(_ isSorted: Bool) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SplitMix64(seed: seed)
        for round in 0..<30 {
            let order: Core.Order = { $0[0].sortOrder(before: $1[0]) == .orderedDescending }
            var core = Core(interval: 1, comesFirst: isSorted ? order : nil)
            var oracle = Oracle(isSorted: isSorted)
            core.start()
            let first = (0..<numbers.below(200)).map { Oracle.match($0, &numbers) }
            core.gathered(first)
            core.finished()
            oracle.change(put: first, drop: [])
            _ = core.tell(at: 0)
            oracle.show()
            var now = 0.0
            for step in 0..<40 {
                now += Double(numbers.below(100)) / 50
                switch numbers.below(8) {
                case 0:
                    core.disable()
                    oracle.disabled += 1
                case 1 where oracle.disabled > 0:
                    core.enable()
                    oracle.disabled -= 1
                default:
                    let size = numbers.below(10) == 0 ? 150 : 5
                    let put = Set((0..<numbers.below(size)).map { _ in numbers.below(300) })
                        .sorted().map { Oracle.match($0, &numbers) }
                    let drop = Set((0..<numbers.below(size)).map { _ in numbers.below(300) })
                        .subtracting(put.map(\.id))
                    core.change(put: put, drop: drop)
                    oracle.change(put: put, drop: drop)
                }
                let told = core.tell(at: now)
                if told.isEmpty {
                    #expect(oracle.mayBeSilent(at: now), "seed \(seed), round \(round), step \(step)")
                } else {
                    #expect(told == [oracle.update()], "seed \(seed), round \(round), step \(step)")
                    oracle.lastToldAt = now
                    oracle.show()
                }
                #expect(core.shown == oracle.shown, "seed \(seed), round \(round), step \(step)")
            }
        }
    }

    /// The same by brute force.
    private struct Oracle {
        let isSorted: Bool
        var matches: [Int: Core.SortValues] = [:]
        var touched: Set<Int> = []
        var shown: [Int] = []
        var disabled = 0
        var lastToldAt = -Double.infinity

        static func match(_ id: Int, _ numbers: inout SplitMix64) -> Core.Match {
            Core.Match(id: id, sortValues: [.integer(Int64(numbers.below(20)))])
        }

        mutating func change(put: [Core.Match], drop: Set<Int>) {
            for match in put { matches[match.id] = match.sortValues }
            for id in drop { matches[id] = nil }
            touched.formUnion(put.map(\.id))
        }

        var sorted: [Int] {
            guard isSorted else { return matches.keys.sorted() }
            return matches.sorted { first, second in
                let order = first.value[0].sortOrder(before: second.value[0])
                return order == .orderedSame ? first.key < second.key : order == .orderedDescending
            }.map(\.key)
        }

        func update() -> Core.Announcement {
            let (old, new) = (Set(shown), Set(matches.keys))
            return .updated(
                added: new.subtracting(old).sorted(),
                changed: new.intersection(old).intersection(touched).sorted(),
                removed: old.subtracting(new).sorted()
            )
        }

        func mayBeSilent(at now: Double) -> Bool {
            disabled > 0 || now < lastToldAt + 1 || update() == .updated(added: [], changed: [], removed: [])
        }

        mutating func show() {
            shown = sorted
            touched = []
        }
    }
}

import SeededNumbers
import Testing

@testable import ChangeSets

@Suite("A number that a device has given twice")
struct NumbersTwiceTests {
    /// Two changes that a phone makes under one number, as its copy was put back in between.
    struct Twice: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let first: Change
        let second: Change
    }

    enum Change: Sendable {
        case set(String, String)
        case insert(String)
        case increment(Int64)
        case text(String)
        case deletion
        case addition(String)
    }

    private static let twice = [
        Twice(testDescription: "one value", first: .set("title", "X"), second: .set("title", "Y")),
        Twice(testDescription: "two properties", first: .set("title", "X"), second: .set("url", "Y")),
        Twice(testDescription: "elements", first: .insert("X"), second: .insert("Y")),
        Twice(testDescription: "a counter", first: .increment(2), second: .increment(3)),
        Twice(testDescription: "other letters", first: .text("seaX"), second: .text("seaY")),
        Twice(testDescription: "more letters", first: .text("seaX"), second: .text("seaXY")),
        Twice(testDescription: "a value and letters", first: .set("title", "X"), second: .text("seaY")),
        Twice(testDescription: "two objects", first: .addition("2"), second: .addition("3")),
        Twice(testDescription: "a deletion", first: .deletion, second: .set("title", "Y")),
    ]

    private let base: Replica

    init() throws {
        var phone = Replica(device: Fleet.device(1))
        let first = [
            PropertyChange("title", .set(.text("old"))), PropertyChange("tags", .insert(.text("old"))),
            PropertyChange("count", .increment(1)),
            PropertyChange("notes", try #require(Replica.splice(of: "sea"))),
        ]
        try phone.record(.add, "B", "1", first, at: 1)
        base = phone
    }

    private func changed(_ replica: Replica, _ change: Change, at time: UInt64) throws -> Replica {
        // What was put back is read from its state.
        var copy = try Replica(state: replica.encodedState(), device: replica.device)
        switch change {
        case .set(let property, let text):
            let edit = PropertyChange(property, .set(.text(text)))
            try copy.record(.modify, "B", "1", [edit], at: time)
        case .insert(let text):
            try copy.record(.modify, "B", "1", [PropertyChange("tags", .insert(.text(text)))], at: time)
        case .increment(let number):
            try copy.record(.modify, "B", "1", [PropertyChange("count", .increment(number))], at: time)
        case .text(let text):
            let edit = try #require(copy.splice(of: "notes", "B", "1", to: text))
            try copy.record(.modify, "B", "1", [PropertyChange("notes", edit)], at: time)
        case .deletion: try copy.record(.delete, "B", "1", at: time)
        case .addition(let id): try copy.record(.add, "B", id, at: time)
        }
        return copy
    }

    private func isFoundOut(_ first: Replica, _ second: Replica) throws -> Bool {
        let outcomes = [(first, second), (second, first)].map { left, right in
            let error = #expect(throws: ChangeSetError.self) {
                try Replica.mergedState(left.encodedState(), right.encodedState())
            }
            var joined = left
            #expect(throws: ChangeSetError.self) { try joined.merge(state: right.encodedState()) }
            #expect(joined.encodedState() == left.encodedState())
            return error?.code == .deviceUsedTwice
        }
        return outcomes == [true, true]
    }

    @Test(
        "States with two changes of one number are not joined: neither has seen the other",
        arguments: twice
    )
    func twoChanges(_ twice: Twice) throws {
        let first = try changed(base, twice.first, at: 10)
        let second = try changed(base, twice.second, at: 20)
        #expect(try isFoundOut(first, second))
    }

    @Test("Nor if both were made at one time, as by a clock that goes after a faster one", arguments: twice)
    func oneTime(_ twice: Twice) throws {
        let first = try changed(base, twice.first, at: 10)
        let second = try changed(base, twice.second, at: 10)
        #expect(try isFoundOut(first, second))
    }

    @Test("A change is found out whose place another device has taken, and one of which more came after it")
    func replaced() throws {
        let first = try changed(base, .set("title", "X"), at: 10)
        var desktop = try Replica(state: first.encodedState(), device: Fleet.device(2))
        let edit = PropertyChange("title", .set(.text("Z")))
        try desktop.record(.modify, "B", "1", [edit], at: 11)
        let second = try changed(base, .set("title", "Y"), at: 20)
        #expect(try isFoundOut(desktop, second))
        let more = try changed(second, .set("url", "Y"), at: 30)
        #expect(try isFoundOut(first, more))
    }

    @Test("Whatever is done under one number, both is found out or nothing of it is lost")
    func random() throws {
        var foundCount = 0
        for seed in UInt64(1)...300 {
            var fleet = Fleet(3, seed: seed)
            try fleet.run(steps: 20)
            let device = fleet.replicas[0].device
            fleet.replicas[0] = try Replica(
                state: fleet.replicas[0].encodedState(),
                device: device,
                deletionRules: fleet.rules
            )
            let count = fleet.replicas[0].vector[device]
            var (one, other) = (fleet, fleet)
            other.numbers = SplitMix64(seed: seed + 100_000)
            try one.edit(0)
            try other.edit(0)
            let states = [one, other].map { $0.replicas[0].encodedState() }
            do {
                let joined = try Replica.mergedState(states[0], states[1])
                #expect(try Replica.mergedState(states[1], states[0]) == joined, "seed \(seed)")
                let all = try Replica(reading: joined, deletionRules: [:]).newParts(of: device, after: count)
                for fleet in [one, other] {
                    let parts = fleet.replicas[0].newParts(of: device, after: count)
                    #expect(parts.isSubset(of: all), "seed \(seed)")
                }
            } catch {
                foundCount += 1
                #expect(error.code == .deviceUsedTwice, "seed \(seed)")
                #expect(throws: ChangeSetError.self, "seed \(seed)") {
                    try Replica.mergedState(states[1], states[0])
                }
            }
            // Later, the same number of changes each: the last one of each is there.
            other.pass(milliseconds: 100_000_000)
            for _ in 0...fleet.numbers.below(3) {
                try one.edit(0)
                try other.edit(0)
            }
            #expect(try isFoundOut(one.replicas[0], other.replicas[0]), "seed \(seed)")
        }
        #expect(foundCount > 100)
    }
}

extension Replica {
    /// What is left of a device's changes after a number.
    fileprivate func newParts(of device: DeviceID, after count: UInt64) -> Set<String> {
        var parts: Set<String> = []
        guard let number = contents.matrix.number(of: device) else { return parts }
        for object in contents.objects.indices where contents.exists(object) {
            let name = reference(to: object)
            contents.forEachRegister(of: object) { register in
                let property = contents.names[Int(contents.registers[register].property)]
                contents.entries.forEach(from: contents.registers[register].entries) { entry in
                    guard entry.device == number, entry.sequence > count else { return }
                    parts.insert("\(name) \(property) \(entry.kind) \(entry.value)")
                }
                for scalar in contents.texts[Int32(register)]?.scalars ?? []
                where scalar.name.device == number && scalar.name.sequence > count {
                    parts.insert("\(name) \(property) \(scalar.name.offset) \(scalar.scalar)")
                }
            }
        }
        return parts
    }
}

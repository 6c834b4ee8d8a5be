import Testing

@testable import ChangeSets

@Suite("Times at their limit")
struct LastTimeTests {
    private static let tooLate: [UInt64] = [HybridTime.bitsMax + 1, (1 << 63) - 1]
    private let sender = Fleet.device(2)

    /// What a device sends that says that it made a change at some time.
    private func batch(at time: UInt64) -> [UInt8] {
        var encoder = BatchEncoder()
        encoder.beginRun(sender, 1, 1)
        encoder.append(
            ChangeSet(
                action: .add,
                objectType: "B",
                objectID: "1",
                changes: [],
                device: sender,
                sequence: 1,
                time: HybridTime(bits: time),
                seen: VersionVector()
            )
        )
        return encoder.finish(nil)
    }

    /// What a device sends that has nothing, and says what its clock says.
    private func report(at time: UInt64) -> [UInt8] {
        var encoder = BatchEncoder()
        return encoder.finish((sender, time, VersionVector()))
    }

    private func state(at time: UInt64) -> [UInt8] {
        var replica = Replica(device: sender)
        replica.contents.matrix.noteHeard(replica.own, time)
        return replica.encodedState()
    }

    private func expectReadable(_ replica: Replica) throws {
        let batch = try #require(replica.encodedChanges(since: VersionVector()))
        #expect(try ChangeSetCoding.decode(batch) == replica.changeSets(since: VersionVector()))
        let state = replica.encodedState()
        #expect(try Replica(state: state, device: replica.device).encodedState() == state)
        var other = Replica(device: Fleet.device(3))
        try other.apply(batch)
        #expect(other.picture == replica.picture)
    }

    @Test("A time after the last one is taken from nobody, and devices go on without it")
    func refused() throws {
        for time in Self.tooLate {
            var replica = Replica(device: Fleet.device(1))
            #expect(throws: ChangeSetError.self) { try replica.apply(batch(at: time)) }
            #expect(throws: ChangeSetError.self) { try replica.apply(report(at: time)) }
            #expect(throws: ChangeSetError.self) { try replica.merge(state: state(at: time)) }
            #expect(throws: ChangeSetError.self) {
                try Replica(state: state(at: time), device: Fleet.device(1))
            }
            #expect(replica.vector == VersionVector())
            try replica.record(.add, "Bookmark", "1", at: 1_790_000_000_000)
            try expectReadable(replica)
        }
    }

    @Test("Who has seen the last time of all records nothing more, and all that it has can be read")
    func last() throws {
        let last = HybridTime.bitsMax
        for way in 0..<3 {
            var replica = Replica(device: Fleet.device(1))
            try replica.record(.add, "Bookmark", "1", at: 1_790_000_000_000)
            switch way {
            case 0: try replica.apply(batch(at: last))
            case 1: try replica.apply(report(at: last))
            default: try replica.merge(state: state(at: last))
            }
            let vector = replica.vector
            #expect {
                try replica.record(.modify, "Bookmark", "1", at: 1_790_000_000_001)
            } throws: {
                ($0 as? ChangeSetError)?.code == .beyondLimit
            }
            #expect(replica.vector == vector)
            try expectReadable(replica)
        }
    }

    @Test("What an app records with microseconds for milliseconds is read by others, who write after it")
    func microseconds() throws {
        var replica = Replica(device: Fleet.device(1))
        try replica.record(.add, "Bookmark", "1", at: 1_790_000_000_000_000)
        try replica.record(.add, "Bookmark", "2", at: .max)
        var other = Replica(device: sender)
        try other.apply(try #require(replica.encodedChanges(since: VersionVector())))
        let name = PropertyChange("name", .set(.text("Sea")))
        try other.record(.modify, "Bookmark", "1", [name], at: 1_790_000_000_000)
        try replica.apply(try #require(other.encodedChanges(since: replica.vector)))
        #expect(replica.value(of: "name", "Bookmark", "1") == .text("Sea"))
        try expectReadable(replica)
        try expectReadable(other)
    }

    @Test("A device's changes end with the last number of all, and a run of more is refused")
    func lastNumber() throws {
        var replica = Replica(device: Fleet.device(1))
        replica.contents.matrix.noteApplied(replica.own, ChangeLimits.sequenceMax, 1)
        #expect {
            try replica.record(.add, "Bookmark", "1", at: 1)
        } throws: {
            ($0 as? ChangeSetError)?.code == .beyondLimit
        }
        var encoder = BatchEncoder()
        encoder.beginRun(sender, ChangeLimits.sequenceMax, 2)
        for more in UInt64(0)...1 {
            encoder.append(
                ChangeSet(
                    action: .add,
                    objectType: "B",
                    objectID: "1",
                    changes: [],
                    device: sender,
                    sequence: ChangeLimits.sequenceMax + more,
                    time: HybridTime(bits: 1 + more),
                    seen: VersionVector()
                )
            )
        }
        let batch = encoder.finish(nil)
        #expect(throws: ChangeSetError.self) { try ChangeSetCoding.decode(batch) }
    }
}

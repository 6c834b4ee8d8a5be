import Testing

@testable import ChangeSets

@Suite("Replica")
struct ReplicaTests {
    private var phone = Replica(device: Fleet.device(1))
    private var desktop = Replica(device: Fleet.device(2))
    private var tablet = Replica(device: Fleet.device(3))
    private static let start: UInt64 = 1_790_000_000_000
    private static let day: UInt64 = 86_400_000

    private func name(_ text: String) -> [PropertyChange] { [PropertyChange("name", .set(.text(text)))] }

    @Test("A change is applied once, however often it comes")
    mutating func once() throws {
        let change = try phone.record(.add, "B", "1", [PropertyChange("n", .increment(5))], at: 1)
        #expect(try desktop.apply([change]).appliedCount == 1)
        let again = try desktop.apply([change])
        #expect(again.appliedCount == 0)
        #expect(again.repeatedCount == 1)
        #expect(desktop.value(of: "n", "B", "1") == .integer(5))
    }

    @Test("A change waits for what it rests on, its device's own and others'")
    mutating func waiting() throws {
        let first = try phone.record(.add, "B", "1", name("a"), at: 1)
        try desktop.apply([first])
        let second = try desktop.record(.modify, "B", "1", name("b"), at: 2)
        let third = try desktop.record(.modify, "B", "1", name("c"), at: 3)
        #expect(try tablet.apply([third]).appliedCount == 0)
        #expect(try tablet.apply([second]).appliedCount == 0)
        #expect(tablet.waitingCount == 2)
        let outcome = try tablet.apply([first])
        #expect(outcome.appliedCount == 3)
        #expect(outcome.objects == [Replica.ObjectReference(type: "B", id: "1")])
        #expect(tablet.waitingCount == 0)
        #expect(tablet.value(of: "name", "B", "1") == .text("c"))
        #expect(tablet.conflicts.isEmpty)
    }

    @Test("Two copies under one device's id are found out")
    mutating func deviceUsedTwice() throws {
        var copy = phone
        let change = try phone.record(.add, "B", "1", at: 1)
        let other = try copy.record(.add, "B", "2", at: 2)
        try desktop.apply([change])
        #expect { try desktop.apply([other]) } throws: { ($0 as? ChangeSetError)?.code == .deviceUsedTwice }
        #expect(!desktop.contains("B", "2"))
    }

    @Test("A change tells what its device has seen since the one before, and no more")
    mutating func seen() throws {
        try desktop.apply([try phone.record(.add, "B", "1", at: 1)])
        let first = try desktop.record(.modify, "B", "1", name("a"), at: 2)
        let second = try desktop.record(.modify, "B", "1", name("b"), at: 3)
        #expect(first.seen.devices == [phone.device])
        #expect(first.seen[phone.device] == 1)
        #expect(second.seen == VersionVector())
    }

    @Test("What is not there is neither modified nor deleted")
    mutating func missing() throws {
        for action in [ChangeSet.Action.modify, .delete] {
            #expect { try phone.record(action, "B", "1", at: 1) } throws: {
                ($0 as? ChangeSetError)?.code == .objectMissing
            }
        }
        #expect(phone.vector == VersionVector())
    }

    @Test("The last writer wins; both values are told until one has seen them")
    mutating func conflict() throws {
        let add = try phone.record(.add, "B", "1", name("a"), at: 1)
        try desktop.apply([add])
        let here = try phone.record(.modify, "B", "1", name("phone"), at: 9)
        let there = try desktop.record(.modify, "B", "1", name("desktop"), at: 8)
        try phone.apply([there])
        try desktop.apply([here])
        for replica in [phone, desktop] {
            #expect(replica.value(of: "name", "B", "1") == .text("phone"))
            let conflict = try #require(replica.conflicts.first)
            guard case .values("name", let sides) = conflict.kind else { throw TestFailure(conflict) }
            #expect(sides.map(\.value) == [.text("desktop"), .text("phone")])
            #expect(replica.value(of: "name", "B", "1", merging: { .list($0) }) == .list(sides.map(\.value)))
        }
        try desktop.apply([try phone.record(.modify, "B", "1", name("both"), at: 10)])
        #expect(desktop.conflicts.isEmpty)
        #expect(desktop.value(of: "name", "B", "1") == .text("both"))
    }

    @Test("A deletion and an edit that knew nothing of each other end by the type's rule, and are told")
    func deletionRules() throws {
        for (rule, isThere) in [(DeletionRule.editWins, true), (.deletionWins, false), (.latestWins, false)] {
            var phone = Replica(device: Fleet.device(1), deletionRules: ["B": rule])
            var desktop = Replica(device: Fleet.device(2), deletionRules: ["B": rule])
            try desktop.apply([try phone.record(.add, "B", "1", name("a"), at: 1)])
            let edit = try desktop.record(.modify, "B", "1", name("b"), at: 2)
            let deletion = try phone.record(.delete, "B", "1", at: 3)
            try phone.apply([edit])
            try desktop.apply([deletion])
            for replica in [phone, desktop] {
                #expect(replica.contains("B", "1") == isThere, "\(rule)")
                #expect(replica.conflicts.count == 1, "\(rule)")
                switch replica.conflicts.first?.kind {
                case .deletionLost(let sides): #expect(isThere && sides.map(\.device) == [phone.device])
                case .editsLost(let sides, let properties):
                    #expect(!isThere && sides.map(\.device) == [desktop.device])
                    #expect(properties == ["name": .text("b")])
                default: Issue.record("\(rule): \(replica.conflicts)")
                }
            }
            #expect(phone.conflicts == desktop.conflicts)
        }
    }

    @Test(
        "The log keeps what a device lacks for five days; after that it is handed the state, and loses nothing"
    )
    mutating func eviction() throws {
        let add = try phone.record(.add, "B", "1", name("a"), at: Self.start)
        try desktop.apply([add])
        let fromDesktop = try desktop.record(
            .modify,
            "B",
            "1",
            [PropertyChange("x", .set(.none))],
            at: Self.start
        )
        try phone.apply([fromDesktop])
        try phone.record(.modify, "B", "1", name("b"), at: Self.start + 1)
        #expect(phone.compact(at: Self.start + 4 * Self.day) == 2)
        #expect(phone.encodedChanges(since: desktop.vector) != nil)
        #expect(phone.compact(at: Self.start + 6 * Self.day, notWaitingAfter: nil) == 0)
        #expect(phone.compact(at: Self.start + 6 * Self.day) == 1)
        #expect(phone.encodedChanges(since: desktop.vector) == nil)
        #expect(phone.changeSets(since: desktop.vector) == nil)
        let late = try desktop.record(
            .modify,
            "B",
            "1",
            [PropertyChange("y", .set(.flag(true)))],
            at: Self.start + 2
        )
        let state = phone.encodedState()
        try phone.apply([late])
        try desktop.merge(state: state)
        for replica in [phone, desktop] {
            #expect(
                replica.object("B", "1") == ["name": .text("b"), "x": ChangeValue.none, "y": .flag(true)]
            )
        }
    }

    @Test("A device that only reads tells what it has seen, so that it is not waited for")
    mutating func report() throws {
        try phone.record(.add, "B", "1", at: Self.start)
        try desktop.apply(try #require(phone.encodedChanges(since: desktop.vector)))
        #expect(phone.compact(at: Self.start, notWaitingAfter: nil) == 1)
        try phone.record(.add, "B", "2", at: Self.start)
        try phone.apply(try #require(desktop.encodedChanges(since: phone.vector)))
        #expect(phone.compact(at: Self.start, notWaitingAfter: nil) == 0)
        try desktop.apply(try #require(phone.encodedChanges(since: desktop.vector)))
        try phone.apply(try #require(desktop.encodedChanges(since: phone.vector)))
        #expect(phone.compact(at: Self.start, notWaitingAfter: nil) == 1)
    }

    @Test("What is left of a deleted object goes when all have seen the deletion, and does not come back")
    mutating func purge() throws {
        try phone.record(.add, "B", "1", name("a"), at: 1)
        try desktop.apply(try #require(phone.encodedChanges(since: desktop.vector)))
        try desktop.record(.delete, "B", "1", at: 2)
        let before = phone.encodedState()
        try phone.apply(try #require(desktop.encodedChanges(since: phone.vector)))
        #expect(phone.purgeDeleted() == 1)
        #expect(phone.purgeDeleted() == 0)
        #expect(desktop.purgeDeleted() == 0)
        try phone.merge(state: before)
        try phone.merge(state: desktop.encodedState())
        #expect(!phone.contains("B", "1"))
        try desktop.merge(state: phone.encodedState())
        #expect(!desktop.contains("B", "1"))
        #expect(phone.dataBytes == desktop.dataBytes)
    }

    @Test("A file of its own for each device carries the changes; a torn frame is left out")
    mutating func files() throws {
        try phone.record(.add, "B", "1", name("a"), at: 1)
        var file = phone.encodedFile()
        try phone.record(.modify, "B", "1", name("b"), at: 2)
        let frame = try #require(phone.encodedFileAddition(after: 1))
        let torn = try ChangeFile(file + frame.dropLast())
        #expect(torn.frames.count == 1)
        #expect(torn.intactByteCount == file.count)
        try desktop.merge(torn)
        #expect(desktop.value(of: "name", "B", "1") == .text("a"))
        file += frame
        try desktop.merge(ChangeFile(file))
        #expect(desktop.value(of: "name", "B", "1") == .text("b"))
        try phone.apply(try #require(desktop.encodedChanges(since: phone.vector)))
        #expect(phone.compact(at: 3) == 2)
        #expect(phone.encodedFileAddition(after: 1) == nil)
        let rewritten = try ChangeFile(phone.encodedFile())
        guard case .state = rewritten.frames.first else { throw TestFailure(rewritten) }
        try tablet.merge(rewritten)
        #expect(tablet.value(of: "name", "B", "1") == .text("b"))
        #expect(throws: ChangeSetError.self) { try ChangeFile(Array("sheafchg".utf8)) }
    }

    @Test("A state that was damaged changes nothing")
    mutating func damagedState() throws {
        try phone.record(.add, "B", "1", name("a"), at: 1)
        let state = phone.encodedState()
        #expect(throws: ChangeSetError.self) { try desktop.merge(state: state.dropLast()) }
        #expect(throws: ChangeSetError.self) { try desktop.merge(state: state + [0]) }
        #expect(desktop.vector == VersionVector())
    }
}

private struct TestFailure: Error {
    let found: String

    init(_ found: some Any) {
        self.found = "\(found)"
    }
}

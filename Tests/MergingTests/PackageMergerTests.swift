import ChangeSets
import Foundation
import SeededNumbers
import Testing

@testable import Merging

@Suite("PackageMerger")
struct PackageMergerTests {
    private let merger = PackageMerger { path in
        switch path.last?.split(separator: ".").last {
        case "txt": TextMerger()
        case "json": JSONMerger()
        default: BytesMerger()
        }
    }

    private func file(_ text: String) -> PackageTree { .file(Array(text.utf8)) }

    @discardableResult
    private func merge(
        _ base: PackageTree?,
        _ mine: PackageTree?,
        _ theirs: PackageTree?,
        _ comment: Comment = ""
    ) -> MergedPackage {
        for version in [mine, theirs] {
            #expect(merger.merge(base: base, mine: version, theirs: base).contents == version, comment)
            #expect(merger.merge(base: base, mine: base, theirs: version).contents == version, comment)
            #expect(merger.merge(base: base, mine: version, theirs: version).contents == version, comment)
        }
        let merged = merger.merge(base: base, mine: mine, theirs: theirs)
        let other = merger.merge(base: base, mine: theirs, theirs: mine)
        #expect(merged.contents == other.contents, comment)
        #expect(merged.conflicts.map(\.swapped) == other.conflicts, comment)
        return merged
    }

    @Test("Each member is merged by its own type; members that one side touched always merge")
    func members() {
        let base = PackageTree.folder([
            "a.txt": file("one\ntwo\n"), "b.json": file("{\"k\":1}"), "c.png": file("x"),
        ])
        let mine = PackageTree.folder([
            "a.txt": file("ONE\ntwo\n"), "b.json": file("{\"k\":1,\"m\":2}"), "c.png": file("x"),
            "new.png": file("n"),
        ])
        let theirs = PackageTree.folder([
            "a.txt": file("one\nTWO\n"), "b.json": file("{\"k\":3}"), "c.png": file("y"),
        ])
        let merged = merge(base, mine, theirs)
        #expect(
            merged.contents
                == .folder([
                    "a.txt": file("ONE\nTWO\n"), "b.json": file("{\"k\":3,\"m\":2}"), "c.png": file("y"),
                    "new.png": file("n"),
                ])
        )
        #expect(merged.conflicts.isEmpty)
    }

    @Test("A link that leads to a name in another form of Unicode is another one")
    func linkForms() {
        let (composed, decomposed) = (PackageTree.link("\u{E9}.png"), PackageTree.link("e\u{301}.png"))
        #expect(composed != decomposed)
        let merged = merge(.folder(["l": composed]), .folder(["l": decomposed]), .folder(["l": composed]))
        #expect(merged.contents == .folder(["l": decomposed]) && merged.conflicts.isEmpty)
        let both = merge(.folder(["l": .link("x")]), .folder(["l": composed]), .folder(["l": decomposed]))
        #expect(both.conflicts.map(\.place) == [[.member("l")]])
    }

    @Test("Two different images are a conflict at their place; the greater bytes stand")
    func images() {
        let merged = merge(
            .folder(["i": .folder(["c.png": file("x")])]),
            .folder(["i": .folder(["c.png": file("y")])]),
            .folder(["i": .folder(["c.png": file("z")])])
        )
        #expect(merged.contents == .folder(["i": .folder(["c.png": file("z")])]))
        #expect(merged.conflicts.map(\.place) == [[.member("i"), .member("c.png")]])
        #expect(merged.conflicts.first?.mine?.text == "y")
    }

    @Test("What one side took away and the other one changed stays; what was not changed goes")
    func deletions() {
        let base = PackageTree.folder(["d": .folder(["a": file("1"), "b": file("2")]), "e": file("3")])
        let merged = merge(
            base,
            .folder([:]),
            .folder(["d": .folder(["a": file("9"), "b": file("2")]), "e": file("3")])
        )
        #expect(merged.contents == .folder(["d": .folder(["a": file("9")])]))
        #expect(merged.conflicts.count == 1)
        #expect(merged.conflicts.first?.standing == .theirs)
        #expect(merged.conflicts.first?.mine == nil)
    }

    @Test("A member that became something else is a conflict as a whole, when the other side changed it")
    func kinds() {
        let merged = merge(
            .folder(["a": file("1")]),
            .folder(["a": .folder(["x": file("new")])]),
            .folder(["a": file("2")])
        )
        #expect(merged.contents == .folder(["a": .folder(["x": file("new")])]))
        #expect(merged.conflicts.first?.theirs?.text == "2")
        #expect(
            merge(.folder(["a": .link("x")]), .folder(["a": .link("y")]), .folder(["a": .link("z")]))
                .conflicts.count == 1
        )
    }

    @Test("The laws hold for random packages, and no new bytes disappear")
    func random() {
        for seed in UInt64(1)...120 {
            var numbers = SplitMix64(seed: seed)
            let base = Self.folder(&numbers, depth: 2)
            let (mine, theirs) = (Self.edited(base, "m", &numbers), Self.edited(base, "t", &numbers))
            let merged = merge(base, mine, theirs, "seed \(seed)")
            let told =
                Self.bytes(merged.contents)
                + merged.conflicts.map { ($0.mine?.text ?? "") + ($0.theirs?.text ?? "") }.joined()
            for word in (Self.bytes(mine) + Self.bytes(theirs)).split(separator: " ") where word.contains("#")
            {
                #expect(told.contains(word), "seed \(seed): \(word)")
            }
        }
    }

    @Test("A name in another form of Unicode is another name, whichever side has it")
    func forms() {
        let (composed, decomposed): (MemberName, MemberName) = ("\u{E9}.txt", "e\u{301}.txt")
        let base = PackageTree.folder([composed: file("1"), "z.txt": file("z")])
        let renamed = merge(
            base,
            .folder([composed: file("1"), "z.txt": file("Z")]),
            .folder([decomposed: file("1"), "z.txt": file("z")])
        )
        #expect(renamed.contents == .folder([decomposed: file("1"), "z.txt": file("Z")]))
        #expect(renamed.contents != .folder([composed: file("1"), "z.txt": file("Z")]))
        #expect(renamed.conflicts.isEmpty)
        let both = PackageTree.folder([composed: file("1"), decomposed: file("2")])
        let edited = merge(
            both,
            .folder([composed: file("one"), decomposed: file("2")]),
            .folder([composed: file("1"), decomposed: file("two")])
        )
        #expect(edited.contents == .folder([composed: file("one"), decomposed: file("two")]))
        #expect(edited.conflicts.isEmpty)
    }

    private static let names: [MemberName] = [
        "a.txt", "b.png", "c.json", "d", "e", "\u{E9}.txt", "e\u{301}.txt",
    ]

    private static func folder(_ numbers: inout SplitMix64, depth: Int) -> PackageTree {
        var members: [MemberName: PackageTree] = [:]
        for name in names where numbers.below(2) == 0 {
            let isFolder = depth > 0 && numbers.below(3) == 0
            members[name] =
                isFolder ? folder(&numbers, depth: depth - 1) : .file(Array("old \(numbers.below(3)) ".utf8))
        }
        return .folder(members)
    }

    private static func edited(_ tree: PackageTree, _ tag: String, _ numbers: inout SplitMix64) -> PackageTree
    {
        guard case .folder(var members) = tree else {
            return numbers.below(3) == 0 ? .file(Array(" \(tag)#\(numbers.below(1_000_000)) ".utf8)) : tree
        }
        for name in names {
            if let member = members[name] {
                members[name] = numbers.below(5) == 0 ? nil : edited(member, tag, &numbers)
            } else if numbers.below(4) == 0 {
                members[name] = .file(Array(" \(tag)#\(numbers.below(1_000_000)) ".utf8))
            }
        }
        return .folder(members)
    }

    private static func bytes(_ tree: PackageTree?) -> String {
        switch tree {
        case .file(let bytes): String(decoding: bytes, as: UTF8.self)
        case .folder(let members): members.keys.sorted().map { bytes(members[$0]) }.joined()
        case .link, nil: ""
        }
    }
}

@Suite("ReplicaMerger")
struct ReplicaMergerTests {
    private let merger = ReplicaMerger()

    @Test("States of replicas join, and what lost is told")
    func states() throws {
        var phone = Replica(device: DeviceID(UUID()))
        try phone.record(.add, "B", "1", [PropertyChange("name", .set(.text("a")))], at: 1)
        let base = phone.encodedState()
        var desktop = try Replica(state: base, device: DeviceID(UUID()))
        try phone.record(.modify, "B", "1", [PropertyChange("name", .set(.text("p")))], at: 9)
        try desktop.record(.modify, "B", "1", [PropertyChange("name", .set(.text("d")))], at: 8)
        try desktop.record(.add, "B", "2", at: 9)
        let merged = lawfulMerge(merger, base, phone.encodedState(), desktop.encodedState())
        let replica = try Replica(state: merged.contents, device: DeviceID(UUID()))
        #expect(replica.value(of: "name", "B", "1") == .text("p"))
        #expect(replica.contains("B", "2"))
        let conflict = try #require(merged.conflicts.first)
        #expect(merged.conflicts.count == 1)
        #expect(conflict.place == [.object(type: "B", id: "1"), .key("name")])
        #expect(conflict.standing == .mine)
        #expect(conflict.theirs?.bytes == ChangeSetCoding.encode(.text("d")))
        #expect(conflict.base?.bytes == ChangeSetCoding.encode(.text("a")))
    }

    @Test("States of a device that was put back, and goes on under its old id, are a conflict as a whole")
    func putBack() throws {
        var phone = Replica(device: DeviceID(UUID()))
        try phone.record(.add, "B", "1", [PropertyChange("title", .set(.text("a")))], at: 1)
        let base = phone.encodedState()
        let states = try ["X", "Y"].map { text in
            var copy = try Replica(state: base, device: phone.device)
            try copy.record(.modify, "B", "1", [PropertyChange("title", .set(.text(text)))], at: 9)
            return copy.encodedState()
        }
        let merged = lawfulMerge(merger, base, states[0], states[1])
        #expect(merged.conflicts.map(\.place) == [[]])
        #expect(states.contains(merged.contents))
    }

    @Test("What is no state is a conflict as a whole")
    func broken() {
        #expect(lawfulMerge(merger, [1], [2], [3]).conflicts.count == 1)
    }
}

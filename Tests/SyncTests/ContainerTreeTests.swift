import Testing

@testable import Sync

/// What cannot stand together in a container is put right alike by all who read its log.
@Suite("Sync: container tree")
struct ContainerTreeTests {
    private let first = ItemID(1, 1)
    private let second = ItemID(1, 2)
    private let third = ItemID(1, 3)

    /// The tree that commits come to, none of them refused.
    ///
    /// - Parameter isAlone: Whether one device makes all of them; else each item has a device of its own.
    private func tree(_ states: [(ItemID, ItemState?)], isAlone: Bool = false) throws -> ContainerTree {
        var (log, tree) = (ContainerLog(), ContainerTree())
        for (number, (item, state)) in states.enumerated() {
            let id = Commit.ID(DeviceID(isAlone ? 1 : item.low), session: 1, UInt64(number + 1))
            #expect(log.offer(Commit(id, item, on: tree.revision(of: item), state)) == .accepted(log.head))
            for entry in log.entries(after: tree.position) { _ = tree.read(entry) }
        }
        return tree
    }

    private func folder(_ parent: ItemID, _ name: String) -> ItemState {
        ItemState(.folder, at: ItemPlace(parent, name))
    }

    /// With contents like no other's.
    private func document(_ parent: ItemID, _ name: String, _ content: String? = nil) -> ItemState {
        ItemState(
            .document,
            at: ItemPlace(parent, name),
            content: ContentName(content ?? "\(UInt64.random(in: 0 ... .max))")
        )
    }

    @Test(
        "A name that is taken: the newcomer gets the next free one",
        arguments: [
            ("Letter.txt", "Letter.txt", "Letter 2.txt"), (".profile", ".profile", ".profile 2"),
            ("a", "a", "a 2"),
            ("cafe\u{301}", "cafe\u{301}", "cafe\u{301} 2"), ("a", "A", "A"),
            // What only looks alike is another name.
            ("caf\u{E9}", "cafe\u{301}", "cafe\u{301}"),
            ("cafe\u{301}.txt", "caf\u{E9}.txt", "caf\u{E9}.txt"),
            // Of which signs are one, releases of Unicode differ.
            ("a.\u{301}b", "a.\u{301}b", "a 2.\u{301}b"), (".\u{301}b", ".\u{301}b", ".\u{301}b 2"),
        ]
    )
    func names(_ one: String, _ other: String, _ found: String) throws {
        let tree = try tree([(first, document(.root, one)), (second, document(.root, other))])
        #expect(tree[first]?.place.name.utf8.elementsEqual(one.utf8) == true)
        #expect(
            tree[second]?.place.name.utf8.elementsEqual(found.utf8) == true,
            "\(String(describing: tree[second]))"
        )
    }

    @Test("A name in another form of Unicode is another name: the item has it, and its former one is free")
    func forms() throws {
        let tree = try tree([
            (first, document(.root, "caf\u{E9}")), (first, document(.root, "cafe\u{301}")),
            (second, document(.root, "caf\u{E9}")),
        ])
        #expect(tree[first]?.isNamed(exactly: "cafe\u{301}") == true)
        #expect(tree[second]?.isNamed(exactly: "caf\u{E9}") == true)
        #expect(tree.item(at: ItemPlace(.root, "cafe\u{301}")) == first)
        #expect(tree.item(at: ItemPlace(.root, "caf\u{E9}")) == second)
    }

    @Test(
        "A name that would be too long with its number gets shorter, never longer than any volume has names",
        arguments: [
            String(repeating: "a", count: 255), String(repeating: "a", count: 251) + ".txt",
            String(repeating: "a", count: 250) + ".txt", "a." + String(repeating: "b", count: 253),
            String(repeating: "é", count: 127) + "a", String(repeating: "🦊", count: 62) + ".rtfd",
            "." + String(repeating: "a", count: 254), String(repeating: "a", count: 300),
        ]
    )
    func longNames(name: String) throws {
        let items = (0..<12).map { ItemID(1, UInt64($0 + 1)) }
        let tree = try tree(items.map { ($0, document(.root, name)) })
        let names = items.compactMap { tree[$0]?.place.name }
        #expect(names.first == name && Set(names).count == items.count)
        for (number, given) in names.enumerated().dropFirst() {
            #expect((250...255).contains(given.utf8.count), "\(given)")
            #expect(given.contains(" \(number + 1)"))
            for ending in [".txt", ".rtfd"] { #expect(given.hasSuffix(ending) == name.hasSuffix(ending)) }
        }
    }

    @Test("A name that was given keeps to its item while others come and go")
    func thirdName() throws {
        let tree = try tree([
            (first, document(.root, "a")), (second, document(.root, "a")), (first, nil),
            (third, document(.root, "a")),
        ])
        #expect(tree[second]?.place.name == "a 2")
        #expect(tree[third]?.place.name == "a")
    }

    @Test("What comes to be where an equal one is, is that: documents of the same contents, and folders")
    func united() throws {
        let tree = try tree([
            (first, document(.root, "a", "x")), (second, document(.root, "a", "x")),
            (third, document(.root, "a", "y")),
        ])
        #expect(tree[first]?.place.name == "a" && tree[second] == nil && tree[third]?.place.name == "a 2")
        #expect(
            tree.successor(of: second) == first && tree.successor(of: third) == nil && tree.itemCount == 2
        )
        let folders = try self.tree([
            (first, folder(.root, "f")), (second, folder(.root, "f")), (third, document(second, "in it")),
        ])
        #expect(folders[second] == nil && folders[third]?.parent == first)
        #expect(folders.children(of: first) == [third] && folders.children(of: second).isEmpty)
    }

    @Test("What was united comes back as itself: with other contents, elsewhere, and when the other is gone")
    func unitedNoMore() throws {
        let start: [(ItemID, ItemState?)] = [
            (first, document(.root, "a", "x")), (second, document(.root, "a", "x")),
        ]
        let edited = try tree(start + [(second, document(.root, "a", "y"))])
        #expect(edited[second]?.place.name == "a 2" && edited.successor(of: second) == nil)
        let moved = try tree(start + [(second, document(.root, "b", "x"))])
        #expect(moved[second]?.place.name == "b" && moved.successor(of: second) == nil)
        let removed = try tree(start + [(first, nil)])
        #expect(removed.successor(of: second) == nil && removed.items.isEmpty)
        let again = try tree(start + [(first, nil), (second, document(.root, "a", "x"))])
        #expect(again[second]?.place.name == "a" && again[first] == nil)
    }

    @Test("What one device has made twice it has made twice, also once others have changed the first")
    func madeByOne() throws {
        let twice = [(first, folder(.root, "f")), (second, folder(.root, "f"))]
        let alone = try tree(twice, isAlone: true)
        #expect(alone[second]?.place.name == "f 2" && alone.successor(of: second) == nil)
        var (log, tree) = (ContainerLog(), ContainerTree())
        for (number, (device, item)) in [(1, first), (2, first), (1, second), (3, third)].enumerated() {
            let id = Commit.ID(DeviceID(UInt64(device)), session: 1, UInt64(number))
            _ = log.offer(Commit(id, item, on: tree.revision(of: item), folder(.root, "f")))
            for entry in log.entries(after: tree.position) { _ = tree.read(entry) }
        }
        #expect(tree[second]?.place.name == "f 2" && tree.successor(of: third) == first)
    }

    @Test("What is moved to where an equal one is stays itself, and a folder is no document")
    func notUnited() throws {
        let moved = try tree([
            (first, document(.root, "a", "x")), (second, document(.root, "b", "x")),
            (second, document(.root, "a", "x")),
        ])
        #expect(moved[second]?.place.name == "a 2")
        let kinds = try tree([(first, document(.root, "a", "x")), (second, folder(.root, "a"))])
        #expect(kinds[second]?.place.name == "a 2")
        // In itself it would be nowhere.
        let loop = try tree([
            (first, folder(.root, "f")), (second, folder(.root, "f")), (first, folder(second, "f")),
        ])
        #expect(loop[first]?.place == ItemPlace(.root, "f"))
    }

    @Test("A folder that was united and is gone comes back with what comes into it")
    func unitedAndRevived() throws {
        let tree = try tree([
            (first, folder(.root, "f")), (second, folder(.root, "f")), (first, nil),
            (third, document(second, "a")),
        ])
        #expect(tree[first] != nil && tree[second] == nil && tree[third]?.parent == first)
    }

    @Test("A folder that was united and has back what was in it before is itself, and not the other as well")
    func unitedAndRevivedFromInside() throws {
        let (fourth, fifth) = (ItemID(1, 4), ItemID(1, 5))
        let states: [(ItemID, ItemState?)] = [
            (first, folder(.root, "f")), (second, folder(.root, "g")), (third, folder(second, "in it")),
            (third, nil), (second, nil), (second, folder(.root, "f")), (fourth, document(third, "a")),
        ]
        let united = try tree(Array(states.dropLast()))
        #expect(united.successor(of: second) == first && united[second] == nil)
        let revived = try tree(states)
        #expect(revived[second]?.place == ItemPlace(.root, "f 2") && revived[third]?.parent == second)
        #expect(!revived.isUnited(second) && revived.successor(of: second) == nil)
        // The other way round each would be the other for ever.
        let round = try tree(
            states + [(first, nil), (first, folder(.root, "f 2")), (fifth, document(second, "b"))]
        )
        #expect(round.successor(of: first) == second && round[fifth]?.parent == second)
        #expect(round.children(of: second).sorted() == [third, fifth] && round.itemCount == 4)
    }

    @Test("A move into what is inside the item itself is undone")
    func loop() throws {
        let tree = try tree([
            (first, folder(.root, "a")), (second, folder(.root, "b")), (first, folder(second, "a")),
            (second, folder(first, "b")),
        ])
        #expect(tree[first]?.place == ItemPlace(second, "a"))
        #expect(tree[second]?.place == ItemPlace(.root, "b"))
    }

    @Test("An item in a folder that was removed brings the folder back, and those above it")
    func revived() throws {
        let tree = try tree([
            (first, folder(.root, "a")), (second, folder(first, "b")), (second, nil), (first, nil),
            (third, document(second, "c")),
        ])
        #expect(tree[first]?.place == ItemPlace(.root, "a"))
        #expect(tree[second]?.place == ItemPlace(first, "b"))
        #expect(tree[third]?.place == ItemPlace(second, "c"))
    }

    @Test("A folder that comes back when its name is taken has another")
    func revivedUnderOtherName() throws {
        let tree = try tree([
            (first, folder(.root, "a")), (first, nil), (second, document(.root, "a")),
            (third, document(first, "c")),
        ])
        #expect(tree[first]?.place.name == "a 2")
        #expect(tree[second]?.place.name == "a")
    }

    @Test("A folder that is not empty stays")
    func notEmpty() throws {
        let tree = try tree([(first, folder(.root, "a")), (second, document(first, "b")), (first, nil)])
        #expect(tree[first] != nil)
        #expect(tree[second] != nil)
    }

    @Test("The hub takes a commit on the last of its item only, and the same one once")
    func compareAndSwap() {
        var log = ContainerLog()
        func commit(_ device: UInt64, on base: LogPosition, _ name: String) -> Commit {
            Commit(Commit.ID(DeviceID(device), session: 1, 1), first, on: base, document(.root, name))
        }
        #expect(log.offer(commit(1, on: 0, "a")) == .accepted(1))
        #expect(log.offer(commit(1, on: 0, "a")) == .accepted(1))
        #expect(log.offer(commit(2, on: 0, "b")) == .refused(readTo: 1))
        #expect(log.offer(commit(3, on: 1, "b")) == .accepted(2))
        #expect(log.offer(commit(1, on: 0, "a")) == .refused(readTo: 2))
        #expect(log.entries.map(\.position) == [1, 2])
    }
}

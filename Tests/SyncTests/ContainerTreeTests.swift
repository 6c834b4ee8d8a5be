import Testing

@testable import Sync

/// What cannot stand together in a container is put right alike by all who read its log.
@Suite("Sync: container tree")
struct ContainerTreeTests {
    private let first = ItemID(1, 1)
    private let second = ItemID(1, 2)
    private let third = ItemID(1, 3)

    /// The tree that commits come to, none of them refused.
    private func tree(_ states: [(ItemID, ItemState?)]) throws -> ContainerTree {
        var (log, tree) = (ContainerLog(), ContainerTree())
        for (number, (item, state)) in states.enumerated() {
            let id = Commit.ID(DeviceID(1), session: 1, UInt64(number + 1))
            #expect(log.offer(Commit(id, item, on: tree.revision(of: item), state)) == .accepted(log.head))
            for entry in log.entries(after: tree.position) { _ = tree.read(entry) }
        }
        return tree
    }

    private func folder(_ parent: ItemID, _ name: String) -> ItemState {
        ItemState(.folder, at: ItemPlace(parent, name))
    }

    private func document(_ parent: ItemID, _ name: String) -> ItemState {
        ItemState(.document, at: ItemPlace(parent, name), content: ContentName("x"))
    }

    @Test(
        "A name that is taken: the newcomer gets the next free one",
        arguments: [
            ("Letter.txt", "Letter.txt", "Letter 2.txt"), (".profile", ".profile", ".profile 2"),
            ("a", "a", "a 2"),
            ("caf\u{E9}", "cafe\u{301}", "cafe\u{301} 2"), ("a", "A", "A"),
        ]
    )
    func names(_ one: String, _ other: String, _ found: String) throws {
        let tree = try tree([(first, document(.root, one)), (second, document(.root, other))])
        #expect(tree[first]?.place.name == one)
        #expect(tree[second]?.place.name == found)
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

import Sync
import TestThreads
import Testing

@testable import DeviceSync

@Suite("Device memory: how items are written", .onOwnThreads)
struct StateCodingTests {
    private static let place = ItemPlace(ItemID(1, 2), "é.txt")
    private static let known: [ItemState] = [
        ItemState(.folder, at: place),
        ItemState(.document, at: place, content: ContentName("00ff7e")),
        ItemState(.document, at: place, content: ContentName("no digits"), conflicts: [ContentName("ab")]),
    ]

    private func written(_ write: (inout StateWriter) -> Void) -> [UInt8] {
        var writer = StateWriter()
        write(&writer)
        return writer.bytes
    }

    private func read<Value>(_ bytes: [UInt8], _ body: (inout StateReader) throws -> Value) throws -> Value {
        try bytes.withUnsafeBytes { bytes in
            var reader = StateReader(bytes)
            let value = try body(&reader)
            #expect(reader.isAtEnd)
            return value
        }
    }

    @Test("What is written is read, whatever is known already", arguments: known)
    func writtenAndRead(state: ItemState) throws {
        let bytes = written { $0.state(state) }
        #expect(try read(bytes) { try $0.state() } == state)
        for known in Self.known + [nil] { #expect(try read(bytes) { try $0.state(like: known) } == state) }
        #expect(throws: MalformedMemory.self) {
            try read(Array(bytes.dropLast())) { try $0.state(like: state) }
        }
    }

    @Test("A name that only looks like the one that is known is read as it is written")
    func forms() throws {
        let known = ItemState(.document, at: ItemPlace(.root, "e\u{301}"), content: ContentName("ab"))
        var state = known
        state.place.name = "\u{E9}"
        let read = try read(written { $0.state(state) }) { try $0.state(like: known) }
        #expect(read.map { Array($0.place.name.utf8) } == [0xC3, 0xA9])
        state.share(known)
        #expect(Array(state.place.name.utf8) == [0xC3, 0xA9])
    }

    @Test("A commit is read with its document's date, or without where none was written")
    func dates() throws {
        let id = Commit.ID(DeviceID(1), session: 2, 3)
        for state in Self.known + [nil] {
            let commit = Commit(id, ItemID(4, 5), on: 6, state)
            // What is too short for a date is none.
            let short = written { $0.commit(commit, modified: nil) } + [1, 2, 3]
            try short.withUnsafeBytes { bytes throws in
                var reader = StateReader(bytes)
                let read = try (reader.commit(), reader.modified())
                #expect(read == (commit, nil))
            }
            for modified: Int64? in [nil, 0, -1, .max] {
                let bytes = written { $0.commit(commit, modified: modified) }
                #expect(try read(bytes) { (try $0.commit(), try $0.modified()) } == (commit, modified))
            }
        }
    }

    @Test("Contents are read that were written as texts, as memories of the first format have them")
    func firstFormat() throws {
        let bytes = written { writer in
            writer.integer(UInt8(2))
            writer.item(Self.place.parent)
            writer.text(Self.place.name)
            writer.integer(UInt8(1))
            writer.text("00ff7e")
            writer.integer(UInt32(1))
            writer.text("ab")
        }
        let state = ItemState(
            .document,
            at: Self.place,
            content: ContentName(digitsOf: [0, 0xFF, 0x7E]),
            conflicts: [ContentName("ab")]
        )
        for known in [nil, state, Self.known[1]] {
            #expect(try read(bytes) { try $0.state(like: known) } == state)
        }
    }
}

import FileSystem
import Foundation
import Testing

@testable import UIKit

@Suite("FolderOutbox", .timeLimit(.minutes(3)))
@MainActor
struct FolderOutboxTests {
    private func item(_ name: String, bytes: Int64 = 1) -> FolderItem {
        FolderItem(
            id: name,
            name: name,
            kind: .file,
            isPackage: false,
            isReachable: true,
            byteCount: bytes,
            modificationDate: Date(timeIntervalSince1970: 0),
            typeIdentifier: "t",
            typeTitle: "T",
            folder: FilePath("/f")
        )
    }

    @Test("What changes before the list has been told is told in the list")
    func listAndChanges() async {
        let (updates, continuation) = AsyncStream<FolderUpdate>.makeStream()
        let outbox = FolderOutbox { continuation.yield($0) }
        // The main actor is held until the wait below: all of it is one turn.
        outbox.list([item("a"), item("b"), item("c")], unwatched: nil)
        outbox.change(FolderDifference(put: [item("b", bytes: 2), item("d"), item("e")], drop: ["c"]))
        outbox.change(FolderDifference(put: [item("c", bytes: 3)], drop: ["a", "e"]))
        outbox.end(.gone)
        var iterator = updates.makeAsyncIterator()
        guard case .listed(let items) = await iterator.next() else {
            Issue.record("no list")
            return
        }
        #expect(Set(items) == [item("b", bytes: 2), item("c", bytes: 3), item("d")])
        #expect(items.count == 3)
        guard case .gone = await iterator.next() else {
            Issue.record("no end")
            return
        }
    }

    @Test("What changes in one turn is told once, as it is at the end")
    func changes() async {
        let (updates, continuation) = AsyncStream<FolderUpdate>.makeStream()
        let outbox = FolderOutbox { continuation.yield($0) }
        outbox.change(FolderDifference(put: [item("a"), item("b")]))
        outbox.change(FolderDifference(put: [item("a", bytes: 2)], drop: ["b"]))
        outbox.change(FolderDifference())
        var iterator = updates.makeAsyncIterator()
        guard case .changed(let difference) = await iterator.next() else {
            Issue.record("no change")
            return
        }
        #expect(difference.put == [item("a", bytes: 2)])
        #expect(difference.drop == ["b"])
    }

    @Test("A closed one tells nothing more, not even what waits")
    func closing() async {
        let (updates, continuation) = AsyncStream<FolderUpdate>.makeStream()
        let outbox = FolderOutbox { continuation.yield($0) }
        outbox.change(FolderDifference(put: [item("a")]))
        outbox.close()
        // Runs after what waits on the main queue.
        DispatchQueue.main.async { continuation.finish() }
        var iterator = updates.makeAsyncIterator()
        let told = await iterator.next()
        if case .some = told { Issue.record("told after closing") }
    }
}

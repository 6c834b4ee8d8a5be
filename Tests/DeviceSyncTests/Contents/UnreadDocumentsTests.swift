import FileSystem
import Sync
import Testing

@testable import DeviceSync

@Suite("UnreadDocuments")
struct UnreadDocumentsTests {
    private let trace = Self.trace(1)

    private static func trace(_ inode: UInt64) -> ItemTrace {
        ItemTrace(
            device: 1,
            inode: inode,
            kind: .regular,
            byteCount: 4,
            permissions: 0o644,
            modified: 1,
            changed: 1
        )
    }

    private func item(_ number: UInt64) -> ItemID { ItemID(1, number) }

    private func takeAll(_ unread: inout UnreadDocuments) -> [ItemID] {
        var taken: [ItemID] = []
        while let (item, _) = unread.first() {
            unread[item] = nil
            taken.append(item)
        }
        return taken
    }

    @Test(
        "They are read in the order of their marks, however they have come, and whatever has come meanwhile"
    )
    func ordered() {
        var unread = UnreadDocuments()
        #expect(unread.isEmpty && unread.first() == nil)
        for number in [5, 2, 9, 4] as [UInt64] { unread[item(number)] = trace }
        #expect(unread.first()?.item == item(2))
        unread[item(2)] = nil
        unread[item(3)] = trace
        unread[item(1)] = trace
        #expect(takeAll(&unread) == [1, 3, 4, 5, 9].map(item))
        #expect(unread.isEmpty)
    }

    @Test("One that leaves, and one that comes back, is read as often as it is among them, as it looked last")
    func leaving() {
        var unread = UnreadDocuments()
        for number in [1, 2, 3] as [UInt64] { unread[item(number)] = trace }
        #expect(unread.first()?.item == item(1))
        unread[item(1)] = nil
        unread[item(2)] = nil
        let other = Self.trace(2)
        unread[item(3)] = other
        #expect(unread[item(3)] == other && unread[item(2)] == nil)
        #expect(unread.first()?.trace == other)
        unread[item(2)] = trace
        #expect(takeAll(&unread) == [2, 3].map(item))
        #expect(unread.isEmpty && unread.first() == nil)
    }
}

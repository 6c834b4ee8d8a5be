import FileSystem
import Sync
import TestThreads
import Testing

@testable import DeviceSync

/// What saves put into packages, and what others do there.
@Suite("Signs of saves", .onOwnThreads)
final class SaveSignsTests {
    private let package = ItemPlace(.root, "note.pack")
    private var signs = SaveSigns()

    private func staging(of name: String) -> ItemPlace { ItemPlace(.root, SaveSite.stagingName(for: name)) }

    private func isOfSave(_ cookie: UInt32, into place: ItemPlace) -> Bool {
        signs.isOfSave(cookie, into: place)
    }

    @Test("What comes from a name that saves use is a save's, once")
    func lone() {
        signs.take(WatchEvent(kind: .created), at: staging(of: "note.pack"))
        signs.take(WatchEvent(kind: .movedFrom(cookie: 7)), at: staging(of: "note.pack"))
        #expect(!isOfSave(8, into: package))
        #expect(isOfSave(7, into: package))
        #expect(!isOfSave(7, into: package))
    }

    @Test("What comes while a package is staged beside it is a save's; of another package it is not")
    func staged() {
        signs.take(WatchEvent(kind: .created), at: staging(of: "note.pack"))
        #expect(isOfSave(1, into: package))
        #expect(!isOfSave(1, into: ItemPlace(.root, "other.pack")))
        #expect(!isOfSave(1, into: ItemPlace(ItemID(1, 1), "note.pack")))
        signs.take(WatchEvent(kind: .deleted), at: staging(of: "note.pack"))
        #expect(!isOfSave(1, into: package))
    }

    @Test(
        "What comes from a staging that is told as made and gone in one is a save's, until that was looked at"
    )
    func toldInOne() {
        for kind in [WatchEvent.Kind.created, .deleted] {
            signs.take(WatchEvent(kind: kind), at: staging(of: "note.pack"))
        }
        #expect(isOfSave(1, into: package) && isOfSave(2, into: package))
        #expect(!isOfSave(3, into: ItemPlace(.root, "other.pack")))
        signs.endLook()
        #expect(!isOfSave(4, into: package))
    }

    @Test("A package is being saved until all has come into it that was staged beside it")
    func beingSaved() {
        #expect(!signs.isBeingSaved(package))
        signs.take(WatchEvent(kind: .created), at: staging(of: "note.pack"))
        #expect(signs.isBeingSaved(package))
        signs.take(WatchEvent(kind: .movedFrom(cookie: 7)), at: staging(of: "note.pack"))
        #expect(signs.isBeingSaved(package) && !signs.isBeingSaved(ItemPlace(.root, "other.pack")))
        #expect(isOfSave(7, into: package) && !signs.isBeingSaved(package))
    }

    @Test("Moves whose other halves nobody tells are forgotten")
    func bounded() {
        for cookie in 1...100 {
            signs.take(WatchEvent(kind: .movedFrom(cookie: UInt32(cookie))), at: staging(of: "note.pack"))
        }
        #expect(!isOfSave(1, into: package))
        #expect(isOfSave(100, into: package))
    }
}

import Testing

@testable import Sync

/// What a hub says of a commit is held against its log.
@Suite("What a hub has accepted")
struct AcceptedCommitsTests {
    /// Can be asked in an expectation.
    private final class Ledger {
        private var commits: AcceptedCommits

        init(readTo head: LogPosition) { commits = AcceptedCommits(readTo: head) }

        var last: LogPosition? { commits.last }
        func accept(_ id: Commit.ID, at position: LogPosition) -> Bool { commits.accept(id, at: position) }
        func read(_ id: Commit.ID, at position: LogPosition, isOwn: Bool) -> [Commit.ID] {
            commits.read(id, at: position, isOwn: isOwn)
        }
        func giveUp(after end: LogPosition) -> [Commit.ID] { commits.giveUp(after: end).map(\.id) }
        func goBack(to position: LogPosition) { commits.goBack(to: position) }
    }

    private func id(_ number: UInt64, of device: UInt64 = 1) -> Commit.ID {
        Commit.ID(DeviceID(device), session: 9, number)
    }

    @Test("Nothing is missing that the log shows where the hub has said, before or after it says so")
    func honest() {
        let accepted = Ledger(readTo: 4)
        #expect(accepted.accept(id(1), at: 6))
        #expect(accepted.last == 6)
        #expect(accepted.read(id(1, of: 2), at: 5, isOwn: false) == [])
        #expect(accepted.read(id(1), at: 6, isOwn: true) == [])
        #expect(accepted.last == nil)
        #expect(accepted.read(id(2), at: 7, isOwn: true) == [])
        #expect(accepted.accept(id(2), at: 7))
        #expect(accepted.last == nil)
        // The same answer once more, as of a commit that was sent twice.
        #expect(accepted.accept(id(1), at: 6))
        #expect(accepted.read(id(2, of: 2), at: 8, isOwn: false) == [])
    }

    @Test("What the log has in the place of a commit says that this one was not kept, whenever it is read")
    func passed() {
        let accepted = Ledger(readTo: 4)
        #expect(accepted.accept(id(1), at: 6))
        #expect(accepted.accept(id(2), at: 7))
        #expect(accepted.read(id(1, of: 2), at: 5, isOwn: false) == [])
        #expect(accepted.read(id(2, of: 2), at: 6, isOwn: false) == [id(1)])
        #expect(accepted.read(id(2), at: 7, isOwn: true) == [])
        // Its answer comes after the log has gone on.
        #expect(!accepted.accept(id(3), at: 7))
        #expect(accepted.last == nil)
    }

    @Test("Of two that are to be one entry, one is missing; one that comes elsewhere is there")
    func samePlace() {
        let accepted = Ledger(readTo: 0)
        #expect(accepted.accept(id(1), at: 2))
        #expect(accepted.accept(id(2), at: 2))
        #expect(accepted.accept(id(3), at: 3))
        #expect(accepted.read(id(3), at: 1, isOwn: true) == [])
        #expect(accepted.read(id(2), at: 2, isOwn: true) == [id(1)])
        #expect(accepted.last == nil)
    }

    @Test(
        "A hub that was put back owes nothing of what it had said before, and what it shows again is as new"
    )
    func putBack() {
        let accepted = Ledger(readTo: 4)
        #expect(accepted.read(id(1), at: 5, isOwn: true) == [])
        #expect(accepted.accept(id(2), at: 6))
        accepted.goBack(to: 3)
        #expect(accepted.last == nil)
        #expect(accepted.read(id(1, of: 2), at: 4, isOwn: false) == [])
        #expect(!accepted.accept(id(1), at: 4))
        #expect(accepted.accept(id(1), at: 5))
        #expect(accepted.accept(id(2), at: 6))
        #expect(accepted.giveUp(after: 5) == [id(2)])
        #expect(accepted.last == 5)
        #expect(accepted.giveUp(after: 4) == [id(1)])
        #expect(accepted.last == nil)
        #expect(accepted.giveUp(after: 4).isEmpty)
    }

    @Test("So many are remembered as can be under way")
    func many() {
        let accepted = Ledger(readTo: 0)
        let count = UInt64(AcceptedCommits.shownCountMin)
        for number in 1...3 * count { #expect(accepted.read(id(number), at: number, isOwn: true) == []) }
        #expect(accepted.accept(id(2 * count + 1), at: 2 * count + 1))
        #expect(!accepted.accept(id(1), at: 1))
    }
}

import HubProtocol
import Testing

@testable import Hub

/// What a hub does not release, as somebody may be about to need it.
@Suite("Recent blobs")
struct RecentBlobsTests {
    private let hour = RecentBlobs.seconds
    private let name = BlobName.numbered(1)
    private let owner = BlobOwner(.test, .first)
    private let other = BlobOwner(ContainerName(unchecked: Array(repeating: 8, count: 16)), .first)

    @Test("All is recent for an hour after the beginning, then what was noted less than an hour ago")
    func time() {
        var recent = RecentBlobs(begun: 0)
        func isRecent(_ name: BlobName, _ container: BlobOwner? = nil, at now: Double) -> Bool {
            recent.isRecent(name, of: container ?? owner, now: now)
        }
        #expect(isRecent(name, at: hour - 1))
        #expect(!isRecent(name, at: hour))
        _ = recent.note([name], of: owner, now: 1.9 * hour)
        #expect(isRecent(name, at: 2.9 * hour - 1))
        #expect(!isRecent(name, other, at: 2.9 * hour - 1))
        #expect(!isRecent(.numbered(2), at: 2.9 * hour - 1))
        #expect(!isRecent(name, at: 6 * hour))
    }

    @Test("Who notes what is just being released is told so, as often as it is released")
    func releasing() {
        var recent = RecentBlobs(begun: 0)
        func doubtful(_ names: [BlobName]) -> [BlobName] { recent.note(names, of: owner, now: 5 * hour) }
        recent.beginReleasing([name], of: .test)
        recent.beginReleasing([name], of: .test)
        #expect(doubtful([name, .numbered(2)]) == [name])
        recent.endReleasing([name], of: .test)
        #expect(doubtful([name]) == [name])
        recent.endReleasing([name], of: .test)
        #expect(doubtful([name]).isEmpty)
    }

    @Test("Who asks for more than is remembered keeps its own blobs from being released, and nobody else's")
    func accounts() {
        var recent = RecentBlobs(begun: 0)
        let stranger = BlobOwner(other.container, AccountID(2))
        let names = (0...RecentBlobs.countMax).map(BlobName.numbered)
        _ = recent.note(names, of: stranger, now: 5 * hour)
        _ = recent.note([name], of: owner, now: 5 * hour)
        func isRecent(_ name: BlobName, _ owner: BlobOwner, at now: Double) -> Bool {
            recent.isRecent(name, of: owner, now: now)
        }
        let late = BlobName.numbered(-1)
        for now in [5 * hour, 6 * hour] {
            #expect(isRecent(late, stranger, at: now))
            #expect(isRecent(name, owner, at: now))
            #expect(!isRecent(late, owner, at: now))
        }
        #expect(!isRecent(late, stranger, at: 8 * hour))
    }
}

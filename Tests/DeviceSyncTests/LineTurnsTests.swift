import Cryptography
import Dispatch
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Locks
import Sealing
import Sync
import TestFolders
import TestThreads
import Testing
import Vault

@testable import DeviceSync

/// A line goes up and down by what several threads meet at a time.
@Suite("A line that goes up and down", .onOwnThreads, .timeLimit(.minutes(3)))
struct LineTurnsTests {
    private let ownFolder: TestFolder
    private let line: HubLine
    private let told: Locked<[Bool]>
    private let remedies: Locked<[String?]>

    init() throws {
        ownFolder = try TestFolder("lineTurns")
        let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        let hub = try HubInMemory(container)
        let identity = try DeviceIdentity(random: RandomBytes.make)
        let keys = try Founding.found(container, by: identity, named: "device", at: hub.line())
        let vault = try Vault(at: FilePath(ownFolder.path).appending("vault"))
        let (own, told, remedies) = (hub.line(), Locked<[Bool]>([]), Locked<[String?]>([]))
        (self.told, self.remedies) = (told, remedies)
        line = HubLine(
            to: own,
            ContentStore(vault: vault, device: UUID(), deviceName: "device"),
            try LogDesk(KeyRing(keys) { _ in }, by: identity, known: []),
            after: AskedAhead(own)
        ) { news in
            switch news {
            case .up: told.withLock { $0.append(true) }
            case .down(_, let remedy):
                told.withLock { $0.append(false) }
                remedies.withLock { $0.append(remedy) }
            default: Issue.record("\(news)")
            }
        }
    }

    @Test("What is told last is what is so, whoever has it go up and down at the same time")
    func order() {
        let group = DispatchGroup()
        for isUp in [true, false] {
            DispatchQueue(label: "turns \(isUp)").async(group: group) { [line] in
                for _ in 0..<20_000 {
                    if isUp { line.bringUp() } else { line.lose(LineFailure("test")) }
                }
            }
        }
        group.wait()
        let told = told.withLock { $0 }
        #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 })
        #expect(told.last == line.state.withLock { $0.isUp })
        line.close()
    }

    @Test("What somebody has to do is news of a line that is down already, once")
    func remedy() {
        line.bringUp()
        let expired = LineFailure("expired", remedy: "Renew it.")
        for failure in [LineFailure("away"), expired, LineFailure("away"), expired] { line.lose(failure) }
        #expect(remedies.withLock { $0 } == [nil, "Renew it."])
        line.bringUp()
        line.lose(expired)
        #expect(remedies.withLock { $0 } == [nil, "Renew it.", "Renew it."])
        line.close()
    }

    @Test("What was asked before the line was down does not count after, as the hub may have been put back")
    func asked() {
        let (name, other) = (ContentName("name"), ContentName("other"))
        func isKept(_ name: ContentName) -> Bool {
            line.asked.withLock { $0.isKept(name, on: nil, now: 1) }
        }
        line.bringUp()
        let up = line.upCount
        line.note(ContentStore.Upload(name), askedAt: 0, since: up)
        #expect(isKept(name))
        line.lose(LineFailure("test"))
        line.note(ContentStore.Upload(other), askedAt: 0, since: up)
        #expect(!isKept(name) && !isKept(other))
        line.bringUp()
        line.note(ContentStore.Upload(other), askedAt: 0, since: up)
        #expect(!isKept(other))
        line.note(ContentStore.Upload(other), askedAt: 0, since: line.upCount)
        #expect(isKept(other))
        line.close()
    }
}

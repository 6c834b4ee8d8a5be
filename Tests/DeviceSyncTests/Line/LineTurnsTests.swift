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
import Threads
import Vault

@testable import DeviceSync

/// A line goes up and down by what several threads meet at a time.
@Suite("A line that goes up and down", .onOwnThreads, .timeLimit(.minutes(3)))
struct LineTurnsTests {
    private let ownFolder: TestFolder
    private let line: HubLine
    private let told: Locked<[Bool]>
    private let cameUp: DispatchSemaphore
    private let reasons: Locked<[LineFailure]>

    init() throws {
        ownFolder = try TestFolder("lineTurns")
        let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        let hub = try HubInMemory(container)
        let identity = try DeviceIdentity(random: RandomBytes.make)
        let keys = try Founding.found(container, by: identity, named: "device", at: hub.line())
        let vault = try Vault(at: FilePath(ownFolder.path).appending("vault"))
        let (own, told, reasons) = (hub.line(), Locked<[Bool]>([]), Locked<[LineFailure]>([]))
        let cameUp = DispatchSemaphore(value: 0)
        (self.told, self.reasons, self.cameUp) = (told, reasons, cameUp)
        line = HubLine(
            to: own,
            ContentStore(vault: vault, device: UUID(), deviceName: "device"),
            try LogDesk(KeyRing(keys) { _ in }, by: identity, known: []),
            after: AskedAhead(own)
        ) { news in
            switch news {
            case .up:
                told.withLock { $0.append(true) }
                cameUp.signal()
            case .down(let why, let remedy):
                told.withLock { $0.append(false) }
                reasons.withLock { $0.append(LineFailure(why, remedy: remedy)) }
            case .entries: break
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

    @Test(
        "That it is down for another reason, or that something else helps, is news; that it still is so is none"
    )
    func reason() {
        let (away, expired) = (LineFailure("away"), LineFailure("expired", remedy: "Renew it."))
        let renewed = LineFailure("expired", remedy: "Sign in first.")
        line.bringUp()
        for failure in [away, away, expired, expired, renewed, away] { line.lose(failure) }
        #expect(reasons.withLock { $0 } == [away, expired, renewed, away])
        line.bringUp()
        line.lose(away)
        #expect(reasons.withLock { $0.count } == 5)
        line.close()
    }

    @Test("Where there was no thread that reads the log, it is said, and the log is read once there is one")
    func withoutThread() {
        OwnThread.$make.withValue({ _, _ in EAGAIN }) { line.open() }
        #expect(reasons.withLock { $0.map(\.why) }.first?.contains("no thread for “sheaf log”") == true)
        cameUp.wait()
        #expect(told.withLock { $0 } == [false, true])
        line.close()
    }

    @Test("How long it was tried is no news")
    func span() {
        func failure(_ what: String) -> LineFailure { LineFailure("No answer from hub: \(what)") }
        line.bringUp()
        for span in ["2 ms", "10001 ms", "0 ms"] {
            line.lose(failure("no connection after \(span): refused"))
        }
        line.lose(failure("no connection after 7 ms: no route"))
        #expect(
            reasons.withLock { $0 } == [
                failure("no connection after 2 ms: refused"), failure("no connection after 7 ms: no route"),
            ]
        )
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

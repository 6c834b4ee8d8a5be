import DocumentFoundation
import DocumentTesting
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What is told of folders in which something is not in step.
@Suite("Signs of folders", .onOwnThreads, .timeLimit(.minutes(2)))
struct FolderSignsTests {
    /// What somebody hears who looks at a folder, and not at what is in the folders in it.
    private final class Looker: Sendable {
        private let heard = Locked<[String: ItemSyncState]>([:])

        func take(_ states: [ItemSyncState]) {
            heard.withLock { heard in
                for state in states { heard[URL(fileURLWithPath: state.path).lastPathComponent] = state }
            }
        }

        func standing(_ name: String) -> ItemSyncState.Standing? { heard.withLock { $0[name]?.standing } }
        var names: [String] { heard.withLock { $0.keys.sorted() } }
        var insides: [ItemSyncState] { heard.withLock { $0.values.filter { $0.inside != nil } } }
    }

    private let pair: DevicePair
    private let looker = Looker()
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// Has the second device's folder looked at: what is so now, then what becomes otherwise.
    private func look() throws -> @Sendable () -> Void {
        let running = try #require(two.running)
        let end = running.follow("", isDeep: false) { [looker] states, _ in looker.take(states) }
        looker.take(running.unsettledItems(in: ""))
        return end
    }

    private func hear(
        _ standing: ItemSyncState.Standing?,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let isSo = two.wait { looker.standing("a") == standing }
        #expect(isSo, "\(String(describing: looker.standing("a"))); \(two.said)", sourceLocation: location)
    }

    @Test(
        "A folder stands as the worst in it, as that becomes better and worse, and nothing is told of what is in it"
    )
    func followed() throws {
        try one.write("text", to: "a/b/c.txt")
        try one.write("text", to: "a/d.txt")
        pair.wait { two.text("a/b/c.txt") == "text" && two.text("a/d.txt") == "text" && pair.isSettled }
        let running = try #require(two.running)
        try running.evict("a/d.txt")
        let end = try look()
        defer { end() }
        #expect(looker.standing("a") == .remote && looker.names == ["a"])
        try running.pause("a/b/c.txt", by: "a test")
        hear(.paused)
        #expect(try #require(two.explanation("a")).causes.last == "Items in it are paused.")
        let outcome = Locked(false)
        try running.resume("a/b/c.txt", .preserveLocal) { _ in outcome.withLock { $0 = true } }
        hear(.remote)
        // It goes with what it is about: elsewhere, and away.
        try FileManager.default.moveItem(
            at: two.folder.appendingPathComponent("a/.d.txt.icloud"),
            to: two.folder.appendingPathComponent(".d.txt.icloud")
        )
        hear(.settled)
        #expect(two.wait { looker.standing("d.txt") == .remote })
        #expect(outcome.withLock { $0 } && !looker.names.contains("c.txt"))
        pair.end()
    }

    @Test("What cannot be kept is said at once of the document and of its folders")
    func failing() throws {
        try one.write("text", to: "a/b/c.txt")
        pair.wait { two.text("a/b/c.txt") == "text" && pair.isSettled }
        let end = try look()
        defer { end() }
        #expect(looker.standing("a") == nil)
        // As good as a full volume: nothing can be put into it.
        try FileManager.default.removeItem(at: two.memoryFolder.appendingPathComponent("vault/packs"))
        try two.write("text that is new", to: "a/b/c.txt")
        let isSaid = two.wait { if case .error? = looker.standing("a") { true } else { false } }
        #expect(isSaid, "\(String(describing: looker.standing("a"))); \(two.said)")
        pair.end()
    }

    @Test("Who follows all that is in a folder hears of documents, and what is in a folder is not said of it")
    func deep() throws {
        try one.write("text", to: "a/b/c.txt")
        pair.wait { two.text("a/b/c.txt") == "text" && pair.isSettled }
        let running = try #require(two.running)
        let end = running.follow("") { [looker] states, _ in looker.take(states) }
        defer { end() }
        try running.pause("a/b/c.txt", by: "a test")
        #expect(two.wait { looker.standing("c.txt") == .paused })
        // Folders may have news of their own.
        #expect(looker.names.contains("c.txt") && looker.insides.isEmpty)
        #expect(running.items(below: "").allSatisfy { $0.inside == nil })
        #expect(running.unsettledItems(in: "a").map(\.inside) == [.paused])
        pair.end()
    }
}

import DocumentFoundation
import DocumentTesting
import Foundation
import LocalSockets
import StandardStreams
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Why documents are as they are, as apps hear it.
@Suite("Explanations, as apps get them", .onOwnThreads, .timeLimit(.minutes(2)))
struct ExplanationInAppsTests {
    private let pair: DevicePair
    private var two: TestDevice { pair.two }
    private var url: URL { two.folder.appendingPathComponent("a.txt") }

    init() throws { pair = try DevicePair.holding("text", as: "a.txt") }

    private func explanation(_ url: URL? = nil) throws -> SyncExplanation {
        try FileManager.default.explainUbiquitousItem(at: url ?? self.url)
    }

    private func kinds(_ url: URL? = nil) -> [SyncExplanation.Cause.Kind] {
        // Nobody there to answer says nothing.
        (try? explanation(url))?.causes.map(\.kind) ?? []
    }

    @Test("An app hears what its document waits for, since when, what helps, and the one next step")
    func causes() async throws {
        try await pair.served {
            // For a moment it has just changed.
            pair.wait { kinds() == [.settled] }
            let settled = try explanation()
            #expect(settled.path == "a.txt" && settled.isSettled && settled.change == .none)
            #expect(settled.causes.map(\.kind) == [.settled] && settled.causes.first?.remedy == nil)
            #expect(settled.next == "Nothing is to be done." && settled.hubDeed == nil)
            try await FileManager.default.pauseSyncForUbiquitousItem(at: url)
            try two.write("edited", to: "a.txt")
            pair.wait { kinds() == [.paused] && (try? explanation())?.isSettled == false }
            let paused = try explanation()
            let pause = try #require(paused.causes.first)
            #expect(paused.change == .here && pause.text.contains("is paused since"))
            #expect(abs(try #require(pause.since).timeIntervalSinceNow) < 60)
            #expect(
                pause.remedy == "Resume it: sheaf resume \(url.path.shellWord)" && paused.next == pause.remedy
            )
            two.line.cut()
            pair.wait { two.status?.line == .down }
            try two.write("b", to: "b.txt")
            let other = two.folder.appendingPathComponent("b.txt")
            pair.wait { kinds(other).last == .offline }
            let offline = try explanation(other)
            #expect(offline.causes.last?.remedy == offline.next && offline.next.contains("network"))
            try await FileManager.default.resumeSyncForUbiquitousItem(at: url, with: .preserveLocalChanges)
            two.line.mend()
            pair.wait { pair.isSettled && pair.one.text("a.txt") == "edited" }
            pair.wait { kinds() == [.settled] }
            #expect(kinds() == [.settled])
            try FileManager.default.evictUbiquitousItem(at: url)
            pair.wait { kinds().last == .evicted }
            #expect(kinds(two.folder.appendingPathComponent("c.txt")) == [.absent])
            #expect(try explanation(two.folder).isSettled)
        }
        pair.end()
    }

    @Test("A conflict is a cause with what helps, and so is a hub without room")
    func conflictAndQuota() async throws {
        try await pair.served {
            two.line.cut()
            pair.wait { two.status?.line == .down }
            try pair.one.write("one", to: "a.txt")
            pair.wait { pair.one.running?.isInStepNow == true }
            try two.write("two", to: "a.txt")
            two.line.mend()
            pair.wait { kinds().last == .conflict }
            #expect(try explanation().causes.last?.remedy?.contains("sheaf versions") == true)
            pair.hub.limit(toByteCount: 0)
            try two.write("more", to: "b.txt")
            let other = two.folder.appendingPathComponent("b.txt")
            pair.wait { kinds(other) == [.hubFull] }
            let full = try explanation(other)
            #expect(full.next.contains("larger quota") && full.causes.first?.remedy == full.next)
        }
        pair.end()
    }

    @Test("It is told anew whenever it is something else")
    func following() async throws {
        try await pair.served {
            var told = FileManager.default.ubiquitousItemExplanations(at: url).makeAsyncIterator()
            #expect(try await told.next()?.causes.first?.kind == .settled)
            try await FileManager.default.pauseSyncForUbiquitousItem(at: url)
            var last: SyncExplanation?
            while let explanation = try await told.next() {
                last = explanation
                if explanation.causes.contains(where: { $0.kind == .paused }) { break }
            }
            #expect(last?.causes.last?.kind == .paused)
        }
        pair.end()
    }

    @Test("Who follows hears when the other side ends")
    func ending() async throws {
        try await pair.served {
            let runtime = try RuntimeFolder(path: pair.base.path + "/ending")
            let listener = try LocalListener(at: runtime.place(of: SyncQuery.socketName))
            let environment = ["SHEAF_HOME": pair.accountHome.path, "SHEAF_RUNTIME_DIR": runtime.path]
            let account = UbiquityAccount(environment: environment, information: [:])
            try await UbiquityAccount.$shared.withValue(account) {
                var told = FileManager.default.ubiquitousItemExplanations(at: url).makeAsyncIterator()
                let socket = try #require(try listener.accept())
                socket.shutDown()
                let error = await #expect(throws: CocoaError.self) { try await told.next() }
                #expect(error?.code == .ubiquitousFileUbiquityServerNotAvailable)
            }
        }
        pair.end()
    }

    @Test("Without anybody to ask, and for what is in no container, it fails as the others do")
    func failures() async throws {
        try await pair.served {
            let outside = pair.base.appendingPathComponent("outside.txt")
            let refusal = #expect(throws: CocoaError.self) { try explanation(outside) }
            #expect(refusal?.code == .ubiquitousFileUnavailable)
            let alone = [
                "SHEAF_HOME": pair.accountHome.path, "SHEAF_RUNTIME_DIR": pair.base.path + "/nobody",
            ]
            await UbiquityAccount.$shared.withValue(UbiquityAccount(environment: alone, information: [:])) {
                let error = #expect(throws: CocoaError.self) { try explanation() }
                #expect(error?.code == .ubiquitousFileUbiquityServerNotAvailable)
                var told = FileManager.default.ubiquitousItemExplanations(at: url).makeAsyncIterator()
                let other = await #expect(throws: CocoaError.self) { try await told.next() }
                #expect(other?.code == .ubiquitousFileUbiquityServerNotAvailable)
            }
        }
        pair.end()
    }

    @Test("As JSON it is what the command prints, and comes back the same")
    func coding() throws {
        var found = Explanation(
            path: "a.txt",
            isSettled: false,
            change: "both",
            [
                Explanation.Cause(.nameTaken, "One."),
                Explanation.Cause(.paused, "Two.", sinceSeconds: 1_000_000_000, remedy: "Resume it."),
            ],
            next: "Resume it."
        )
        found.upload = ItemSyncState.Share(1, of: 4)
        var device = DeviceStanding(name: "pad", isThis: false, .read)
        device.askedSeconds = 1_000_000_000
        found.devices = [device]
        found.hubDeed = HubDeed(.forked, entry: 7, sinceSeconds: 1_000_000_000, text: "Text.", next: "Next.")
        let explanation = SyncExplanation(found)
        #expect(explanation.upload?.fraction == 0.25 && explanation.change == .both)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let json = try encoder.encode(explanation)
        let expected = """
            {"causes":[{"kind":"nameTaken","text":"One."},\
            {"kind":"paused","remedy":"Resume it.","since":"2001-09-09T01:46:40Z","text":"Two."}],\
            "change":"both","devices":[{"asked":"2001-09-09T01:46:40Z","isThis":false,"name":"pad","standing":"read"}],\
            "hubDeed":{"entry":7,"kind":"forked","next":"Next.","since":"2001-09-09T01:46:40Z","text":"Text."},\
            "isSettled":false,"next":"Resume it.","notes":[],"path":"a.txt",\
            "upload":{"doneByteCount":1,"totalByteCount":4},"whereabouts":[]}
            """
        #expect(String(decoding: json, as: UTF8.self) == expected)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        #expect(try decoder.decode(SyncExplanation.self, from: json) == explanation)
        pair.end()
    }

    @Test("Every kind of cause has a name for apps")
    func kindsOfCauses() {
        let named: [SyncExplanation.Cause.Kind] = [
            .settled, .justChanged, .due, .sending, .getting, .committing, .readingLog, .placing, .merging,
            .nameTaken, .nameLeft, .uniting, .folderMissing, .loop, .members, .braked, .paused, .conflict,
            .offline, .shutOut, .hubFull, .contentsLost, .cannotSend, .cannotGet, .inUse, .cannotPlace,
            .cannotRead,
            .cannotRemember, .cannotBegin, .emptied, .evicted, .inside, .absent, .leftOut, .beingWritten,
            .notMounted,
        ]
        #expect(Set(named.map(\.rawValue)) == Set(Explanation.Cause.Kind.allCases.map(\.rawValue)))
        #expect(named.count == Explanation.Cause.Kind.allCases.count)
        pair.end()
    }
}

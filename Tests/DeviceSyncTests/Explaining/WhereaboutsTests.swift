import DocumentTesting
import Foundation
import HubProtocol
import Locks
import Sealing
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// On which devices an item is.
@Suite("Whereabouts", .onOwnThreads, .timeLimit(.minutes(2)))
struct WhereaboutsTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func standings(_ device: TestDevice, _ name: String) -> [DeviceStanding.Standing] {
        device.explanation(name)?.devices.map(\.standing) ?? []
    }

    private func sentences(_ device: TestDevice, _ name: String) -> [String] {
        device.explanation(name)?.whereabouts ?? []
    }

    // MARK: Devices

    @Test("What one has made the other has read of, which the hub says, and the other knows who has made it")
    func madeAndRead() throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        pair.wait { standings(one, "a.txt") == [.current, .read] }
        #expect(
            sentences(one, "a.txt")
                == ["It is on “device 1” (this device).", "Have read of it, as the hub says: “device 2”."]
        )
        #expect(standings(two, "a.txt") == [.current, .made])
        #expect(sentences(two, "a.txt") == ["It is on “device 2” (this device).", "“device 1” has made it."])
        let devices = try #require(two.explanation("a.txt")).devices
        #expect(devices.map(\.name) == ["device 2", "device 1"])
        #expect(devices.map(\.isThis) == [true, false])
        let asked = try #require(one.explanation("a.txt")?.devices.last?.askedSeconds)
        #expect(abs(Date(timeIntervalSince1970: asked).timeIntervalSinceNow) < 120)
        pair.end()
    }

    @Test(
        "A device that is off has not read of what is new, and says nothing of what it read before otherwise"
    )
    func off() throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        pair.wait { standings(one, "a.txt") == [.current, .read] }
        two.stop()
        try one.write("new", to: "b.txt")
        let hasSent = one.wait {
            one.status?.isSettled == true && one.running?.item("b.txt")?.isUploaded == true
        }
        #expect(hasSent)
        #expect(standings(one, "b.txt") == [.current, .behind])
        let said = sentences(one, "b.txt")
        #expect(said.first == "It is on “device 1” (this device).")
        #expect(said.last?.hasPrefix("Have not read of it: “device 2” (asked the hub last on 20") == true)
        #expect(standings(one, "a.txt") == [.current, .read])
        try two.start()
        pair.wait { standings(one, "b.txt") == [.current, .read] }
        pair.end()
    }

    @Test("What was done without a line is on this device alone")
    func alone() throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        pair.wait { standings(one, "a.txt") == [.current, .read] }
        one.line.cut()
        try one.write("other", to: "a.txt")
        try one.write("new", to: "b.txt")
        pair.wait {
            one.explanation("a.txt")?.change == "here" && one.explanation("b.txt")?.change == "here"
        }
        #expect(standings(one, "a.txt") == [.changed, .read])
        #expect(
            sentences(one, "a.txt") == [
                "What was done to it here is on this device alone.",
                "Have read of what the hub has of it, as the hub says: “device 2”.",
            ]
        )
        #expect(standings(one, "b.txt") == [.changed])
        #expect(sentences(one, "b.txt") == ["What was done to it here is on this device alone."])
        one.line.mend()
        pair.wait { two.text("b.txt") == "new" && pair.isSettled }
        pair.wait { standings(one, "a.txt") == [.current, .read] }
        pair.end()
    }

    @Test("A device that has evicted an item does not say that it has it")
    func evicted() throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        try two.running?.evict("a.txt")
        #expect(standings(two, "a.txt") == [.placeholder, .made])
        #expect(sentences(two, "a.txt") == ["“device 1” has made it."])
        pair.end()
    }

    @Test("A hub that was put back is not believed to know who has read what it has lost")
    func putBack() throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        let backup = pair.hub.backup()
        try one.write("new", to: "b.txt")
        pair.wait { two.text("b.txt") == "new" && pair.isSettled }
        pair.wait { standings(one, "b.txt") == [.current, .read] }
        two.stop()
        pair.hub.restore(backup)
        let isSentAgain = one.wait { pair.hub.entryCount > 3 && one.status?.isSettled == true }
        #expect(isSentAgain)
        pair.wait { standings(one, "b.txt") == [.current, .unknown] }
        #expect(
            sentences(one, "b.txt").last
                == "The hub does not know how far these have read: “device 2”."
        )
        try two.start()
        pair.wait {
            standings(one, "b.txt") == [.current, .read] || standings(one, "b.txt") == [.current, .made]
        }
        pair.end()
    }

    @Test("Who follows an explanation hears when another device has read of the item")
    func followed() throws {
        two.stop()
        try one.write("text", to: "a.txt")
        let hasSent = one.wait {
            one.running?.item("a.txt")?.isUploaded == true && one.status?.isSettled == true
        }
        #expect(hasSent)
        let told = Locked<[Explanation]>([])
        let news = DispatchSemaphore(value: 0)
        let end = try #require(one.running).followExplanation("a.txt") { explanation in
            told.withLock { $0.append(explanation) }
            news.signal()
        }
        defer { end() }
        try two.start()
        let isRead = { told.withLock { $0.last?.devices.map(\.standing) == [.current, .read] } }
        while !isRead() {
            guard news.wait(timeout: .now() + 60) == .success else { break }
        }
        #expect(isRead(), "\(told.withLock { $0.map(\.whereabouts) })")
        pair.end()
    }

    // MARK: The rule

    private func whereabouts(
        _ own: Whereabouts.Own,
        author: UInt64?,
        _ readings: [UInt64: LogPosition],
        at position: LogPosition = 5
    ) -> Whereabouts {
        Whereabouts(
            position: position,
            author: author.map { DeviceID($0) },
            this: DeviceID(1),
            own: own,
            devices: (1...4).map { .init(id: DeviceID($0), name: "\($0)") },
            readings: Dictionary(
                uniqueKeysWithValues: readings.map {
                    (DeviceID($0.key), LogReadings.Reading(position: $0.value, asked: 1_700_000_000))
                }
            )
        )
    }

    @Test(
        "A device has an item when it has made it or read to where it stands, and nothing is said of who is not known"
    )
    func rule() {
        typealias Case = (Whereabouts, [String])
        let cases: [Case] = [
            (whereabouts(.current, author: 2, [3: 5, 4: 4]), ["1 current", "2 made", "3 read", "4 behind"]),
            (whereabouts(.current, author: 1, [:]), ["1 current", "2 unknown", "3 unknown", "4 unknown"]),
            (whereabouts(.behind, author: 3, [2: 6, 3: 1]), ["1 behind", "3 made", "2 read", "4 unknown"]),
            (whereabouts(.changed, author: nil, [2: 5]), ["1 changed", "2 read", "3 unknown", "4 unknown"]),
            (whereabouts(.changed, author: nil, [2: 5], at: 0), ["1 changed"]),
            (
                whereabouts(.placeholder, author: 4, [:]),
                ["1 placeholder", "4 made", "2 unknown", "3 unknown"]
            ),
        ]
        for (whereabouts, expected) in cases {
            #expect(whereabouts.standings.map { "\($0.name) \($0.standing)" } == expected)
        }
        #expect(
            whereabouts(.behind, author: 3, [2: 5]).sentences == [
                "“3” has made it.", "Have read of it, as the hub says: “2”.",
                "The hub does not know how far these have read: “4”.",
            ]
        )
        var alone = whereabouts(.current, author: 1, [:])
        alone.devices = [.init(id: DeviceID(1), name: "1")]
        #expect(alone.sentences.isEmpty && alone.standings.map(\.standing) == [.current])
    }

    @Test("An answer to a question of before the log was another is dropped, and who waited is told")
    func dropped() throws {
        var readings = LogReadings()
        let told = Locked(0)
        let number = readings.ask { told.withLock { $0 += 1 } }
        readings.wait { told.withLock { $0 += 1 } }
        #expect(readings.isAsking)
        for done in readings.forget() { done() }
        #expect(told.withLock { $0 } == 2 && !readings.isAsking)
        let devices = DeviceList(
            of: pair.container,
            anchor: DeviceListHash(unchecked: Array(repeating: 0, count: 32))
        )
        #expect(readings.take(try pair.hub.line().registrations(), to: number, devices).isEmpty)
        #expect(readings.known.isEmpty)
        pair.end()
    }
}

import Commands
import DocumentTesting
import Foundation
import LocalSockets
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Changes so large that a person is asked, on two devices with real folders.
@Suite("Large changes", .onOwnThreads, .timeLimit(.minutes(2)))
struct LargeChangeTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private static let count = 24

    private func fill() throws -> [String: String] {
        var all: [String: String] = [:]
        for number in 0..<Self.count { all["\(number).txt"] = "good \(number)" }
        for (name, text) in all { try one.write(text, to: name) }
        pair.wait { two.contents == all && pair.isSettled }
        return all
    }

    /// Writes over documents one by one, with a rest after each, until a person is asked.
    private func overwriteOneByOne() throws {
        for number in 0..<Self.count {
            try one.write("garbage", to: "\(number).txt")
            let isKnown = one.wait {
                one.status?.brakes.isEmpty == false || two.text("\(number).txt") == "garbage"
            }
            #expect(isKnown, "\(one.said)")
        }
    }

    private func garbageCount(_ device: TestDevice) -> Int {
        device.contents.values.count { $0 == "garbage" }
    }

    @Test(
        "What is written over one by one is held at more than half, over a start, and had back when it has gone on"
    )
    func backAgain() throws {
        let all = try fill()
        for number in 0..<6 {
            try one.write("garbage", to: "\(number).txt")
            pair.wait { two.text("\(number).txt") == "garbage" }
        }
        one.stop()
        try one.start()
        try overwriteOneByOne()
        #expect(one.wait { one.status?.brakes.first?.waitingCount == 5 }, "\(one.said)")
        #expect(garbageCount(two) == 19)
        let brake = try #require(one.status?.brakes.first)
        #expect(brake.doneCount == 19 && brake.itemCount == 24)
        #expect(brake.restorePoint >= 24)
        // Nobody goes back before it is decided.
        #expect(throws: SyncRefusal.self) { try one.running?.goBack() }
        #expect(one.decide(goesOn: true))
        #expect(two.wait { two.status?.brakes.first?.isLeaving == false })
        #expect(two.decide(goesOn: true))
        pair.wait { garbageCount(two) == 24 && pair.isSettled }
        #expect(one.status?.largeChange?.itemCount == 24)
        #expect(one.status?.largeChange?.restorePoint == brake.restorePoint)
        // What is newer stays, also over a start.
        try one.write("newer", to: "3.txt")
        pair.wait { two.text("3.txt") == "newer" && pair.isSettled }
        one.stop()
        try one.start()
        pair.wait { pair.isSettled }
        let back = try #require(try one.running?.goBack())
        #expect(back.itemCount == 23 && back.newer == ["3.txt"] && back.lost == [])
        #expect(back.restorePoint == brake.restorePoint)
        if two.wait(until: { two.status?.brakes.isEmpty == false || two.text("0.txt") == "good 0" }),
            two.status?.brakes.isEmpty == false
        {
            #expect(two.decide(goesOn: true))
        }
        let expected = all.merging(["3.txt": "newer"], uniquingKeysWith: { $1 })
        pair.wait { one.contents == expected && two.contents == expected && pair.isSettled }
        #expect(one.contents == expected && two.contents == expected)
        pair.end()
    }

    @Test("What has left this device's vault comes from the hub; what that has lost, too, is named")
    func lost() throws {
        let all = try fill()
        // This device has never had the contents in its vault: another one removes all.
        var off = BrakeLimits()
        off.isOff = true
        try one.running?.limit(off)
        for name in all.keys { try two.running?.evict(name) }
        two.running?.waitForRoom()
        for name in all.keys {
            try FileManager.default.removeItem(at: one.folder.appendingPathComponent(name))
        }
        // How much of it comes before it is seen how much there is is not said.
        let isAsked = two.wait {
            two.status?.brakes.first.map { $0.waitingCount + $0.doneCount } == Self.count
        }
        #expect(isAsked, "\(String(describing: two.status))")
        #expect(two.decide(goesOn: true))
        pair.wait { pair.isSettled && two.status?.itemCount == 0 }
        pair.hub.loseBlobs()
        let lost = try #require(try two.running?.goBack())
        #expect(lost.itemCount == 0 && Set(lost.lost) == Set(all.keys))
        // The one that has removed them has them still.
        #expect(throws: SyncRefusal.self) { try one.running?.goBack() }
        pair.end()
    }

    @Test("A device without a line goes back by itself to what its vault has")
    func offline() throws {
        let all = try fill()
        one.goOffline()
        for name in all.keys {
            try FileManager.default.removeItem(at: one.folder.appendingPathComponent(name))
        }
        #expect(one.wait { one.status?.brakes.first?.waitingCount == Self.count }, "\(one.said)")
        #expect(one.decide(goesOn: false))
        #expect(one.wait { one.contents == all }, "\(one.contents)")
        one.goOnline()
        pair.wait { pair.isSettled && two.contents == all }
        #expect(two.contents == all)
        pair.end()
    }

    @Test("What is done in days is not one change, whether or not the device has been stopped between")
    func periods() throws {
        let all = try fill()
        for number in 0..<Self.count {
            if number == 8 {
                one.letPass(seconds: 43_300)
                two.letPass(seconds: 43_300)
            }
            if number == 16 {
                for device in [one, two] {
                    device.stop()
                    device.letPass(seconds: 43_300)
                    try device.start()
                }
                pair.wait { pair.isSettled }
            }
            try one.write("garbage", to: "\(number).txt")
            pair.wait { two.text("\(number).txt") == "garbage" || one.status?.brakes.isEmpty == false }
        }
        #expect(one.status?.brakes == [] && garbageCount(two) == all.count)
        pair.end()
    }

    @Test("A clock that is set forgets nothing of a large change", arguments: [-3e8, 7200, 3e8])
    func clock(_ seconds: Double) throws {
        _ = try fill()
        for number in 0..<Self.count {
            if number == 10 { for device in [one, two] { device.setClock(aheadBySeconds: seconds) } }
            if number == 15 {
                for device in [one, two] {
                    device.stop()
                    device.setClock(aheadBySeconds: 2 * seconds)
                    try device.start()
                }
                pair.wait { pair.isSettled }
            }
            try one.write("garbage", to: "\(number).txt")
            pair.wait { two.text("\(number).txt") == "garbage" || one.status?.brakes.isEmpty == false }
        }
        #expect(one.wait { one.status?.brakes.first?.waitingCount == 5 }, "\(one.said)")
        #expect(garbageCount(two) == 19)
        pair.end()
    }

    @Test("From when on somebody is asked can be set, while it runs and for the next start")
    func limits() throws {
        _ = try fill()
        #expect(one.status?.brakeLimits == BrakeLimits())
        var limits = BrakeLimits()
        (limits.sharePercent, limits.countMin) = (10, 3)
        try one.running?.limit(limits)
        #expect(one.status?.brakeLimits == limits)
        for number in 0..<3 {
            try one.write("garbage", to: "\(number).txt")
            pair.wait { two.text("\(number).txt") == "garbage" || one.status?.brakes.isEmpty == false }
        }
        #expect(one.wait { one.status?.brakes.first?.doneCount == 2 }, "\(one.said)")
        #expect(one.decide(goesOn: false))
        #expect(one.wait { one.text("2.txt") == "good 2" })
        var off = BrakeLimits()
        off.isOff = true
        try one.running?.limit(off)
        try two.running?.limit(off)
        for number in 0..<Self.count { try one.write("garbage", to: "\(number).txt") }
        pair.wait { garbageCount(two) == Self.count }
        #expect(one.status?.brakeLimits?.isOff == true && one.status?.brakes == [])
        pair.end()
    }

    @Test("What is said of the limits while a process begins holds once it answers")
    func limitsAtTheBeginning() throws {
        var limits = BrakeLimits()
        limits.sharePercent = 7
        let folder = two.folder.path
        let service = try SyncService(
            [SyncService.Running(folder: folder, hub: "memory", sync: try #require(two.running))],
            in: try RuntimeFolder(path: pair.base.path + "/run"),
            limits: { [limits] in [folder: limits, "another": BrakeLimits()] }
        )
        #expect(two.status?.brakeLimits == BrakeLimits())
        let end = DevicePair.answering(service)
        #expect(two.wait { two.status?.brakeLimits == limits })
        end()
        pair.end()
    }

    @Test("Where nobody has said anything, the engine, the files and the command mean the same limits")
    func standardLimits() {
        let (engine, kept, told) = (
            SyncBrake.Limits(), BrakeLimits(), SyncRole.Folder.BrakeLimits.standard
        )
        #expect(engine.sharePercent == kept.sharePercent && kept.sharePercent == told.sharePercent)
        #expect(engine.countMin == kept.countMin && kept.countMin == told.countMin)
        #expect(engine != .off && !kept.isOff && !told.isOff)
    }
}

import DeviceSync
import Foundation
import Locks
import Sealing
import SyncMessages
import TestThreads
import Testing
import UIKit

@testable import DocumentTesting

/// A list of lines, of which each device adds its own.
private final class Log: UIDocument {
    var lines: [String] = []

    override func contents(forType typeName: String) throws -> Any {
        Data(lines.map { $0 + "\n" }.joined().utf8)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        lines = String(decoding: contents as? Data ?? Data(), as: UTF8.self).split(separator: "\n").map(
            String.init
        )
    }
}

/// Seeds of worlds, and lines that lose, double, delay and reorder.
@Suite("Lines of a world's devices, and its seed", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldLinesTests {
    private func lines(_ name: String, on device: WorldDevice) throws -> Set<String> {
        let text = try String(contentsOf: device.folder.appendingPathComponent(name), encoding: .utf8)
        return Set(text.split(separator: "\n").map(String.init))
    }

    /// Has two devices write on a line on which one thing goes wrong, and expects that nothing is lost by it.
    private func expectAll(_ faults: LineFaults, by fault: LineFault) async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        world.disturbLines(faults)
        for round in 1...8 {
            try await world.create(Log.init, "phone \(round).txt", on: phone) {
                $0.lines = ["phone \(round)"]
            }
            try await world.create(Log.init, "pad \(round).txt", on: pad) { $0.lines = ["pad \(round)"] }
            try await world.settle()
        }
        let counts = [phone, pad].map { $0.lineFaultCounts[fault] ?? 0 }
        #expect(counts.reduce(0, +) > 0, "seed \(world.seed)")
        #expect([phone, pad].allSatisfy { Set($0.lineFaultCounts.keys).isSubset(of: [fault]) })
        world.calmLines()
        try await world.settle()
        for device in [phone, pad] {
            for round in 1...8 {
                #expect(
                    try lines("phone \(round).txt", on: device) == ["phone \(round)"],
                    "seed \(world.seed)"
                )
                #expect(try lines("pad \(round).txt", on: device) == ["pad \(round)"], "seed \(world.seed)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: device.folder.path)
            #expect(names.count == 16, "seed \(world.seed): \(names.sorted())")
        }
        try world.end()
    }

    @Test(
        "A line that is mended is found by the process that has waited; who was never cut off is not started again"
    )
    func goesOn() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.settle()
        let running = try #require(pad.running)
        pad.goOnline()
        pad.goOffline()
        try Data("edited\n".utf8).write(to: pad.folder.appendingPathComponent("a.txt"))
        #expect(pad.wait { running.status.line == .down })
        pad.mendLine()
        try await world.settle()
        #expect(pad.running === running)
        #expect(
            try String(contentsOf: phone.folder.appendingPathComponent("a.txt"), encoding: .utf8)
                == "edited\n"
        )
    }

    @Test("What takes longer than clocks can tell takes so long, until the line is cut")
    func verySlow() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        phone.slowDown(toSeconds: 1e10)
        try await world.create(Log.init, "a.txt", on: phone) { $0.lines = ["one"] }
        while !phone.line.isTransferring { await Task.yield() }
        phone.slowDown(toSeconds: 0)
        phone.goOffline()
        phone.goOnline()
        try await world.settle()
        try await world.look(Log.init, "a.txt", on: pad) { #expect($0.lines == ["one"]) }
        try world.end()
    }

    @Test("A seed in the environment that is none is an error that says so, and takes no other one")
    func wrongSeed() throws {
        for text in ["47x11", "-1", "4711 ", "18446744073709551616"] {
            let failure = #expect(throws: WorldSeedFailure.self) {
                _ = try WorldSeed(nil, environment: ["SHEAF_SEED": text])
            }
            #expect(failure?.text == text && failure?.description.contains("“\(text)”") == true)
        }
        #expect(try WorldSeed(nil, environment: ["SHEAF_SEED": "4711"]).value == 4711)
        #expect(try WorldSeed(7, environment: ["SHEAF_SEED": "none"]).value == 7)
        for environment in [[:], ["SHEAF_SEED": ""]] {
            #expect(try WorldSeed(nil, environment: environment).value > 0)
        }
    }

    @Test(
        "What is lost, unanswered, doubled or late loses no document and makes none",
        arguments: LineFault.allCases
    )
    func everyFault(fault: LineFault) async throws {
        var faults = LineFaults()
        faults.shares[fault] = 0.4
        try await expectAll(faults, by: fault)
    }

    @Test("Edits of one document on both devices are all there, whatever the lines do")
    func edits() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Log.init, "a.txt", on: phone) { $0.lines = (0..<5).map { "line \($0)" } }
        try await world.settle()
        world.disturbLines(LineFaults(lost: 0.2, unanswered: 0.1, doubled: 0.2, late: 0.2))
        for round in 1...6 {
            try await world.edit(Log.init, "a.txt", on: phone) { $0.lines.insert("phone \(round)", at: 0) }
            try await world.edit(Log.init, "a.txt", on: pad) { $0.lines.append("pad \(round)") }
        }
        world.calmLines()
        try await world.settle()
        let wanted = Set((0..<5).map { "line \($0)" } + (1...6).flatMap { ["phone \($0)", "pad \($0)"] })
        for device in [phone, pad] {
            var found = try lines("a.txt", on: device)
            // A message that was given up and came all the same may have made a conflict, in which nothing is lost.
            for version in try device.unresolvedConflicts(of: device.folder.appendingPathComponent("a.txt")) {
                let text = try String(contentsOf: version.url, encoding: .utf8)
                found.formUnion(text.split(separator: "\n").map(String.init))
            }
            #expect(found == wanted, "seed \(world.seed)")
        }
        try world.end()
    }

    @Test("A seed gives the same faults, names and numbers again, and another one others")
    func seeds() throws {
        func fates(_ seed: UInt64) throws -> [String] {
            let faults = MessageFaults(try WorldSeed(seed).numbers(for: .line(1)))
            faults.begin(LineFaults(lost: 0.2, unanswered: 0.2, doubled: 0.2, late: 0.2))
            return (0..<200).map { _ in
                let fate = faults.next(mayBeRepeated: true)
                return "\(fate?.fault?.rawValue ?? "arrives") \(fate?.delaySeconds ?? 0)"
            }
        }
        #expect(try fates(7) == fates(7))
        #expect(try fates(7) != fates(8))
        #expect(try Set(fates(7).map { $0.prefix { $0 != " " } }).count == LineFault.allCases.count + 1)

        let worlds = try [7, 7, 8].map { try DocumentWorld(seed: $0) }
        let devices = try worlds.map { try $0.devices("phone", "pad") }
        #expect(devices[0].1.identity.id == devices[1].1.identity.id)
        #expect(devices[0].1.identity.id != devices[2].1.identity.id)
        #expect(devices[0].0.identity.id != devices[0].1.identity.id)
        var numbers = worlds.map { $0.numbers() }
        let drawn = numbers.indices.map { numbers[$0].next() }
        #expect(drawn[0] == drawn[1] && drawn[0] != drawn[2])
        for world in worlds { try world.end() }
    }

    @Test(
        "What is not said does not go wrong, and shares that make a whole do, in whatever order they are added up"
    )
    func shares() {
        #expect(LineFaults(lost: 1).shares.values.reduce(0, +) == 1)
        #expect(LineFaults(doubled: 0.3).shares.filter { $0.value > 0 } == [.doubled: 0.3])
        #expect(LineFaults.some.shares.values.allSatisfy { $0 > 0 })
        for lost in 0...20 {
            for unanswered in 0...(20 - lost) {
                for doubled in 0...(20 - lost - unanswered) {
                    let late = 20 - lost - unanswered - doubled
                    let shares = [lost, unanswered, doubled, late].map { Double($0) * 0.05 }
                    let faults = LineFaults(
                        lost: shares[0],
                        unanswered: shares[1],
                        doubled: shares[2],
                        late: shares[3]
                    )
                    #expect(faults.isPossible)
                }
            }
        }
    }

    @Test("Shares that no line can have are mistakes, also where they came later")
    func impossibleShares() async {
        let impossible: [[LineFault: Double]] = [
            [.lost: 0.6, .late: 0.5], [.doubled: -0.1], [.unanswered: .nan],
        ]
        for shares in impossible {
            var faults = LineFaults()
            faults.shares = shares
            #expect(!faults.isPossible, "\(shares)")
        }
        for delaySeconds in [0...Double.infinity, -1...0] {
            var faults = LineFaults.some
            faults.delaySeconds = delaySeconds
            #expect(!faults.isPossible, "\(delaySeconds)")
        }
        await #expect(processExitsWith: .failure) { _ = LineFaults(lost: 0.8, late: 0.3) }
        await #expect(processExitsWith: .failure) {
            let world = try DocumentWorld()
            let phone = try world.devices(["phone"])[0]
            // Nobody removes it when this process is gone.
            try world.end()
            var faults = LineFaults(lost: 0.5)
            faults.shares[.late] = 0.6
            phone.disturbLine(faults)
        }
    }

    @Test("A late message is overtaken by some that are sent later, and then arrives")
    func late() throws {
        let faults = MessageFaults(SeededGenerator(seed: 1))
        faults.begin(LineFaults(late: 1))
        let fate = try #require(faults.next(mayBeRepeated: true))
        #expect(fate.fault == .late && (1...4).contains(fate.overtakingCount))
        var count = 0
        let box = Arrivals()
        faults.hold({ box.note() }, until: 2)
        while !box.hasArrived {
            // What only asks is not late.
            #expect(faults.next(mayBeRepeated: false)?.fault == nil)
            count += 1
            try #require(count < 10)
        }
        #expect(count == 3)
    }

    @Test("Three devices are not taken for two, nor two for three")
    func wrongCounts() async {
        await #expect(processExitsWith: .failure) {
            let world = try DocumentWorld()
            // Nobody removes it when this process is gone.
            try? FileManager.default.removeItem(at: world.folder)
            let (one, two) = try world.devices(3)
            print(one, two)
        }
        await #expect(processExitsWith: .failure) {
            let world = try DocumentWorld()
            try? FileManager.default.removeItem(at: world.folder)
            let (one, two, three) = try world.devices(2)
            print(one, two, three)
        }
    }

    @Test("A failure says the seed and how to replay it")
    func failures() async throws {
        let world = try DocumentWorld(seed: 4711)
        let devices = try world.devices(3)
        #expect(devices.map(\.name) == ["device 1", "device 2", "device 3"])
        #expect(try world.devices(1).map(\.name) == ["device 4"])
        let (five, six) = try world.devices(2)
        let (seven, eight, nine) = try world.devices(3)
        #expect([five, six, seven, eight, nine].map(\.name) == (5...9).map { "device \($0)" })
        let missing = await #expect(throws: WorldDocumentFailure.self) {
            try await world.edit(Log.init, "none.txt", on: devices[0]) { $0.lines = [] }
        }
        #expect(missing?.seed == 4711)
        #expect(missing?.description.contains("SHEAF_SEED=4711") == true)
        try await world.create(Log.init, "a.txt", on: devices[0]) { $0.lines = ["one"] }
        try await world.settle()
        try devices[1].fillDisk()
        try await world.edit(Log.init, "a.txt", on: devices[0]) { $0.lines = ["two"] }
        let stuck = await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.1) }
        #expect(stuck?.seed == 4711)
        #expect(stuck?.description.contains("SHEAF_SEED=4711") == true)
        try world.end()
    }
}

/// Whether something has arrived.
private final class Arrivals: Sendable {
    private let state = Locked(false)
    var hasArrived: Bool { state.withLock { $0 } }
    func note() { state.withLock { $0 = true } }
}

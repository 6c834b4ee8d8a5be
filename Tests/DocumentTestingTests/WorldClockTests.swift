import DocumentFoundation
import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

private final class Note: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

@Suite("Clocks of a world's devices", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldClockTests {
    private static let tenYears = 10 * 365.25 * 86400

    /// The dates of a document's versions on a device, in years from now.
    private func years(of name: String, on device: WorldDevice) async throws -> Set<Int> {
        let url = device.folder.appendingPathComponent(name)
        let dates = try await device.run {
            try (NSFileVersion.otherVersionsOfItem(at: url) ?? []).map { try #require($0.modificationDate) }
        }
        return Set(dates.map { Int(($0.timeIntervalSinceNow / Self.tenYears * 10).rounded()) })
    }

    @Test(
        "Edits of a device whose clock is wrong by ten years are merged, and none is lost",
        arguments: [1.0, -1]
    )
    func concurrentEdits(direction: Double) async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        pad.setClock(aheadBySeconds: direction * Self.tenYears)
        try await world.create(Note.init, "a.txt", on: phone) { $0.text = "one\ntwo\nthree\n" }
        try await world.create(Note.init, "b.txt", on: pad) { $0.text = "of the pad\n" }
        try await world.settle()
        // What the later date of the two is must not matter.
        for round in 1...3 {
            for device in [phone, pad] { device.goOffline() }
            try await world.edit(Note.init, "a.txt", on: pad) { $0.text += "pad \(round)\n" }
            try await world.edit(Note.init, "a.txt", on: phone) { $0.text = "phone \(round)\n" + $0.text }
            for device in [phone, pad] { device.goOnline() }
            try await world.settle()
        }
        let merged = "phone 3\nphone 2\nphone 1\none\ntwo\nthree\npad 1\npad 2\npad 3\n"
        for device in [phone, pad] {
            try await world.look(Note.init, "a.txt", on: device) {
                #expect($0.text == merged, "\(device.name)")
            }
            try await world.look(Note.init, "b.txt", on: device) { #expect($0.text == "of the pad\n") }
            #expect(try device.unresolvedConflicts(of: device.folder.appendingPathComponent("a.txt")) == [])
        }
        try world.end()
    }

    @Test("Edits in the same place are one conflict, whatever the clocks say", arguments: [1.0, -1])
    func conflict(direction: Double) async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        pad.setClock(aheadBySeconds: direction * Self.tenYears)
        try await world.create(Note.init, "a.txt", on: phone) { $0.text = "one\n" }
        try await world.settle()
        pad.goOffline()
        try await world.edit(Note.init, "a.txt", on: phone) { $0.text = "of the phone\n" }
        try await world.edit(Note.init, "a.txt", on: pad) { $0.text = "of the pad\n" }
        try await world.settle()
        pad.goOnline()
        try await world.settle()
        for device in [phone, pad] {
            let url = device.folder.appendingPathComponent("a.txt")
            // The first at the hub stays, not the one with the later date.
            try await world.look(Note.init, "a.txt", on: device) { #expect($0.text == "of the phone\n") }
            let versions = try device.unresolvedConflicts(of: url)
            #expect(try versions.map { try String(contentsOf: $0.url, encoding: .utf8) } == ["of the pad\n"])
        }
        try world.end()
    }

    /// How old a document is on both devices, in years from now.
    private func expectAge(
        _ years: Double,
        of name: String,
        on devices: [WorldDevice],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let dates = try devices.map { device in
            let url = device.folder.appendingPathComponent(name)
            let values = try url.resourceValues(forKeys: [.contentModificationDateKey])
            return try #require(values.contentModificationDate, sourceLocation: location)
        }
        #expect(dates.allSatisfy { $0 == dates[0] }, "\(dates)", sourceLocation: location)
        let found = dates[0].timeIntervalSinceNow / Self.tenYears * 10
        #expect(abs(found - years) < 0.1, "\(dates)", sourceLocation: location)
    }

    @Test("A document is as old as whoever changed it says, and one that is merged as who has merged it says")
    func dates() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        pad.setClock(aheadBySeconds: Self.tenYears)
        try await world.create(Note.init, "a.txt", on: phone) { $0.text = "one\ntwo\nthree\n" }
        try await world.settle()
        try expectAge(0, of: "a.txt", on: [phone, pad])
        pad.goOffline()
        try await world.edit(Note.init, "a.txt", on: phone) { $0.text = "ONE\ntwo\nthree\n" }
        try await world.edit(Note.init, "a.txt", on: pad) { $0.text = "one\ntwo\nTHREE\n" }
        try await world.settle()
        pad.goOnline()
        try await world.settle()
        try expectAge(10, of: "a.txt", on: [phone, pad])
        // A clock that goes right again is no harm either.
        try await world.edit(Note.init, "a.txt", on: pad) { $0.text += "four\n" }
        try await world.settle()
        pad.setClock(aheadBySeconds: 0)
        try await world.edit(Note.init, "a.txt", on: pad) { $0.text += "five\n" }
        try await world.settle()
        try await world.look(Note.init, "a.txt", on: phone) {
            #expect($0.text == "ONE\ntwo\nTHREE\nfour\nfive\n")
        }
        try expectAge(0, of: "a.txt", on: [phone, pad])
        // As the versions were that are no more.
        #expect(try await years(of: "a.txt", on: pad) == [10, 0])
        try world.end()
    }
}

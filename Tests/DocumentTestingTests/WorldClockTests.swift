import DocumentFoundation
import DocumentTesting
import Foundation
import Testing
import UIKit

private final class Note: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

@Suite("Clocks of a world's devices", .timeLimit(.minutes(2)))
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

    @Test("A device says its own time of versions and of what comes to it")
    func dates() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        pad.setClock(aheadBySeconds: Self.tenYears)
        try await world.create(Note.init, "a.txt", on: phone) { $0.text = "one\n" }
        try await world.settle()
        for (device, years) in [(phone, 0.0), (pad, 10)] {
            let url = device.folder.appendingPathComponent("a.txt")
            let date = try #require(
                url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
            )
            #expect(abs(date.timeIntervalSinceNow / Self.tenYears * 10 - years) < 0.1)
        }
        // A clock that goes right again is no harm either.
        try await world.edit(Note.init, "a.txt", on: pad) { $0.text = "two\n" }
        try await world.settle()
        pad.setClock(aheadBySeconds: 0)
        try await world.edit(Note.init, "a.txt", on: pad) { $0.text = "three\n" }
        try await world.settle()
        try await world.look(Note.init, "a.txt", on: phone) { #expect($0.text == "three\n") }
        #expect(try await years(of: "a.txt", on: phone) == [0])
        #expect(try await years(of: "a.txt", on: pad) == [10, 0])
        try world.end()
    }
}

import Foundation
import Testing

@testable import UIKit

@Suite("SavedSessions")
struct SavedSessionsTests {
    private static func state(_ text: String) -> RestorationState {
        RestorationState(activity: Data(text.utf8))
    }

    @Test("The state that changed last is the latest; one that is the same changes nothing")
    func latest() {
        var sessions = SavedSessions()
        #expect(sessions.latest == nil)
        sessions.put(Self.state("sea"), for: "a")
        sessions.put(Self.state("sky"), for: "b")
        sessions.put(Self.state("sea"), for: "a")
        #expect(sessions.latest == "b")
        sessions.put(Self.state("land"), for: "a")
        #expect(sessions.latest == "a")
        #expect(sessions.knows("b") && !sessions.knows("c"))
    }

    @Test("A state is given back as it was; an empty one and an unknown one are nothing to restore")
    func restores() {
        var sessions = SavedSessions()
        sessions.put(Self.state("sea"), for: "a")
        sessions.put(RestorationState(), for: "b")
        #expect(sessions.beginRestoring("a") == Self.state("sea"))
        #expect(sessions.beginRestoring("b") == nil)
        #expect(sessions.beginRestoring("c") == nil)
    }

    @Test("A state that a process ended over is dropped, one that was restored is not")
    func dropsInterrupted() {
        var sessions = SavedSessions()
        for name in ["a", "b", "c"] { sessions.put(Self.state(name), for: name) }
        _ = sessions.beginRestoring("a")
        _ = sessions.beginRestoring("b")
        sessions.endRestoring("b")
        sessions.dropInterrupted()
        #expect(sessions.entries.map(\.identifier) == ["b", "c"])
    }

    @Test("What changes while it is being restored is still being restored")
    func changesWhileRestoring() {
        var sessions = SavedSessions()
        sessions.put(Self.state("sea"), for: "a")
        _ = sessions.beginRestoring("a")
        sessions.put(Self.state("sky"), for: "a")
        sessions.dropInterrupted()
        #expect(sessions.entries.isEmpty)
    }

    @Test("No more tabs are remembered than the bound; the one that changed longest ago goes")
    func bounded() {
        var sessions = SavedSessions()
        for number in 0...SavedSessions.entryCountMax { sessions.put(Self.state("x"), for: "\(number)") }
        #expect(sessions.entries.count == SavedSessions.entryCountMax)
        #expect(!sessions.knows("0") && sessions.knows("1"))
    }
}

@Suite("StateFile")
struct StateFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    private func remove() { try? FileManager.default.removeItem(at: folder) }  // in the temporary folder

    @Test("What was saved is loaded, and nobody else can read it")
    func keeps() throws {
        defer { remove() }
        let file = StateFile(in: folder)
        #expect(file.load() == SavedSessions())
        var sessions = SavedSessions()
        sessions.put(RestorationState(activity: Data([1]), folder: "Trips"), for: "a")
        file.save(sessions)
        sessions.put(RestorationState(folder: "Homes"), for: "b")
        file.saveNow(sessions)
        #expect(StateFile(in: folder).load() == sessions)
        let place = folder.appendingPathComponent(StateFile.name).path
        let attributes = try FileManager.default.attributesOfItem(atPath: place)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("A file that cannot be understood is forgotten, and replaced by the next save")
    func damaged() throws {
        defer { remove() }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("no list".utf8).write(to: folder.appendingPathComponent(StateFile.name))
        let file = StateFile(in: folder)
        #expect(file.load() == SavedSessions())
        var sessions = SavedSessions()
        sessions.put(RestorationState(folder: "Trips"), for: "a")
        file.saveNow(sessions)
        #expect(file.load() == sessions)
    }
}

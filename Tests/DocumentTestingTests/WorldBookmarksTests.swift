import DocumentFoundation
import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

/// Bytes that nobody merges.
private final class Page: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

/// What an app keeps for the device's user beside documents: each device has its own.
@Suite("Bookmarks, identifiers and groups' folders in a world", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldBookmarksTests {
    /// What a bookmark leads to.
    private nonisolated func resolved(_ data: Data) throws -> String {
        var isStale = false
        return try URL(resolvingBookmarkData: data, bookmarkDataIsStale: &isStale).standardizedFileURL.path
    }

    @Test(
        "A document that is bookmarked on two devices is one document, in conflict on both, as on two machines"
    )
    func conflict() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Page.init, "a.bin", on: phone) { $0.text = "first" }
        try await world.settle()
        var (bookmarks, numbers): ([Data], [Int]) = ([], [])
        for device in [phone, pad] {
            let url = device.folder.appendingPathComponent("a.bin")
            bookmarks.append(try await device.run { try url.bookmarkData() })
            let values = try url.resourceValues(forKeys: [.documentIdentifierKey])
            numbers.append(try #require(values.documentIdentifier))
        }
        #expect(numbers[0] == numbers[1])
        pad.goOffline()
        try await world.edit(Page.init, "a.bin", on: phone) { $0.text = "the phone's" }
        try await world.settle([phone])
        try await world.edit(Page.init, "a.bin", on: pad) { $0.text = "the pad's" }
        pad.goOnline()
        try await world.settle()
        for (device, data) in zip([phone, pad], bookmarks) {
            let url = device.folder.appendingPathComponent("a.bin")
            #expect(try device.unresolvedConflicts(of: url).count == 1, "\(device.name)")
            #expect(try await device.run { try resolved(data) } == url.path)
            #expect(try resolved(data) == url.path)
        }
        // As a bookmark of another machine.
        await #expect(throws: CocoaError.self) { try await pad.run { try resolved(bookmarks[0]) } }
    }

    @Test("A bookmark leads to where its document was moved, and is no good on a disk from before its key")
    func moves() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let phone = try world.devices(["phone"])[0]
        let backup = try phone.backUp()
        try await world.create(Page.init, "a.bin", on: phone) { $0.text = "first" }
        let (url, files) = (phone.folder.appendingPathComponent("a.bin"), FileManager.default)
        let target = phone.folder.appendingPathComponent("deep/down/b.bin")
        let data = try url.bookmarkData()
        try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try files.moveItem(at: url, to: target)
        #expect(try await phone.run { try resolved(data) } == target.path)
        try phone.restore(backup)
        await #expect(throws: CocoaError.self) { try await phone.run { try resolved(data) } }
    }

    @Test("A group has a folder on each device, and none on a device of a world that has ended")
    func groups() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        func folder() -> URL? {
            FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.org.example.notes")
        }
        let folders = [await phone.run { folder() }, await pad.run { folder() }].compactMap { $0?.path }
        #expect(Set(folders).count == 2)
        for path in folders { #expect(path.hasPrefix(world.folder.path + "/"), "\(path)") }
        try world.end()
        #expect(await phone.run { folder() } == nil)
        #expect(!FileManager.default.fileExists(atPath: world.folder.path))
    }

    @Test("Nothing of it is in the home of whoever runs the test")
    func home() async {
        await #expect(processExitsWith: .success) {
            let files = FileManager.default
            let home = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try files.createDirectory(at: home, withIntermediateDirectories: true)
            defer { try? files.removeItem(at: home) }
            setenv("HOME", home.path, 1)
            for name in ["XDG_STATE_HOME", "XDG_DATA_HOME"] { unsetenv(name) }
            let world = try DocumentWorld()
            for device in try world.devices(["phone", "pad"]) {
                let url = device.folder.appendingPathComponent("\(device.name).txt")
                try Data("text".utf8).write(to: url)
                let target = url.appendingPathExtension("moved")
                try await device.run {
                    _ = files.containerURL(forSecurityApplicationGroupIdentifier: "group.org.example.notes")
                    let data = try url.bookmarkData()
                    try files.moveItem(at: url, to: target)
                    NSFileCoordinator().item(at: url, didMoveTo: target)
                    var isStale = false
                    let found = try URL(resolvingBookmarkData: data, bookmarkDataIsStale: &isStale)
                    precondition(found.path == target.path)
                }
                let values = try target.resourceValues(forKeys: [.documentIdentifierKey])
                precondition(values.documentIdentifier != nil)
            }
            try await world.settle()
            try world.end()
            for name in [".local/state", ".local/share"] {
                let kept =
                    (try? files.subpathsOfDirectory(atPath: home.appendingPathComponent(name).path)) ?? []
                precondition(kept.isEmpty, "\(kept)")
            }
        }
    }
}

import DocumentFoundation
import FileSystem
import Foundation
import SyncMessages
import Testing

@testable import UIKit

/// A browser of a location that is kept in step with other devices.
@Suite("A browser of what is kept in step", .timeLimit(.minutes(5)))
@MainActor
struct SyncedBrowserTests {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    private func evict(_ id: String) throws {
        let path = FilePath(shelf.at(id).path)
        let placeholder = Placeholder(name: path.name, byteCount: 7, isDirectory: false, typeIdentifier: nil)
        let place = try #require(Placeholder.place(for: path))
        try placeholder.encoded().write(to: place.url(isDirectory: false))
    }

    private func state(_ path: String, _ change: (inout ItemSyncState) -> Void) -> ItemSyncState {
        var state = ItemSyncState(path: path)
        change(&state)
        return state
    }

    @Test(
        "What waits for contents before it is done holds up nothing else, and can be called off",
        arguments: ["trash", "duplicate"],
        ["Album", "a.txt"]
    )
    func waiting(verb: String, item: String) async throws {
        let synced = try SyncedShelf(shelf)
        defer { synced.end() }
        try shelf.makeFolder("Album")
        try evict("Album/b.txt")
        try evict("a.txt")
        try shelf.write("c.txt")
        try await synced.run {
            let stage = try await BrowserStage(shelf)
            defer { stage.browser.model.stop() }
            let deed = Task {
                try await stage.perform(Substring(verb), ["items": [item]]) as? [String: Bool]
            }
            await synced.whenAsked()
            #expect(try await stage.items("rename", ["item": "c.txt", "name": "d"]) == ["d.txt"])
            try await stage.perform("cancel", ["items": [item]])
            #expect(try await deed.value == ["calledOff": true])
            #expect(stage.names == ["Album", "a.txt", "d.txt"])
            #expect(stage.browser.model.history.undoTitle?.contains("Rename") == true)
        }
    }

    @Test("What is kept from sync is not said to be in step, nor is what is in such a folder")
    func excluded() async throws {
        try shelf.write("a.txt")
        try shelf.write("cache/b.txt")
        try shelf.write("c.txt")
        for name in ["a.txt", "cache"] { try SyncExclusion.set(true, FilePath(shelf.at(name).path)) }
        let synced = try SyncedShelf(shelf)
        defer { synced.end() }
        try await synced.run {
            let stage = try await BrowserStage(shelf)
            defer { stage.browser.model.stop() }
            let browser = stage.browser
            @MainActor func shown(_ id: String) -> String? {
                browser.model.items[id].flatMap { browser.syncDescription(of: $0)?.state }
            }
            await stage.until { shown("c.txt") == "settled" }
            #expect(shown("a.txt") == "excluded" && shown("cache") == "excluded")
            try SyncExclusion.set(false, FilePath(shelf.at("a.txt").path))
            await stage.until { shown("a.txt") == "settled" }
            try await stage.perform("enter", ["folder": "cache"])
            await stage.until { shown("cache/b.txt") == "excluded" }
        }
    }

    @Test("Two items whose names only look alike stand each as it does")
    func alike() async throws {
        let names = ["\u{e9}.txt", "e\u{301}.txt"]
        for name in names { try shelf.write(name) }
        let synced = try SyncedShelf(
            shelf,
            [state(names[0]) { $0.hasConflicts = true }, state(names[1]) { $0.contents = .stale }]
        )
        defer { synced.end() }
        try await synced.run {
            let stage = try await BrowserStage(shelf)
            defer { stage.browser.model.stop() }
            let model = stage.browser.model
            @MainActor func standing(_ name: String) -> ItemSyncState.Standing? {
                model.items[name].flatMap { model.standing(of: $0) }
            }
            await stage.until { standing(names[0]) == .conflict }
            #expect(standing(names[1]) != nil && standing(names[1]) != .conflict)
        }
    }

    @Test("What is done to several is done to all that it can be done to; what was not is named")
    func several() async throws {
        for name in ["a.txt", "b.txt", "c.txt"] { try shelf.write(name) }
        let stage = try await BrowserStage(shelf)
        defer { stage.browser.model.stop() }
        let model = stage.browser.model
        let items = ["a.txt", "b.txt", "c.txt"].compactMap { model.items[$0] }
        let answer = await withCheckedContinuation { continuation in
            stage.browser.perform("Pause", items, { continuation.resume(returning: $0.map { _ in true }) }) {
                url in
                if url.lastPathComponent == "a.txt" { throw CocoaError(.fileNoSuchFile) }
                try FileManager.default.removeItem(at: url)
            }
        }
        guard case .failure(let refusal) = answer else {
            Issue.record("nothing was refused")
            return
        }
        #expect(refusal.title == "Pause was not possible for “a.txt”")
        #expect(try shelf.names() == ["a.txt"])
    }
}

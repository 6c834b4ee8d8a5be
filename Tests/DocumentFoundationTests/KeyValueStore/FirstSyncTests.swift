import Dispatch
import FileSystem
import Foundation
import KeyValues
import SyncMessages
import TestFolders
import Testing

@testable import DocumentFoundation

/// What becomes of what a store's process writes before the first values of other devices have come.
@Suite("First sync of a key-value store", .timeLimit(.minutes(2)))
struct FirstSyncTests {
    private let folder: TestFolder
    private let place: AccountPlace

    init() throws { (folder, place) = (try TestFolder("key-values"), try AccountPlace()) }

    /// A device that is joined just now, and which nobody keeps in step unless a test says so.
    private func settings(_ device: String) -> KeyValueSettings {
        let place = FilePath(folder.url.path).appending(device)
        return KeyValueSettings(folder: place, appName: "app", container: "container")
    }

    private func store(on device: String) -> NSUbiquitousKeyValueStore {
        UbiquityAccount.$shared.withValue(place.account()) { NSUbiquitousKeyValueStore(settings(device)) }
    }

    private func values(of device: String) throws -> KeyValueState {
        try #require(try KeyValueFile(settings(device)).load())
    }

    /// What comes of what two devices' files hold.
    private func merged(_ one: String, _ other: String) throws -> KeyValueState {
        var state = try values(of: one)
        state.merge(try values(of: other))
        return state
    }

    /// Has the defaults of an app's launch be written on a device that waits.
    private func launch(on device: String) {
        let store = store(on: device)
        for value in ["one", "two", "default"] { store.set(value, forKey: "theme") }
        #expect(store.synchronize())
    }

    @Test(
        "What the first device has written before it was in step stays, however much the next one writes before it is"
    )
    func firstDevice() throws {
        let first = store(on: "first")
        first.set("sepia", forKey: "theme")
        first.set("gone", forKey: "removed")
        first.removeObject(forKey: "removed")
        #expect(first.synchronize())
        first.endInitialSync()
        #expect(try !values(of: "first").hasEarlyWrites)
        launch(on: "second")
        #expect(try merged("first", "second").values == ["theme": .text("sepia")])
        #expect(first.string(forKey: "theme") == "sepia")
    }

    @Test(
        "What has not given way to the first values stays, too, whatever a further device writes before it is in step"
    )
    func notGivenWay() throws {
        let other = store(on: "other")
        other.set("there", forKey: "page")
        #expect(other.synchronize())
        other.endInitialSync()
        let first = store(on: "first")
        first.set("sepia", forKey: "theme")
        first.set("here", forKey: "page")
        #expect(first.synchronize())
        // As the engine has the other device's be here.
        _ = try KeyValueFile(settings("first")).join(try values(of: "other"))
        #expect(first.synchronize())
        #expect(first.string(forKey: "page") == "there" && first.string(forKey: "theme") == "sepia")
        #expect(try !values(of: "first").hasEarlyWrites)
        launch(on: "second")
        #expect(try merged("first", "second")["theme"] == .text("sepia"))
    }

    @Test("So does what a process has left that ended before", arguments: [false, true])
    func left(isSomethingThere: Bool) async throws {
        launch(on: "first")
        if isSomethingThere {
            let other = store(on: "other")
            other.set("there", forKey: "page")
            #expect(other.synchronize())
            other.endInitialSync()
            _ = try KeyValueFile(settings("first")).join(try values(of: "other"))
        }
        #expect(try values(of: "first").hasEarlyWrites)
        let next = store(on: "first")
        defer { withExtendedLifetime(next) {} }
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let watched = try #require(settings("first").folder)
        let watch = try DirectoryWatch(watched, on: DispatchQueue(label: "first sync")) { _ in
            continuation.yield()
        }
        defer { withExtendedLifetime(watch) {} }
        let stub = try StatesStub(place) { _ in .changed([], isSettled: true) }
        defer { withExtendedLifetime(stub) {} }
        for await _ in changes where try !values(of: "first").hasEarlyWrites { break }
        #expect(try values(of: "first")["theme"] == .text("default"))
    }
}

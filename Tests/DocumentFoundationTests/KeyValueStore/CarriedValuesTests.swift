import FileSystem
import Foundation
import KeyValues
import SyncMessages
import Testing

@testable import DocumentFoundation

/// What becomes of the values of before a folder was joined, and of one that is left.
@Suite("Key-value stores of before a folder is joined, and after it is left", .timeLimit(.minutes(2)))
struct CarriedValuesTests {
    private let place: AccountPlace
    private let own: KeyValueSettings

    init() throws {
        place = try AccountPlace()
        own = KeyValueSettings(folder: FilePath(place.base.path).appending("own"), appName: "app")
    }

    private func locate(_ account: UbiquityAccount) throws -> KeyValueSettings {
        guard var settings = try KeyValueSettings(of: account, environment: [:], appName: "app") else {
            return own
        }
        settings.ownFolder = own.folder
        return settings
    }

    private func stores() -> KeyValueStores {
        let (account, test) = (place.account(), self)
        return UbiquityAccount.$shared.withValue(account) {
            KeyValueStores(asking: { account }) { try test.locate(account) }
        }
    }

    /// Another device's values in the folder that is joined.
    private func put(_ values: [String: String]) throws {
        var state = KeyValueState()
        let writer = KeyValueState.Writer([UInt8](repeating: 1, count: 16))
        for (key, value) in values {
            #expect(state.set(.text(value), key, at: .first, by: writer) == true)
        }
        _ = try KeyValueFile(try locate(place.account())).join(state)
    }

    /// What is in the file of the folder that is joined.
    private var joined: KeyValueState {
        get throws { try #require(try KeyValueFile(try locate(place.account())).load()) }
    }

    private var ownNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: try #require(own.folder).string) }
    }

    /// Has an app store something before anything is joined.
    private func store(_ values: [(String, String)], _ stores: KeyValueStores) {
        let store = NSUbiquitousKeyValueStore(on: stores)
        for (key, value) in values { store.set(value, forKey: key) }
        #expect(store.synchronize())
    }

    private static let values = [("theme", "one"), ("theme", "two"), ("theme", "white"), ("own", "here")]

    @Test(
        "What was stored before is in the folder once it is joined, and gives way to what was there",
        arguments: [true, false]
    )
    func joining(isRunning: Bool) throws {
        let first = stores()
        store(Self.values, first)
        _ = try place.join("cloud", at: 1)
        try put(["theme": "sepia", "there": "x"])
        let next = isRunning ? first : stores()
        next.core.followAccount()
        let store = NSUbiquitousKeyValueStore(on: next)
        let all: [String: KeyValue] = ["theme": .text("sepia"), "own": .text("here"), "there": .text("x")]
        #expect(next.core.values == all)
        #expect(try joined.values == all)
        // It is done once.
        #expect(try ownNames.count == 1 && ownNames[0].hasPrefix("app.keyvalues.joined-"))
        store.removeObject(forKey: "own")
        #expect(store.synchronize())
        #expect(try joined.values.keys.sorted() == ["theme", "there"])
    }

    @Test("Nor does it do harm to do it twice, as after a power cut")
    func twice() throws {
        store(Self.values, stores())
        let file = KeyValueFile(own)
        let former = try Data(contentsOf: file.path.url(isDirectory: false))
        _ = try place.join("cloud", at: 1)
        let store = NSUbiquitousKeyValueStore(on: stores())
        store.set("black", forKey: "theme")
        store.removeObject(forKey: "own")
        #expect(store.synchronize())
        try former.write(to: file.path.url(isDirectory: false))
        let again = NSUbiquitousKeyValueStore(on: stores())
        #expect(again.string(forKey: "theme") == "black" && again.object(forKey: "own") == nil)
        #expect(try joined.values == ["theme": .text("black")])
        #expect(try file.load() == nil)
    }

    @Test("What could not be saved before comes along, too")
    func unsaved() throws {
        let stores = stores()
        let store = NSUbiquitousKeyValueStore(on: stores)
        store.set("old", forKey: "theme")
        #expect(store.synchronize())
        try RefusedCalls(["openat"], in: try #require(own.folder), ENOSPC).during {
            store.set("white", forKey: "theme")
            #expect(!store.synchronize())
            _ = try place.join("cloud", at: 1)
            stores.core.followAccount()
        }
        #expect(store.string(forKey: "theme") == "white")
        #expect(try joined.values == ["theme": .text("white")])
    }

    @Test("From one account to another nothing comes along")
    func accounts() throws {
        _ = try place.join("cloud", at: 1)
        let stores = stores()
        store(Self.values, stores)
        let folder = FilePath(place.base.path).appending("other")
        stores.core.changeAccount(to: KeyValueSettings(folder: folder, appName: "app", container: "other"))
        #expect(stores.core.values.isEmpty)
    }

    @Test("A store whose folder is left is in the one that is joined still")
    func left() async throws {
        _ = try place.join("one", identifier: "iCloud.com.example", at: 1)
        _ = try place.join("two", at: 2)
        let left = KeyValueFile(try locate(place.account()))
        let store = NSUbiquitousKeyValueStore(on: stores())
        store.set("former", forKey: "former")
        #expect(store.synchronize())
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: nil
        ) { note in
            let reason = note.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? NSNumber
            continuation.yield(reason?.intValue ?? -1)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let container = String(format: "%032x", 2)
        try FileManager.default.removeItem(
            at: place.home.appendingPathComponent("containers/\(container)/settings")
        )
        store.set("white", forKey: "theme")
        #expect(store.synchronize())
        #expect(try joined.values == ["theme": .text("white")])
        #expect(store.dictionaryRepresentation.keys.sorted() == ["theme"])
        #expect(try left.load()?.values == ["former": .text("former")])
        var told = stream.makeAsyncIterator()
        #expect(await told.next() == NSUbiquitousKeyValueStoreAccountChange)
    }
}

import DocumentTesting
import Foundation
import Locks
import TestThreads
import Testing
import UIKit

@Suite("Key-value stores and the trash in a world", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldKeyValuesTests {
    private let store = NSUbiquitousKeyValueStore.default

    private func theme(on device: WorldDevice) async -> String? {
        await device.run { store.string(forKey: "theme") }
    }

    private func set(_ theme: String, on device: WorldDevice) async {
        await device.run { store.set(theme, forKey: "theme") }
    }

    @Test("What an app stores on one device it has on another when both are in step, and not before")
    func synced() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        pad.goOffline()
        await set("sepia", on: phone)
        #expect(await theme(on: phone) == "sepia")
        #expect(await theme(on: pad) == nil)
        try await world.settle()
        #expect(await theme(on: pad) == nil)
        pad.goOnline()
        try await world.settle()
        #expect(await theme(on: pad) == "sepia")

        await set("dark", on: pad)
        await pad.run { store.set(Int64(7), forKey: "page") }
        try await world.settle()
        #expect(await theme(on: phone) == "dark")
        #expect(await phone.run { store.longLong(forKey: "page") } == 7)
        // A store that the app makes by itself is on the same.
        #expect(await phone.run { NSUbiquitousKeyValueStore().string(forKey: "theme") } == "dark")
        let desk = try world.devices(["desk"])[0]
        try await world.settle()
        #expect(await theme(on: desk) == "dark")
    }

    @Test("Written on several devices that do not know of one another, one value comes to all")
    func apart() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let devices = try world.devices(3)
        for (number, device) in devices.enumerated() { await set("\(number)", on: device) }
        try await world.settle()
        let first = await theme(on: devices[0])
        #expect(first != nil)
        for device in devices {
            #expect(await theme(on: device) == first, "seed \(world.seed)")
            device.goOffline()
        }
        await set("a", on: devices[0])
        await set("b", on: devices[1])
        await set("c", on: devices[1])
        for device in devices { device.goOnline() }
        try await world.settle()
        for device in devices { #expect(await theme(on: device) == "c", "seed \(world.seed)") }
    }

    @Test("Nothing leaks from world to world, nor to what is on no device, nor out of a world that has ended")
    func apartFromOthers() async throws {
        let world = try DocumentWorld()
        let other = try DocumentWorld()
        defer { try? other.end() }
        let (phone, stranger) = (try world.devices(["phone"])[0], try other.devices(["phone"])[0])
        let key = UUID().uuidString
        await phone.run { store.set("phone", forKey: key) }
        #expect(store.string(forKey: key) == nil)
        #expect(await stranger.run { store.string(forKey: key) } == nil)
        store.set("nobody", forKey: key)
        // It is in memory alone.
        #expect(store.string(forKey: key) == "nobody" && !store.synchronize())
        #expect(await phone.run { store.string(forKey: key) } == "phone")
        await phone.run { store.set("late", forKey: key) }
        try world.end()
        #expect(!FileManager.default.fileExists(atPath: world.folder.path))
        let isKept = await phone.run {
            store.set("too late", forKey: key)
            return store.synchronize()
        }
        #expect(!isKept && !FileManager.default.fileExists(atPath: world.folder.path))
        #expect(await stranger.run { store.string(forKey: key) } == nil)
    }

    @Test("What comes from another device is told on the device that it has come to")
    func told() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        await set("sepia", on: phone)
        await set("sepia", on: pad)
        try await world.settle()
        let (token, store) = await pad.run { (Self.token, NSUbiquitousKeyValueStore.default) }
        let (key, name) = ("\(world.seed)", NSUbiquitousKeyValueStore.didChangeExternallyNotification)
        let heard: Locked<[String?]> = Locked([])
        let observer = NotificationCenter.default.addObserver(forName: name, object: store, queue: nil) {
            note in
            let keys = note.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
            if keys.contains(key) { heard.withLock { $0.append(Self.token) } }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        await phone.run { store.set("news", forKey: key) }
        try await world.settle()
        // It is posted on the main queue, after it has come.
        while heard.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(heard.withLock { $0 } == [token] && token != nil)
        #expect(await phone.run { Self.token } != token)
    }

    @Test(
        "What comes to a device is told by the stores that were made on it, and no others: not in another world either"
    )
    func toldApart() async throws {
        var worlds: [DocumentWorld] = []
        defer { for world in worlds { try? world.end() } }
        let name = NSUbiquitousKeyValueStore.didChangeExternallyNotification
        let (heard, key) = (Locked<[Int: [String?]]>([:]), UUID().uuidString)
        var (observers, stores): ([any NSObjectProtocol], [NSUbiquitousKeyValueStore]) = ([], [store])
        var devices: [WorldDevice] = []
        // Those that are to hear of nothing come first.
        for name in ["other", "tested"] {
            worlds.append(try DocumentWorld())
            for device in try worlds[worlds.count - 1].devices(["\(name) phone", "\(name) pad"]) {
                devices.append(device)
                let (store, again) = await device.run {
                    (NSUbiquitousKeyValueStore.default, NSUbiquitousKeyValueStore.default)
                }
                #expect(store === again && !stores.contains { $0 === store })
                stores.append(store)
            }
        }
        for (number, store) in stores.enumerated() {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: store, queue: nil) { note in
                    let keys = note.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
                    guard keys.contains(key) else { return }
                    let value = (note.object as? NSUbiquitousKeyValueStore)?.string(forKey: key)
                    heard.withLock { $0[number, default: []].append(value) }
                }
            )
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        for device in devices { await set("sepia", on: device) }
        for world in worlds { try await world.settle() }
        await devices[2].run { store.set("news", forKey: key) }
        for world in worlds { try await world.settle() }
        // It is posted on the main queue, after it has come.
        while heard.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(heard.withLock { $0 } == [4: ["news"]])
        // On no device a device's store has that one's values still.
        #expect(stores.map { $0.string(forKey: key) } == [nil, nil, nil, "news", "news"])
    }

    private nonisolated static var token: String? {
        FileManager.default.ubiquityIdentityToken.flatMap {
            ($0 as? NSData).map { Data($0).base64EncodedString() }
        }
    }

    @Test("A device that crashes has lost what an app had not written down, and no other value")
    func crashed() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        await set("sepia", on: phone)
        try await world.settle()
        let backup = try phone.backUp()
        try phone.crash()
        await set("dark", on: phone)
        try phone.start()
        try await world.settle()
        for device in [phone, pad] { #expect(await theme(on: device) == "sepia") }
        await set("light", on: phone)
        try await world.settle()
        try phone.restore(backup)
        try await world.settle()
        for device in [phone, pad] { #expect(await theme(on: device) == "light") }
    }

    @Test("What is thrown away on a device goes to its own trash, wherever that is done")
    func trash() async throws {
        let world = try DocumentWorld()
        let phone = try world.devices(["phone"])[0]
        for name in ["a.txt", "b.txt"] {
            try await world.create(ShoppingList.init, name, on: phone) { $0.items = ["milk"] }
        }
        func discard(_ name: String) throws -> String {
            var place: NSURL?
            let url = phone.folder.appendingPathComponent(name)
            try FileManager.default.trashItem(at: url, resultingItemURL: &place)
            #expect(!FileManager.default.fileExists(atPath: url.path))
            return try #require(place?.path)
        }
        let places = [try discard("a.txt"), try await phone.run { try discard("b.txt") }]
        for place in places {
            #expect(place.hasPrefix(world.folder.path + "/"), "\(place)")
            #expect(try String(contentsOfFile: place, encoding: .utf8) == "milk\n")
        }
        try await world.settle()
        try world.end()
        #expect(!FileManager.default.fileExists(atPath: places[0]))
    }
}

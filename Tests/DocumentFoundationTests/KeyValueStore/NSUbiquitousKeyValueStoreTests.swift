import FileSystem
import Foundation
import KeyValues
import Merging
import TestFolders
import Testing

@testable import DocumentFoundation

@Suite("NSUbiquitousKeyValueStore")
struct NSUbiquitousKeyValueStoreTests {
    /// A folder of its own, and stores on it as several processes of an app have them.
    private final class Place: Sendable {
        private let ownFolder: TestFolder
        var folder: URL { ownFolder.url }

        init() throws { ownFolder = try TestFolder("key-values") }

        func settings(_ name: String = "app") -> KeyValueSettings {
            KeyValueSettings(folder: FilePath(folder.path), appName: name)
        }

        var file: URL { folder.appendingPathComponent(settings().fileName) }

        func store() -> NSUbiquitousKeyValueStore { NSUbiquitousKeyValueStore(settings()) }

        /// Makes another device's file one with this one, as the engine does.
        func takeIn(_ other: Place) throws {
            let merged = KeyValueMerger().merge(
                base: nil,
                mine: [UInt8](try Data(contentsOf: file)),
                theirs: [UInt8](try Data(contentsOf: other.file))
            )
            let save = try StagedSave(item: FilePath(file.path))
            try save.write(Data(merged.contents))
            _ = try save.commit()
        }
    }

    private struct News: Sendable, Equatable {
        var reason: Int
        var keys: [String]
    }

    /// What a store tells, one after the other.
    private func news(of store: NSUbiquitousKeyValueStore) -> (AsyncStream<News>, any NSObjectProtocol) {
        let (stream, continuation) = AsyncStream.makeStream(of: News.self)
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: nil
        ) { note in
            let reason = note.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? NSNumber
            let keys = note.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String]
            continuation.yield(News(reason: reason?.intValue ?? -1, keys: keys ?? []))
        }
        return (stream, observer)
    }

    @Test("Every value of a property list is got as it was set")
    func values() throws {
        let place = try Place()
        let store = place.store()
        let date = Date(timeIntervalSinceReferenceDate: 12_345.5)
        store.set("sepia", forKey: "text")
        store.set(Data([1, 2]), forKey: "data")
        store.set(Int64.max, forKey: "integer")
        store.set(0.5, forKey: "real")
        store.set(true, forKey: "flag")
        store.set(["a", 1, ["b": date]] as [Any], forKey: "array")
        store.set(["x": 1.5, "y": [true]] as [String: Any], forKey: "table")
        store.set(date, forKey: "date")
        store.set(NSNumber(value: 7), forKey: "number")
        store.set(UInt8(3), forKey: "small")
        for store in [store, place.store()] {
            #expect(store.synchronize())
            #expect(store.string(forKey: "text") == "sepia")
            #expect(store.data(forKey: "data") == Data([1, 2]))
            #expect(store.longLong(forKey: "integer") == .max)
            #expect(store.double(forKey: "real") == 0.5)
            #expect(store.bool(forKey: "flag"))
            #expect(store.object(forKey: "date") as? Date == date)
            #expect(store.object(forKey: "number") as? Int == 7)
            #expect(store.object(forKey: "flag") as? Bool == true)
            #expect(store.longLong(forKey: "small") == 3)
            let array = try #require(store.array(forKey: "array"))
            #expect(array[0] as? String == "a" && array[1] as? Int == 1)
            #expect((array[2] as? [String: Any])?["b"] as? Date == date)
            let table = try #require(store.dictionary(forKey: "table"))
            #expect(table["x"] as? Double == 1.5 && (table["y"] as? [Any])?.first as? Bool == true)
            #expect(store.dictionaryRepresentation.count == 10)
        }
    }

    @Test("A getter of another type gets nil, 0 or false")
    func otherTypes() throws {
        let store = try Place().store()
        store.set("12", forKey: "text")
        store.set(2.9, forKey: "real")
        #expect(store.longLong(forKey: "text") == 0 && !store.bool(forKey: "text"))
        #expect(store.data(forKey: "text") == nil && store.array(forKey: "text") == nil)
        #expect(store.string(forKey: "real") == nil && store.dictionary(forKey: "real") == nil)
        #expect(store.longLong(forKey: "real") == 2 && store.bool(forKey: "real"))
        #expect(store.object(forKey: "none") == nil && store.double(forKey: "none") == 0)
        store.set(1e30, forKey: "real")
        #expect(store.longLong(forKey: "real") == 0)
    }

    @Test("Nil removes, what no property list can say is ignored")
    func removing() throws {
        let store = try Place().store()
        store.set("a", forKey: "key")
        store.set(NSObject() as Any?, forKey: "key")
        #expect(store.string(forKey: "key") == "a")
        store.set(nil as String?, forKey: "key")
        #expect(store.object(forKey: "key") == nil)
        store.set("a", forKey: "key")
        store.set(Optional<Int>.none as Any?, forKey: "key")
        #expect(store.object(forKey: "key") == nil)
        store.removeObject(forKey: "never")
        store.removeObject(forKey: String(repeating: "é", count: 33))
        #expect(store.dictionaryRepresentation.isEmpty)
        // No other number than it is.
        store.set(NSNumber(value: UInt64.max) as Any?, forKey: "key")
        #expect(store.object(forKey: "key") == nil)
        store.set(NSNumber(value: UInt64(7)) as Any?, forKey: "key")
        #expect(store.longLong(forKey: "key") == 7)
    }

    @Test("What one process stores another gets, and is told the keys")
    func processes() async throws {
        let place = try Place()
        let (writer, reader) = (place.store(), place.store())
        let (stream, observer) = news(of: reader)
        defer { NotificationCenter.default.removeObserver(observer) }
        var told = stream.makeAsyncIterator()
        writer.set("sepia", forKey: "theme")
        writer.set(Int64(7), forKey: "page")
        #expect(
            await told.next() == News(reason: NSUbiquitousKeyValueStoreServerChange, keys: ["page", "theme"])
        )
        #expect(reader.string(forKey: "theme") == "sepia" && reader.longLong(forKey: "page") == 7)
        writer.removeObject(forKey: "page")
        #expect(writer.synchronize())
        #expect(await told.next() == News(reason: NSUbiquitousKeyValueStoreServerChange, keys: ["page"]))
    }

    @Test("A store that an app makes has the values of the default one, which is one object")
    func made() {
        // Which one it is depends on whether there are make-believe devices: until the end there are.
        let held = MakeBelieveDevices()
        defer { held.end() }
        let (made, shared) = (NSUbiquitousKeyValueStore(), NSUbiquitousKeyValueStore.default)
        let key = "made \(UUID().uuidString.prefix(8))"
        made.set("x", forKey: key)
        #expect(shared.string(forKey: key) == "x")
        shared.removeObject(forKey: key)
        #expect(made.object(forKey: key) == nil)
        #expect(shared === NSUbiquitousKeyValueStore.default && shared !== made)
    }

    @Test("Stores on the same values tell nothing of what one of them writes, and all of what others do")
    func several() async throws {
        let place = try Place()
        let stores = KeyValueStores(place.settings())
        let (one, two) = (NSUbiquitousKeyValueStore(on: stores), NSUbiquitousKeyValueStore(on: stores))
        let (ofOne, first) = news(of: one)
        let (ofTwo, second) = news(of: two)
        defer { for observer in [first, second] { NotificationCenter.default.removeObserver(observer) } }
        var (toldByOne, toldByTwo) = (ofOne.makeAsyncIterator(), ofTwo.makeAsyncIterator())
        one.set("x", forKey: "k")
        #expect(two.string(forKey: "k") == "x" && two.synchronize())
        two.set("y", forKey: "k")
        #expect(one.string(forKey: "k") == "y" && one.synchronize())
        let other = place.store()
        #expect(other.string(forKey: "k") == "y")
        other.set("z", forKey: "other")
        #expect(other.synchronize())
        let told = News(reason: NSUbiquitousKeyValueStoreServerChange, keys: ["other"])
        // The first that they tell.
        #expect(await toldByOne.next() == told)
        #expect(await toldByTwo.next() == told)
    }

    @Test("A store that is gone is told nothing, and those that stay are")
    func gone() async throws {
        let place = try Place()
        let stores = KeyValueStores(place.settings())
        let kept = NSUbiquitousKeyValueStore(on: stores)
        do {
            let gone = NSUbiquitousKeyValueStore(on: stores)
            gone.set("x", forKey: "k")
            #expect(stores.living.count == 2)
        }
        #expect(stores.living.map { $0 === kept } == [true])
        let (stream, observer) = news(of: kept)
        defer { NotificationCenter.default.removeObserver(observer) }
        var told = stream.makeAsyncIterator()
        let other = place.store()
        other.set("z", forKey: "other")
        #expect(other.synchronize())
        #expect(await told.next()?.keys == ["other"])
        // What the one that is gone has written stays.
        #expect(kept.synchronize() && place.store().string(forKey: "k") == "x")
    }

    /// Has each setter that can take all call the one for its kind, and gets all by one getter.
    private final class Derived: NSUbiquitousKeyValueStore, @unchecked Sendable {
        // Sendable because it adds nothing.
        override func set(_ anObject: Any?, forKey aKey: String) {
            switch anObject {
            case let list as [Any]: super.set(list, forKey: aKey)
            case let table as [String: Any]: super.set(table, forKey: aKey)
            case nil: super.removeObject(forKey: aKey)
            default: super.set(anObject, forKey: aKey)
            }
        }

        override func removeObject(forKey aKey: String) { set(nil as Any?, forKey: aKey) }

        override func object(forKey aKey: String) -> Any? {
            if let list = super.array(forKey: aKey) { return list }
            if let table = super.dictionary(forKey: aKey) { return table }
            return super.object(forKey: aKey)
        }

        override func double(forKey aKey: String) -> Double { super.bool(forKey: aKey) ? 1 : 0 }
    }

    @Test("Members that a derived class has call one another do not go round in circles")
    func derived() throws {
        let place = try Place()
        let store = Derived(on: KeyValueStores(place.settings()))
        store.set([1, 2] as Any?, forKey: "list")
        store.set(["a": 1] as Any?, forKey: "table")
        store.set(0.5 as Any?, forKey: "real")
        #expect(store.object(forKey: "list") as? [Int] == [1, 2])
        #expect((store.object(forKey: "table") as? [String: Any])?["a"] as? Int == 1)
        #expect(store.double(forKey: "real") == 1 && store.bool(forKey: "real"))
        store.removeObject(forKey: "list")
        #expect(store.object(forKey: "list") == nil && store.synchronize())
        #expect(place.store().dictionaryRepresentation.keys.sorted() == ["real", "table"])
    }

    @Test("Processes that store at the same time lose nothing")
    func race() async throws {
        let place = try Place()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let store = place.store()
                    for key in 0..<5 {
                        store.set(Int64(number), forKey: "\(number).\(key)")
                        #expect(store.synchronize())
                    }
                }
            }
        }
        #expect(place.store().dictionaryRepresentation.count == 30)
    }

    @Test(
        "A write made with knowledge of another is later; else what was written more often, whatever clocks say"
    )
    func numbers() throws {
        let (here, there) = (try Place(), try Place())
        // What a device has written whose clock was ten years ahead, when clocks were asked.
        var state = KeyValueState()
        let ahead = WriteNumber(bits: 2_100_000_000_000 << 16)
        let writer = KeyValueState.Writer([UInt8](repeating: 0xff, count: 16))
        #expect(state.set(.text("ahead"), "key", at: ahead, by: writer) == true)
        for place in [here, there] {
            try Data(state.encoded).write(to: place.file, options: .atomic)
        }
        let (phone, pad) = (here.store(), there.store())
        #expect(phone.string(forKey: "key") == "ahead")
        // Neither knows of the other's; the later one is that of the device that writes once.
        phone.set("a", forKey: "key")
        phone.set("phone", forKey: "key")
        #expect(phone.synchronize())
        pad.set("pad", forKey: "key")
        #expect(pad.synchronize())
        try here.takeIn(there)
        #expect(here.store().string(forKey: "key") == "phone")
        try there.takeIn(here)
        #expect(pad.synchronize() && pad.string(forKey: "key") == "phone")
        pad.set("pad", forKey: "key")
        #expect(pad.synchronize())
        try here.takeIn(there)
        #expect(here.store().string(forKey: "key") == "pad")
    }

    @Test("Two devices' files become one by the merger, and apps are told")
    func devices() async throws {
        let (here, there) = (try Place(), try Place())
        let (phone, pad) = (here.store(), there.store())
        phone.set("phone", forKey: "both")
        phone.set("phone", forKey: "phone")
        for text in ["a", "b", "pad"] { pad.set(text, forKey: "both") }
        #expect(phone.synchronize() && pad.synchronize())
        let (stream, observer) = news(of: phone)
        defer { NotificationCenter.default.removeObserver(observer) }
        var told = stream.makeAsyncIterator()
        try here.takeIn(there)
        #expect(await told.next() == News(reason: NSUbiquitousKeyValueStoreServerChange, keys: ["both"]))
        #expect(phone.string(forKey: "both") == "pad" && phone.string(forKey: "phone") == "phone")
    }

    @Test("Two devices' values that are more than there is room for stay, and the app is told, once")
    @MainActor
    func quotaOfTwo() async throws {
        let (here, there) = (try Place(), try Place())
        let (phone, pad) = (here.store(), there.store())
        phone.set(Data(count: 600_000), forKey: "phone")
        pad.set(Data(count: 600_000), forKey: "pad")
        #expect(phone.synchronize() && pad.synchronize())
        let (stream, observer) = news(of: phone)
        defer { NotificationCenter.default.removeObserver(observer) }
        var told = stream.makeAsyncIterator()
        try here.takeIn(there)
        #expect(await told.next() == News(reason: NSUbiquitousKeyValueStoreServerChange, keys: ["pad"]))
        let violation = NSUbiquitousKeyValueStoreQuotaViolationChange
        #expect(await told.next() == News(reason: violation, keys: ["pad"]))
        #expect(phone.data(forKey: "pad")?.count == 600_000 && phone.data(forKey: "phone")?.count == 600_000)
        // Whoever opens it now is told what there is.
        let third = here.store()
        let (others, other) = news(of: third)
        defer { NotificationCenter.default.removeObserver(other) }
        var toldThird = others.makeAsyncIterator()
        #expect(await toldThird.next() == News(reason: violation, keys: ["pad", "phone"]))
        // Nothing more of it while it does not end; what makes it smaller goes.
        #expect(phone.synchronize())
        phone.set(Int64(1), forKey: "one more")
        #expect(await told.next() == News(reason: violation, keys: ["one more"]))
        phone.set(Data(count: 10), forKey: "pad")
        phone.set(Int64(1), forKey: "one more")
        #expect(phone.longLong(forKey: "one more") == 1)
        #expect(phone.synchronize() && here.store().longLong(forKey: "one more") == 1)
    }

    @Test("An older file that is put in place takes nothing away")
    func olderFile() async throws {
        let place = try Place()
        let store = place.store()
        store.set("first", forKey: "first")
        #expect(store.synchronize())
        let older = try Data(contentsOf: place.file)
        store.set("second", forKey: "second")
        #expect(store.synchronize())
        let other = try Place()
        let (stream, observer) = news(of: store)
        defer { NotificationCenter.default.removeObserver(observer) }
        // A key of another device, so that it shows when the file has been read.
        let foreign = other.store()
        foreign.set(Int64(1), forKey: "foreign")
        #expect(foreign.synchronize())
        var state = try KeyValueState(encoded: [UInt8](older))
        state.merge(try KeyValueState(encoded: [UInt8](try Data(contentsOf: other.file))))
        try Data(state.encoded).write(to: place.file, options: .atomic)
        var told = stream.makeAsyncIterator()
        #expect(await told.next()?.keys == ["foreign"])
        #expect(store.synchronize())
        let again = place.store()
        #expect(again.dictionaryRepresentation.keys.sorted() == ["first", "foreign", "second"])
    }

    @Test("More than there is room for is dropped, and told")
    func quota() async throws {
        let place = try Place()
        let store = place.store()
        let (stream, observer) = news(of: store)
        defer { NotificationCenter.default.removeObserver(observer) }
        var told = stream.makeAsyncIterator()
        store.set(Data(count: (1 << 20) + 1), forKey: "large")
        #expect(
            await told.next() == News(reason: NSUbiquitousKeyValueStoreQuotaViolationChange, keys: ["large"])
        )
        #expect(store.object(forKey: "large") == nil)
        // One key may hold all that there is room for.
        store.set(Data(count: 1 << 20), forKey: "large")
        #expect(store.synchronize() && place.store().data(forKey: "large")?.count == 1 << 20)
        store.removeObject(forKey: "large")
        for number in 0..<1024 { store.set(Int64(number), forKey: "\(number)") }
        store.set(Int64(1), forKey: "one more")
        #expect(
            await told.next()
                == News(reason: NSUbiquitousKeyValueStoreQuotaViolationChange, keys: ["one more"])
        )
    }

    @Test("A key of more than 64 bytes traps, one of 64 does not")
    func longKey() async throws {
        let store = try Place().store()
        store.set(Int64(1), forKey: String(repeating: "é", count: 32))
        #expect(store.longLong(forKey: String(repeating: "é", count: 32)) == 1)
        await #expect(processExitsWith: .failure) {
            let settings = KeyValueSettings(folder: nil, appName: "app")
            NSUbiquitousKeyValueStore(settings).set(Int64(1), forKey: String(repeating: "é", count: 33))
        }
    }

    @Test("On a new device what was written before the first sync gives way to it")
    func initialSync() async throws {
        let (here, there) = (try Place(), try Place())
        let old = there.store()
        old.set("sepia", forKey: "theme")
        #expect(old.synchronize())
        let new = here.store()
        new.beginInitialSync()
        new.set("white", forKey: "theme")
        new.set("here", forKey: "own")
        #expect(new.synchronize())
        let (stream, observer) = news(of: new)
        defer { NotificationCenter.default.removeObserver(observer) }
        var told = stream.makeAsyncIterator()
        try here.takeIn(there)
        #expect(
            await told.next() == News(reason: NSUbiquitousKeyValueStoreInitialSyncChange, keys: ["theme"])
        )
        #expect(new.string(forKey: "theme") == "sepia" && new.string(forKey: "own") == "here")
        // From then on it writes as any other.
        new.set("white", forKey: "theme")
        #expect(new.synchronize())
        #expect(here.store().string(forKey: "theme") == "white")
    }

    @Test("What a second process writes before the first sync gives way to it as well")
    func initialSyncOfSecond() async throws {
        let (here, there) = (try Place(), try Place())
        let (settings, place) = try joined(here, after: there)
        UbiquityAccount.$shared.withValue(place.account()) {
            let first = NSUbiquitousKeyValueStore(settings)
            first.set("white", forKey: "theme")
            #expect(first.synchronize())
            let second = NSUbiquitousKeyValueStore(settings)
            for theme in ["black", "grey", "white"] { second.set(theme, forKey: "theme") }
            #expect(second.synchronize())
        }
        #expect(try theme(of: settings, with: there) == .text("sepia"))
    }

    /// A store of a container that is joined just now, of which another device has a theme; and whose account that is.
    private func joined(_ here: Place, after there: Place) throws -> (KeyValueSettings, AccountPlace) {
        let old = there.store()
        old.set("sepia", forKey: "theme")
        #expect(old.synchronize())
        let folder = FilePath(here.folder.path).appending("folder")
        return (KeyValueSettings(folder: folder, appName: "app", container: "container"), try AccountPlace())
    }

    /// What the theme is once a device's store and another's have become one.
    private func theme(of here: KeyValueSettings, with there: Place) throws -> KeyValue? {
        let found = try #require(try KeyValueFile(here).load())
        let merged = KeyValueMerger().merge(
            base: nil,
            mine: found.encoded,
            theirs: [UInt8](try Data(contentsOf: there.file))
        )
        return try KeyValueState(encoded: merged.contents)["theme"]
    }

    @Test("What another process here writes before the first sync ends nobody's waiting for it")
    func initialSyncOfTwo() async throws {
        let (here, there) = (try Place(), try Place())
        let (settings, place) = try joined(here, after: there)
        let (first, second) = UbiquityAccount.$shared.withValue(place.account()) {
            (NSUbiquitousKeyValueStore(settings), NSUbiquitousKeyValueStore(settings))
        }
        #expect(first.object(forKey: "theme") == nil && second.object(forKey: "theme") == nil)
        let (stream, observer) = news(of: second)
        defer { NotificationCenter.default.removeObserver(observer) }
        var told = stream.makeAsyncIterator()
        first.set("white", forKey: "theme")
        #expect(first.synchronize())
        #expect(
            await told.next()
                == News(reason: NSUbiquitousKeyValueStoreInitialSyncChange, keys: ["theme"])
        )
        second.set("black", forKey: "theme")
        #expect(second.synchronize())
        #expect(try theme(of: settings, with: there) == .text("sepia"))
    }

    @Test(
        "However much was written for a former account, what is written gives way to another's first values"
    )
    func initialSyncOfAnotherAccount() throws {
        let (here, there) = (try Place(), try Place())
        let (settings, place) = try joined(here, after: there)
        UbiquityAccount.$shared.withValue(place.account()) {
            let store = here.store()
            for number in 0..<50 { store.set(number, forKey: "number") }
            store.changeAccount(to: settings)
            store.set("light", forKey: "theme")
            #expect(store.synchronize())
        }
        #expect(try theme(of: settings, with: there) == .text("sepia"))
    }

    @Test("Another account's values take the place of these")
    func account() async throws {
        let (here, there) = (try Place(), try Place())
        let other = there.store()
        other.set("theirs", forKey: "key")
        other.set("same", forKey: "same")
        #expect(other.synchronize())
        let store = here.store()
        store.set("mine", forKey: "key")
        store.set("mine", forKey: "own")
        store.set("same", forKey: "same")
        let (stream, observer) = news(of: store)
        defer { NotificationCenter.default.removeObserver(observer) }
        var told = stream.makeAsyncIterator()
        store.changeAccount(to: there.settings())
        #expect(
            await told.next() == News(reason: NSUbiquitousKeyValueStoreAccountChange, keys: ["key", "own"])
        )
        #expect(store.string(forKey: "key") == "theirs" && store.object(forKey: "own") == nil)
        // What was the former account's is in its file.
        #expect(here.store().string(forKey: "own") == "mine")
    }

    @Test("A damaged file is put aside, one of a later version is left as it is")
    func damage() throws {
        let place = try Place()
        let store = place.store()
        store.set("a", forKey: "key")
        #expect(store.synchronize())
        var bytes = [UInt8](try Data(contentsOf: place.file))
        bytes[20] ^= 1
        try Data(bytes).write(to: place.file, options: .atomic)
        let other = place.store()
        #expect(other.object(forKey: "key") == nil)
        other.set("b", forKey: "other")
        #expect(other.synchronize() && store.synchronize())
        #expect(place.store().dictionaryRepresentation.count == 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
        #expect(names.contains { $0.contains(".damaged-") })
        let later = Array("sheafkvs".utf8) + [2, 0, 0]
        try Data(later).write(to: place.file, options: .atomic)
        #expect(!store.synchronize())
        #expect(try [UInt8](Data(contentsOf: place.file)) == later)
        #expect(store.string(forKey: "key") == "a")
    }

    @Test("Without a folder values last as long as the process, and nothing is said to be stored")
    func off() {
        let store = NSUbiquitousKeyValueStore(KeyValueSettings(folder: nil, appName: "app"))
        store.set("a", forKey: "key")
        #expect(store.string(forKey: "key") == "a" && !store.synchronize())
    }

    @Test("An app's file is named after it, and in no other folder")
    func settings() {
        let environment = ["HOME": "/home/me", "SHEAF_KEY_VALUES": ""]
        let settings = KeyValueSettings(environment: environment, appName: "org.example/../App")
        #expect(settings.folder == FilePath("/home/me/.local/share/sheaf/key-values"))
        #expect(settings.fileName == "org.example-..-App.keyvalues")
        #expect(KeyValueSettings(folder: nil, appName: "..").fileName == "-...keyvalues")
        #expect(KeyValueSettings(environment: ["SHEAF_KEY_VALUES": "off"], appName: "a").folder == nil)
    }

    @Test("Apps whose identifiers begin alike have a file each, however long they are")
    func longNames() {
        func name(_ app: String) -> String { KeyValueSettings(folder: nil, appName: app).fileName }
        let long = String(repeating: "a", count: 60)
        #expect(name(long) == long + ".keyvalues")
        let start = String(repeating: "a", count: 40)
        #expect(name(long + "a") == start + "-f9bf3487d17c93f0.keyvalues")
        #expect(name(long + "b") != name(long + "a"))
        // What is written for another sign in names is told apart, too.
        #expect(name(long + "/") != name(long + "-"))
    }

    @Test("The file is the user's alone")
    func permissions() throws {
        let place = try Place()
        let store = place.store()
        store.set("a", forKey: "key")
        #expect(store.synchronize())
        let attributes = try FileManager.default.attributesOfItem(atPath: place.file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
}

import Dispatch
import FileSystem
import Foundation
import KeyValues
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DocumentFoundation

/// Stores of a container whose folder is not there, or is somewhere else by now, and disks that refuse what is stored.
@Suite("Key-value stores whose folder is away", .onOwnThreads, .timeLimit(.minutes(2)))
struct AwayStoreTests {
    private let place: AccountPlace
    private let locations = Locations()

    init() throws { place = try AccountPlace() }

    /// How often stores have asked where their folder is.
    private final class Locations: Sendable {
        private let asked = DispatchSemaphore(value: 0)

        func note() { asked.signal() }

        func wait(forMore count: Int) throws {
            while asked.wait(timeout: .now()) == .success {}
            for _ in 0..<count { try #require(asked.wait(timeout: .now() + 60) == .success) }
        }
    }

    private func settings() throws -> KeyValueSettings {
        try #require(try KeyValueSettings(of: place.account(), environment: [:], appName: "app"))
    }

    /// As a process of the app has it, but that it tries again at once.
    private func store() throws -> NSUbiquitousKeyValueStore {
        let (account, first, locations) = (place.account(), try settings(), locations)
        return UbiquityAccount.$shared.withValue(account) {
            NSUbiquitousKeyValueStore(
                on: KeyValueStores(retrySeconds: 0.01) {
                    locations.note()
                    return try KeyValueSettings(of: account, environment: [:], appName: "app") ?? first
                }
            )
        }
    }

    /// What is stored in a container's folder.
    private func values(in folder: URL) throws -> [String: KeyValue]? {
        let file = folder.appendingPathComponent(".keyvalues/app.keyvalues")
        guard let bytes = try? Data(contentsOf: file) else { return nil }
        return try KeyValueState(encoded: [UInt8](bytes)).values
    }

    /// Waits until a folder has some values. Each change of it is told.
    private func wait(for values: [String: KeyValue], in folder: URL) throws {
        let (changed, queue) = (DispatchSemaphore(value: 0), DispatchQueue(label: "away"))
        while true {
            // The stores' folder may not be there yet, and is another one then.
            let watches = [folder, folder.appendingPathComponent(".keyvalues")].compactMap {
                try? DirectoryWatch(FilePath($0.path), on: queue) { _ in changed.signal() }
            }
            defer { withExtendedLifetime(watches) {} }
            if try self.values(in: folder) == values { return }
            try #require(changed.wait(timeout: .now() + 60) == .success)
        }
    }

    /// Has another device's values be in a folder.
    private func put(_ values: [String: String], in folder: URL) throws {
        let own = folder.appendingPathComponent(".keyvalues", isDirectory: true)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let former = try? Data(contentsOf: own.appendingPathComponent("app.keyvalues"))
        var state = try former.map { try KeyValueState(encoded: [UInt8]($0)) } ?? KeyValueState()
        let writer = KeyValueState.Writer([UInt8](repeating: 1, count: 16))
        let number = WriteNumber(bits: max(state.latest.bits + 1, WriteNumber.first.bits))
        for (key, value) in values {
            #expect(state.set(.text(value), key, at: number, by: writer) == true)
        }
        try Data(state.encoded).write(to: own.appendingPathComponent("app.keyvalues"), options: .atomic)
    }

    /// What is written for the folder when it is back.
    private var isSomethingWaiting: Bool {
        get throws {
            let waiting = try #require(try settings().waitingFolder)
            return try FileStamp.ifPresent(at: waiting.appending("app.keyvalues")) != nil
        }
    }

    @Test("What is stored while the folder is away is in it once it is back, and gives way to what was there")
    func away() throws {
        let folder = try place.join("cloud", at: 1)
        try put(["theme": "sepia", "there": "x"], in: folder)
        let aside = place.base.appendingPathComponent("aside")
        try FileManager.default.moveItem(at: folder, to: aside)
        let store = try store()
        store.set("white", forKey: "theme")
        store.set("here", forKey: "own")
        #expect(store.synchronize())
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        try FileManager.default.moveItem(at: aside, to: folder)
        let all: [String: KeyValue] = ["theme": .text("sepia"), "there": .text("x"), "own": .text("here")]
        try wait(for: all, in: folder)
        #expect(store.synchronize())
        #expect(store.string(forKey: "theme") == "sepia" && store.string(forKey: "there") == "x")
        #expect(try !isSomethingWaiting)
        store.set("black", forKey: "theme")
        #expect(store.synchronize())
        #expect(try values(in: folder)?["theme"] == .text("black"))
    }

    @Test("So is what a process has stored that has ended before")
    func ended() throws {
        let folder = try place.join("cloud", at: 1)
        let aside = place.base.appendingPathComponent("aside")
        try FileManager.default.moveItem(at: folder, to: aside)
        do {
            let store = try store()
            store.set("here", forKey: "own")
            #expect(store.synchronize())
        }
        #expect(try isSomethingWaiting)
        // The next process that finds it away has it.
        #expect(try store().string(forKey: "own") == "here")
        try FileManager.default.moveItem(at: aside, to: folder)
        try put(["there": "x"], in: folder)
        let next = try store()
        #expect(next.string(forKey: "own") == "here" && next.string(forKey: "there") == "x")
        #expect(try values(in: folder) == ["own": .text("here"), "there": .text("x")])
        #expect(try !isSomethingWaiting)
    }

    @Test(
        "A store that loses its folder keeps what it has, and what is stored meanwhile is later than what was there"
    )
    func lost() throws {
        let folder = try place.join("cloud", at: 1)
        try put(["theme": "sepia"], in: folder)
        let store = try store()
        #expect(store.string(forKey: "theme") == "sepia")
        let aside = place.base.appendingPathComponent("aside")
        try FileManager.default.moveItem(at: folder, to: aside)
        store.set("white", forKey: "theme")
        #expect(store.synchronize() && store.string(forKey: "theme") == "white")
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        #expect(try values(in: aside) == ["theme": .text("sepia")])
        try FileManager.default.moveItem(at: aside, to: folder)
        try wait(for: ["theme": .text("white")], in: folder)
        // What comes there then is heard of.
        let told = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: nil
        ) { [weak store] _ in
            if store?.string(forKey: "theme") == "black" { told.signal() }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try put(["theme": "black"], in: folder)
        #expect(told.wait(timeout: .now() + 60) == .success)
    }

    @Test("Another folder that takes the place of the container's has all that was stored")
    func replaced() throws {
        let folder = try place.join("cloud", at: 1)
        // Not written by the store, which would save it once more a moment later.
        try put(["theme": "white"], in: folder)
        let store = try store()
        defer { withExtendedLifetime(store) {} }
        #expect(store.string(forKey: "theme") == "white")
        try FileManager.default.removeItem(at: folder)
        let next = try place.join("next", at: 1)
        try wait(for: ["theme": .text("white")], in: next)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("So has it where the stores' folder goes long before the rest of it")
    func goneBitByBit() throws {
        let folder = try place.join("cloud", at: 1)
        // Not written by the store, which would save it once more a moment later.
        try put(["theme": "white"], in: folder)
        let store = try store()
        defer { withExtendedLifetime(store) {} }
        #expect(store.string(forKey: "theme") == "white")
        try FileManager.default.removeItem(at: folder.appendingPathComponent(".keyvalues"))
        // The store has looked where its folder is, and found no other place.
        try locations.wait(forMore: 10)
        try FileManager.default.removeItem(at: folder)
        let next = try place.join("next", at: 1)
        try wait(for: ["theme": .text("white")], in: next)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    /// A disk that refuses what is in a folder, until it does not.
    private final class FullDisk: SystemCallObserver {
        private let place: String
        private let state = Locked((isFull: true, count: 0))

        init(_ folder: FilePath) { place = folder.string }

        func free() { state.withLock { $0.isFull = false } }
        var refusalCount: Int { state.withLock { $0.count } }

        func willMake(_ call: SystemCall) -> CInt {
            guard case .write = call.effect, call.path.string.hasPrefix(place) else { return 0 }
            return state.withLock { state in
                guard state.isFull else { return 0 }
                state.count += 1
                return ENOSPC
            }
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("What a full disk refuses is stored once there is room, without another write")
    func fullDisk() throws {
        let folder = try place.join("cloud", at: 1)
        let store = try store()
        #expect(store.synchronize())
        let disk = FullDisk(FilePath(folder.path))
        SystemCallObservation.add(disk)
        defer { SystemCallObservation.remove(disk) }
        store.set("white", forKey: "theme")
        #expect(!store.synchronize() && disk.refusalCount > 0)
        #expect(try values(in: folder) == [:])
        disk.free()
        try wait(for: ["theme": .text("white")], in: folder)
    }

    @Test("What is written while the file cannot be made gives way to what comes into it meanwhile")
    func fullAtFirst() throws {
        let folder = try place.join("cloud", at: 1)
        let disk = FullDisk(FilePath(folder.path))
        SystemCallObservation.add(disk)
        defer { SystemCallObservation.remove(disk) }
        let store = try store()
        for theme in ["one", "two", "white"] { store.set(theme, forKey: "theme") }
        store.set("here", forKey: "own")
        #expect(!store.synchronize() && disk.refusalCount > 0)
        try put(["theme": "sepia"], in: folder)
        disk.free()
        try wait(for: ["theme": .text("sepia"), "own": .text("here")], in: folder)
        #expect(store.synchronize() && store.string(forKey: "theme") == "sepia")
        // From then on it writes as any other.
        store.set("black", forKey: "theme")
        #expect(store.synchronize())
        #expect(try values(in: folder)?["theme"] == .text("black"))
    }
}

import Dispatch
import FileSystem
import Foundation
import KeyValues
import SyncMessages
import Testing

@testable import DocumentFoundation

/// Stores that cannot be read when they are opened, or of which it cannot be told where they are.
@Suite("Key-value stores that cannot be found or read at first", .timeLimit(.minutes(2)))
struct UnknownPlaceTests {
    private let place: AccountPlace
    private let own: KeyValueSettings

    init() throws {
        place = try AccountPlace()
        own = KeyValueSettings(folder: FilePath(place.base.path).appending("own"), appName: "app")
    }

    private func stores(_ account: UbiquityAccount) -> KeyValueStores {
        let own = own
        return KeyValueStores(retrySeconds: 0.01) {
            try KeyValueSettings(of: account, environment: [:], appName: "app") ?? own
        }
    }

    private func state(_ values: [String: String], at number: UInt64) -> KeyValueState {
        var state = KeyValueState()
        let writer = KeyValueState.Writer([UInt8](repeating: 1, count: 16))
        let number = WriteNumber(bits: WriteNumber.first.bits + number)
        for (key, value) in values { #expect(state.set(.text(value), key, at: number, by: writer) == true) }
        return state
    }

    /// The kernel's refusal of all that tells which folders are joined.
    private var noFile: RefusedCalls {
        RefusedCalls(["openat"], in: FilePath(place.home.path).appending("containers"), EMFILE)
    }

    @Test(
        "While it cannot be read what is joined, nothing goes to the device's own store, nor before what others have"
    )
    func unreadable() throws {
        _ = try place.join("cloud", at: 1)
        let account = place.account()
        let settings = try #require(try KeyValueSettings(of: account, environment: [:], appName: "app"))
        let file = KeyValueFile(settings)
        _ = try file.join(state(["theme": "sepia"], at: 0))
        let store = noFile.during {
            UbiquityAccount.$shared.withValue(account) {
                let store = NSUbiquitousKeyValueStore(on: stores(account))
                for theme in ["one", "two", "white"] { store.set(theme, forKey: "theme") }
                store.set("here", forKey: "own")
                #expect(!store.synchronize())
                return store
            }
        }
        #expect(store.synchronize())
        #expect(try file.load()?.values == ["theme": .text("sepia"), "own": .text("here")])
        #expect(store.string(forKey: "theme") == "sepia")
        #expect(try KeyValueFile(own).load() == nil)
    }

    @Test("A store that is there stays where it is meanwhile")
    func unreadableLater() throws {
        _ = try place.join("cloud", at: 1)
        let account = place.account()
        let file = KeyValueFile(
            try #require(try KeyValueSettings(of: account, environment: [:], appName: "app"))
        )
        let stores = UbiquityAccount.$shared.withValue(account) { self.stores(account) }
        let store = NSUbiquitousKeyValueStore(on: stores)
        noFile.during {
            stores.core.followAccount()
            store.set("white", forKey: "theme")
            #expect(store.synchronize())
        }
        #expect(try file.load()?.values == ["theme": .text("white")])
        #expect(store.synchronize() && store.string(forKey: "theme") == "white")
        #expect(try KeyValueFile(own).load() == nil)
    }

    @Test("Who the account is is known while it cannot be read")
    func identity() throws {
        _ = try place.join("cloud", at: 1)
        let account = place.account()
        let identity = try #require(account.identity)
        #expect(noFile.during { account.identity } == identity)
    }

    /// Refuses what tells which folders are joined, and tells of it.
    private final class Refusals: SystemCallObserver {
        private let folder: FilePath
        private let made = DispatchSemaphore(value: 0)

        init(_ home: URL) { folder = FilePath(home.path).appending("containers") }

        func waitForOne() -> Bool { made.wait(timeout: .now() + 60) == .success }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "openat", call.path.isInside(folder) else { return 0 }
            made.signal()
            return EIO
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("Who it is is looked for again once that can be read, though nothing happens then")
    func identityLater() throws {
        _ = try place.join("cloud", at: 1)
        let account = UbiquityAccount(
            environment: ["SHEAF_HOME": place.home.path],
            information: [:],
            retrySeconds: 0.01
        )
        let identity = try #require(account.identity)
        let told = DispatchSemaphore(value: 0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSUbiquityIdentityDidChange,
            object: nil,
            queue: nil
        ) { _ in told.signal() }
        defer { NotificationCenter.default.removeObserver(observer) }
        let refusals = Refusals(place.home)
        SystemCallObservation.add(refusals)
        let container = String(format: "%032x", 1)
        try FileManager.default.removeItem(
            at: place.home.appendingPathComponent("containers/\(container)/settings")
        )
        #expect(refusals.waitForOne())
        // As it was, as far as is known.
        #expect(account.identity == identity)
        SystemCallObservation.remove(refusals)
        // Others' accounts are told of in the same way.
        while noFile.during({ account.identity }) != nil {
            try #require(told.wait(timeout: .now() + 60) == .success)
        }
    }

    @Test("What was written before this device's own store could be read is later than what is in it")
    func ownUnread() throws {
        let file = KeyValueFile(own)
        _ = try file.join(state(["theme": "sepia", "page": "1"], at: 100))
        let refused = RefusedCalls(["openat"], in: file.path.parent, EIO)
        let store = refused.during {
            let store = NSUbiquitousKeyValueStore(own)
            store.set("white", forKey: "theme")
            #expect(!store.synchronize())
            return store
        }
        #expect(store.synchronize())
        #expect(try file.load()?.values == ["theme": .text("white"), "page": .text("1")])
        #expect(store.string(forKey: "theme") == "white" && store.string(forKey: "page") == "1")
    }
}

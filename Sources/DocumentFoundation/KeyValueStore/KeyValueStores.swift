internal import Dispatch
internal import Foundation
internal import Locks

/// The stores of this process that are on one core. What the core tells, each of them tells its observers.
///
/// Which there are is an array under one lock. They are held weakly: one that is gone is told nothing.
final class KeyValueStores: Sendable {
    /// Where a store of the app was made.
    struct Place: Sendable {
        /// Whether that was on a make-believe device.
        let isOnDevice: Bool
        /// The device's; nil for one that is gone, and for none.
        private(set) weak var account: UbiquityAccount?

        /// Where this is called.
        static var current: Place {
            let account = UbiquityAccount.shared
            let isOnDevice = account.madeUpKeyValues != nil
            return Place(isOnDevice: isOnDevice, account: isOnDevice ? account : nil)
        }

        /// The app's stores there.
        fileprivate var members: Locked<[Member]>? {
            isOnDevice ? account?.madeUpKeyValues?.members : KeyValueStores.ofApp
        }
    }

    /// Those on whose values a store of the app is where this is asked: those of a make-believe device in its `run`, else of that on
    /// which the store was made; while there are such devices elsewhere, some in memory alone; else the user's.
    ///
    /// - Parameter place: Where the store was made.
    static func current(for place: Place) -> KeyValueStores {
        let account = UbiquityAccount.shared
        if let values = account.madeUpKeyValues { return values.stores(of: account) }
        if let account = place.account, let values = account.madeUpKeyValues {
            return values.stores(of: account)
        }
        let isMadeUp = place.isOnDevice || MakeBelieveDevices.areThere
        return isMadeUp ? MakeBelieveDevices.keyValues.stores(of: nil) : ofUser
    }

    /// The same, for who asks for values or writes some.
    static func asked(of place: Place) -> KeyValueStores {
        if !place.isOnDevice { MakeBelieveDevices.note(askedOnNone: "NSUbiquitousKeyValueStore") }
        return current(for: place)
    }

    /// Those of the app, but for those that were made on a make-believe device: `default`, and all that the app makes by itself or of
    /// classes of its own.
    static let ofApp = Locked<[Member]>([])

    /// The app's on the user's values. They last as long as the process, be there a store or not.
    private static let ofUser: KeyValueStores = {
        let account = UbiquityAccount.ofUser
        // From now on another account is told of.
        _ = account.identity
        let stores = KeyValueStores(members: ofApp) { try .current(of: account) }
        // Once for all of them, and as long as the process.
        _ = NotificationCenter.default.addObserver(
            forName: .NSUbiquityIdentityDidChange,
            object: nil,
            queue: nil
        ) { _ in stores.core.followAccount() }
        stores.core.open()
        return stores
    }()

    /// The app's on the values of a make-believe device; nil for some in memory alone.
    ///
    /// What they tell is told on that device. It is not held.
    ///
    /// - Parameter members: The app's stores there.
    static func madeUp(on account: UbiquityAccount?, members: Locked<[Member]>) -> KeyValueStores {
        let place: @Sendable () -> UbiquityAccount? = { [weak account] in account }
        return KeyValueStores(
            members: members,
            asking: { place() ?? .shared },
            telling: { body in place().flatMap(MakeBelieveDevices.context(of:)).run(body) },
            { try place().map { try .onDevice($0) } ?? .inMemory }
        )
    }

    struct Member: Sendable {
        let id: ObjectIdentifier
        weak var store: NSUbiquitousKeyValueStore?
    }

    let core: KeyValueCore
    private let members: Locked<[Member]>

    /// - Parameter settings: Where the values are kept.
    convenience init(_ settings: KeyValueSettings) { self.init { settings } }

    /// - Parameters:
    ///   - members: Those that there are.
    ///   - retrySeconds: After so many seconds what could not be done is tried again.
    ///   - asking: Whose process is asked that keeps the values' folder in step.
    ///   - telling: Has members told something, on the main queue.
    ///   - locate: Tells where the values are kept, now and whenever it is asked. Another account is told by `followAccount()`.
    init(
        members: Locked<[Member]> = Locked([]),
        retrySeconds: Double = KeyValueCore.retrySeconds,
        asking: @escaping @Sendable () -> UbiquityAccount = { .shared },
        telling: @escaping @Sendable (() -> Void) -> Void = { $0() },
        _ locate: @escaping @Sendable () throws -> KeyValueSettings
    ) {
        self.members = members
        let writer = withUnsafeBytes(of: UUID().uuid) { Array($0) }
        core = KeyValueCore(locate, retrySeconds: retrySeconds, asking: asking, writer: writer) {
            reason,
            keys in
            DispatchQueue.main.async {
                telling { for store in Self.living(members) { store.post(reason, keys) } }
            }
        }
    }

    /// Those that are there, the oldest first.
    var living: [NSUbiquitousKeyValueStore] { Self.living(members) }

    private static func living(_ members: Locked<[Member]>) -> [NSUbiquitousKeyValueStore] {
        // Held once the lock is open alone: whose last holder this is calls its `deinit`, which comes back here.
        members.withLock { $0 }.compactMap(\.store)
    }

    /// From now on a store is told. The first one has the values read.
    func add(_ store: NSUbiquitousKeyValueStore) {
        Self.add(store, to: members)
        core.open()
    }

    /// The same of a store that is the app's, where that was made.
    static func addOfApp(_ store: NSUbiquitousKeyValueStore, at place: Place) {
        if let members = place.members { add(store, to: members) }
        _ = current(for: place)
    }

    private static func add(_ store: NSUbiquitousKeyValueStore, to members: Locked<[Member]>) {
        let member = Member(id: ObjectIdentifier(store), store: store)
        members.withLock { $0.append(member) }
    }

    /// Called by a store that goes.
    func remove(_ id: ObjectIdentifier) { Self.remove(id, from: members) }

    static func removeOfApp(_ id: ObjectIdentifier, at place: Place) {
        if let members = place.members { remove(id, from: members) }
    }

    private static func remove(_ id: ObjectIdentifier, from members: Locked<[Member]>) {
        members.withLock { members in members.removeAll { $0.id == id } }
    }
}

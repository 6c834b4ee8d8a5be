internal import Dispatch
internal import Foundation
internal import Locks

/// The stores of this process that are on one core. What the core tells, each of them tells its observers.
///
/// Which there are is an array under one lock. They are held weakly: one that is gone is told nothing.
final class KeyValueStores: Sendable {
    /// Those of the app: `default`, and all that the app makes by itself or of classes of its own. They last as long as
    /// the process, be there a store or not.
    static let ofApp: KeyValueStores = {
        // From now on another account is told of.
        _ = UbiquityAccount.shared.identity
        let stores = KeyValueStores(.current)
        // Once for all of them, and as long as the process.
        _ = NotificationCenter.default.addObserver(
            forName: .NSUbiquityIdentityDidChange,
            object: nil,
            queue: nil
        ) { _ in stores.core.changeAccount(to: .current) }
        return stores
    }()

    private struct Member: Sendable {
        let id: ObjectIdentifier
        weak var store: NSUbiquitousKeyValueStore?
    }

    let core: KeyValueCore
    private let members: Locked<[Member]>

    /// - Parameter settings: Where the values are kept.
    init(_ settings: KeyValueSettings) {
        let members = Locked<[Member]>([])
        self.members = members
        let writer = withUnsafeBytes(of: UUID().uuid) { Array($0) }
        core = KeyValueCore(settings, writer: writer) { reason, keys in
            DispatchQueue.main.async {
                for store in Self.living(members) { store.post(reason, keys) }
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
        let member = Member(id: ObjectIdentifier(store), store: store)
        members.withLock { $0.append(member) }
        core.open()
    }

    /// Called by a store that goes.
    func remove(_ id: ObjectIdentifier) {
        members.withLock { members in members.removeAll { $0.id == id } }
    }
}

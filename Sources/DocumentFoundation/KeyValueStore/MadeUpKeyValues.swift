internal import Locks

/// The values of this process's app on a make-believe device, or on none of those that there are.
///
/// One struct under one lock; any thread.
final class MadeUpKeyValues: Sendable {
    private struct State {
        var made: KeyValueStores?
        /// The same once their values have been read.
        var read: KeyValueStores?
        var isOver = false
    }

    private let state = Locked(State())
    /// The app's stores that were made there.
    let members: Locked<[KeyValueStores.Member]>
    private let appStore = Locked<NSUbiquitousKeyValueStore?>(nil)

    /// - Parameter members: The app's stores there.
    init(members: Locked<[KeyValueStores.Member]> = Locked([])) { self.members = members }

    /// The app's `default` one there: asked for on the device.
    var store: NSUbiquitousKeyValueStore {
        if let store = appStore.withLock({ $0 }) { return store }
        let new = NSUbiquitousKeyValueStore()
        return appStore.withLock { store in
            if let store { return store }
            store = new
            return new
        }
    }

    /// - Parameter account: The device's; nil for none.
    func stores(of account: UbiquityAccount?) -> KeyValueStores {
        let (read, isOver) = state.withLock { ($0.read, $0.isOver) }
        if let read { return read }
        let new = KeyValueStores.madeUp(on: isOver ? nil : account, members: members)
        let stores = state.withLock { state in
            if let made = state.made { return made }
            state.made = new
            return new
        }
        stores.core.open()
        state.withLock { if $0.made === stores { $0.read = stores } }
        return stores
    }

    /// Those that somebody has asked for; nil for none.
    var known: KeyValueStores? { state.withLock { $0.read } }

    /// What was in memory is gone, as with the memory of an app.
    ///
    /// - Parameter isOver: Whether nothing is kept any more, as the device is none any more.
    func forget(isOver: Bool = false) { take(isOver: isOver)?.core.end() }

    /// The same, without their end.
    ///
    /// - Returns: Whose end is left to do.
    func take(isOver: Bool = false) -> KeyValueStores? {
        state.withLock { state in
            defer { state = State(isOver: state.isOver || isOver) }
            return state.made
        }
    }
}

extension UbiquityAccount {
    /// Makes what apps on a make-believe device have in their key-value stores, and what is in its folder, one.
    package func synchronizeKeyValues() { _ = madeUpKeyValues?.known?.core.synchronize() }

    /// Where the folder of a make-believe device is in step: what apps have written before they knew that counts from now on.
    ///
    /// - Returns: Whether that has changed something in the folder.
    package func endFirstSyncOfKeyValues() -> Bool {
        madeUpKeyValues?.known?.core.endInitialSyncNow() ?? false
    }

    /// Has apps on a make-believe device read their values anew: what they had not written down is gone.
    func forgetKeyValues() { madeUpKeyValues?.forget() }

    /// A make-believe device is none any more: nothing is written in its folder.
    func endKeyValues() { madeUpKeyValues?.forget(isOver: true) }
}

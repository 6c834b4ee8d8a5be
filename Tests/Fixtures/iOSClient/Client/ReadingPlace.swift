import UIKit

/// Remembers on all devices where a person was reading, as apps do.
@MainActor
final class ReadingPlace {
    private let store = NSUbiquitousKeyValueStore.default
    private var observer: (any NSObjectProtocol)?
    private(set) var changedKeys: [String] = []

    func start() {
        observer = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: .main
        ) { [weak self] note in
            guard let reason = note.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int else {
                return
            }
            let keys = note.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
            MainActor.assumeIsolated { self?.storeDidChange(reason, keys) }
        }
        store.synchronize()
    }

    private func storeDidChange(_ reason: Int, _ keys: [String]) {
        switch reason {
        case NSUbiquitousKeyValueStoreServerChange, NSUbiquitousKeyValueStoreInitialSyncChange,
            NSUbiquitousKeyValueStoreAccountChange:
            changedKeys += keys
        case NSUbiquitousKeyValueStoreQuotaViolationChange:
            print("no room for \(keys)")
        default: break
        }
    }

    var page: Int {
        get { Int(store.longLong(forKey: "page")) }
        set { store.set(Int64(newValue), forKey: "page") }
    }

    var theme: String? {
        get { store.string(forKey: "theme") }
        set { store.set(newValue, forKey: "theme") }
    }

    func remember(_ settings: [String: Any]) -> Bool {
        store.set(settings, forKey: "settings")
        store.set(true, forKey: "isKnown")
        store.set(Date(), forKey: "date")
        store.removeObject(forKey: "never")
        let isNight = store.dictionary(forKey: "settings")?["night"] as? Bool
        return store.synchronize() && isNight == true && store.bool(forKey: "isKnown")
            && store.object(forKey: "date") is Date && store.dictionaryRepresentation["never"] == nil
    }
}

internal import Cryptography
internal import Dispatch
internal import FileSystem
public import Foundation
internal import KeyValues

/// A few values that an app has on all of a user's devices: settings, the last page read.
///
///     let store = NSUbiquitousKeyValueStore.default
///     NotificationCenter.default.addObserver(
///         forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store, queue: .main
///     ) { note in … }
///     store.synchronize()
///     store.set("sepia", forKey: "theme")
///
/// Of two devices' writes of one key the later counts: one made with knowledge of another is later than it. Of two that
/// do not know of each other that of the device counts that has written more since it knew of the other's; no clock
/// decides. Values are those of property lists. At most 1,024 keys of at most 64 bytes in UTF-8, and 1,048,576 bytes of
/// keys and values in all, counted as they are stored: a write beyond that is dropped, and told by
/// ``didChangeExternallyNotification`` with ``NSUbiquitousKeyValueStoreQuotaViolationChange``. Two devices' values that have
/// come together may be more: all of them stay, that is told in the same way, and until the app has removed enough only
/// what makes the store smaller is written. A longer key traps.
///
/// Writes are in memory at once and on the disk a twentieth of a second later, or when ``synchronize()`` returns. Other
/// processes of the app get them from there. Where a folder of this device is joined (`sheaf join`), the file is in it, in
/// `.keyvalues`, and so on all of the user's devices. Works the same without; then the values are this device's own, and
/// stay there when a folder is joined.
/// May be used on any thread. `SHEAF_KEY_VALUES` names the folder of the files, or says `off`.
///
/// - Source: Apple's NSUbiquitousKeyValueStore.
/// - Differs from Darwin: needs no entitlement. There the later of two writes is the one with the later date. What another
///   process of the app on the same device writes is told as another device's is. The notification is posted on the main
///   queue.
public final class NSUbiquitousKeyValueStore: NSObject, @unchecked Sendable {
    // Sendable because all its state is in `core`, which is set once, before anybody has the store.

    /// The app's store.
    public class var `default`: NSUbiquitousKeyValueStore { shared }
    private static let shared: NSUbiquitousKeyValueStore = {
        // From now on another account is told of.
        _ = UbiquityAccount.shared.identity
        let store = NSUbiquitousKeyValueStore(.current)
        store.followsAccount()
        return store
    }()

    private func followsAccount() {
        // The store lasts as long as the process.
        _ = NotificationCenter.default.addObserver(
            forName: .NSUbiquityIdentityDidChange,
            object: nil,
            queue: nil
        ) { [weak self] _ in self?.changeAccount(to: .current) }
    }

    /// Values have changed other than by this store's own setters, or a write was dropped.
    ///
    /// Posted on the main queue, by the store. `userInfo` has the reason as a number
    /// (``NSUbiquitousKeyValueStoreChangeReasonKey``) and the keys (``NSUbiquitousKeyValueStoreChangedKeysKey``).
    public static let didChangeExternallyNotification = NSNotification.Name(
        "NSUbiquitousKeyValueStoreDidChangeExternallyNotification"
    )

    private var core: KeyValueCore?

    /// A store of its own: a test's, or another app's.
    ///
    /// - Parameter settings: Where it is kept.
    package init(_ settings: KeyValueSettings) {
        super.init()
        let writer = withUnsafeBytes(of: UUID().uuid) { Array($0) }
        core = KeyValueCore(settings, writer: writer) { [weak self] reason, keys in
            DispatchQueue.main.async { self?.post(reason, keys) }
        }
    }

    private func post(_ reason: KeyValueCore.Reason, _ keys: [String]) {
        NotificationCenter.default.post(
            name: Self.didChangeExternallyNotification,
            object: self,
            userInfo: [
                NSUbiquitousKeyValueStoreChangeReasonKey: NSNumber(value: reason.rawValue),
                NSUbiquitousKeyValueStoreChangedKeysKey: keys,
            ]
        )
    }

    // MARK: Reading

    private subscript(key: String) -> KeyValue? { core?[key] }

    /// What a key holds: `String`, `Data`, `Date`, `NSNumber`, or an array or dictionary of such; nil for nothing.
    public func object(forKey aKey: String) -> Any? { self[aKey]?.object }

    /// The text that a key holds; nil for nothing, and for anything else.
    public func string(forKey aKey: String) -> String? {
        if case .text(let text) = self[aKey] { text } else { nil }
    }

    /// The array that a key holds; nil for nothing, and for anything else.
    public func array(forKey aKey: String) -> [Any]? { object(forKey: aKey) as? [Any] }

    /// The dictionary that a key holds; nil for nothing, and for anything else.
    public func dictionary(forKey aKey: String) -> [String: Any]? { object(forKey: aKey) as? [String: Any] }

    /// The data that a key holds; nil for nothing, and for anything else.
    public func data(forKey aKey: String) -> Data? {
        if case .bytes(let bytes) = self[aKey] { Data(bytes) } else { nil }
    }

    /// The whole number that a key holds; a fraction is cut off. 0 for nothing, and for what is no number, or one beyond
    /// 64 bits.
    public func longLong(forKey aKey: String) -> Int64 {
        switch self[aKey] {
        case .integer(let number): number
        case .flag(let flag): flag ? 1 : 0
        case .real(let real): Int64(exactly: real.number.rounded(.towardZero)) ?? 0
        default: 0
        }
    }

    /// The number that a key holds; 0 for nothing, and for what is no number.
    public func double(forKey aKey: String) -> Double {
        switch self[aKey] {
        case .integer(let number): Double(number)
        case .flag(let flag): flag ? 1 : 0
        case .real(let real): real.number
        default: 0
        }
    }

    /// Whether a key holds true, or a number that is not 0.
    public func bool(forKey aKey: String) -> Bool { double(forKey: aKey) != 0 }

    /// All keys and what they hold, in memory.
    public var dictionaryRepresentation: [String: Any] { core?.values.mapValues(\.object) ?? [:] }

    // MARK: Writing

    /// Has a key hold a property list's value; nil removes it. Anything else is named on standard error, and ignored.
    public func set(_ anObject: Any?, forKey aKey: String) {
        guard let anObject = Self.unwrapped(anObject) else { return removeObject(forKey: aKey) }
        guard let value = KeyValue(anObject) else {
            return KeyValueCore.warn("A \(type(of: anObject)) for “\(aKey)” is no property list's value.")
        }
        write(value, aKey)
    }

    /// Has a key hold a text; nil removes it.
    public func set(_ aString: String?, forKey aKey: String) { write(aString.map { .text($0) }, aKey) }

    /// Has a key hold data; nil removes it.
    public func set(_ aData: Data?, forKey aKey: String) { write(aData.map { .bytes([UInt8]($0)) }, aKey) }

    /// Has a key hold an array of property list's values; nil removes it.
    public func set(_ anArray: [Any]?, forKey aKey: String) { set(anArray as Any?, forKey: aKey) }

    /// Has a key hold a dictionary of property list's values; nil removes it.
    public func set(_ aDictionary: [String: Any]?, forKey aKey: String) {
        set(aDictionary as Any?, forKey: aKey)
    }

    /// Has a key hold a whole number.
    public func set(_ value: Int64, forKey aKey: String) { write(.integer(value), aKey) }

    /// Has a key hold a number.
    public func set(_ value: Double, forKey aKey: String) { write(.real(KeyValue.RealBits(value)), aKey) }

    /// Has a key hold true or false.
    public func set(_ value: Bool, forKey aKey: String) { write(.flag(value), aKey) }

    /// Removes a key, on all devices. Nothing happens when there is none.
    public func removeObject(forKey aKey: String) {
        // No such key can be there.
        guard aKey.utf8.count <= KeyValueState.keyByteCountMax else { return }
        write(nil, aKey)
    }

    private func write(_ value: KeyValue?, _ key: String) {
        precondition(
            key.utf8.count <= KeyValueState.keyByteCountMax,
            "a key of \(key.utf8.count) bytes; at most \(KeyValueState.keyByteCountMax): \(key.prefix(80))"
        )
        core?.set(value, key)
    }

    /// What is in an optional in an `Any`.
    private static func unwrapped(_ object: Any?) -> Any? {
        guard let object else { return nil }
        guard let optional = object as? any OptionalValue else { return object }
        return unwrapped(optional.value)
    }

    // MARK: Syncing

    /// Makes what is in memory and what is on the disk one, on stable storage. An app calls it when it starts, and may when
    /// it comes to the front or must not lose what it has just written.
    ///
    /// - Returns: False when the disk refused, as standard error says, and when `SHEAF_KEY_VALUES` says `off`.
    @discardableResult
    public func synchronize() -> Bool { core?.synchronize() ?? false }

    /// From now on until something of other devices comes, what is written gives way to that, as on a new device.
    package func beginInitialSync() { core?.beginInitialSync() }

    /// The container was read to its end, and there was nothing for this store.
    package func endInitialSync() { core?.endInitialSync() }

    /// Another account is there, or none: its values take the place of these, whatever their times.
    package func changeAccount(to settings: KeyValueSettings) { core?.changeAccount(to: settings) }
}

/// An optional of whatever type.
private protocol OptionalValue {
    var value: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var value: Any? { self.map { $0 as Any } }
}

/// Leads to why values changed, as an `NSNumber`, in the notification's `userInfo`.
public let NSUbiquitousKeyValueStoreChangeReasonKey = "NSUbiquitousKeyValueStoreChangeReasonKey"

/// Leads to the keys whose values changed, a `[String]`, in the notification's `userInfo`.
public let NSUbiquitousKeyValueStoreChangedKeysKey = "NSUbiquitousKeyValueStoreChangedKeysKey"

/// Another device has written, or another process of the app.
public var NSUbiquitousKeyValueStoreServerChange: Int { 0 }

/// The first values of other devices have come; what was written before gave way to them.
public var NSUbiquitousKeyValueStoreInitialSyncChange: Int { 1 }

/// A write was dropped, as there is no room for it; or with what has come from another device there is more than that.
public var NSUbiquitousKeyValueStoreQuotaViolationChange: Int { 2 }

/// Another account is there, with its own values.
public var NSUbiquitousKeyValueStoreAccountChange: Int { 3 }

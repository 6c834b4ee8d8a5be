internal import Cryptography
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
/// values in all, which one key may have: a write beyond that is dropped, and told by
/// ``didChangeExternallyNotification`` with ``NSUbiquitousKeyValueStoreQuotaViolationChange``. Two devices' values that have
/// come together may be more: all of them stay, that is told in the same way, and until the app has removed enough only
/// what makes the store smaller is written. A longer key traps.
///
/// Writes are in memory at once and on the disk a twentieth of a second later, or when ``synchronize()`` returns. Other
/// processes of the app get them from there. Where a folder of this device is joined (`sheaf join`), the file is in it, in
/// `.keyvalues`, and so on all of the user's devices. While that folder is not there, what is written waits on this device, and
/// becomes one with what the folder has when it is back, as on a new device. Works the same without a folder; then the values
/// are this device's own until one is joined: they are in that then, but where it has others. What a disk refuses is tried again every
/// ten seconds. May be used on any thread. `SHEAF_KEY_VALUES` names the folder of the files, or says `off`.
///
/// Stores that an app makes, also of classes of its own, are on the same values as ``default``: what one writes all have at
/// once, and none tells it. What comes from elsewhere, and what there is no room for, each of them tells. No member calls
/// another: who overrides one changes that one alone.
///
/// On a `DocumentTesting.WorldDevice` they are that device's: those that are made in its `run`, the ``default`` one among them, are on
/// its values, and tell what comes to it. In `run` of another device all of them are on that one's values.
///
/// - Source: Apple's NSUbiquitousKeyValueStore.
/// - Differs from Darwin: needs no entitlement. There the later of two writes is the one with the later date. What another
///   process of the app on the same device writes is told as another device's is. The notification is posted on the main
///   queue.
open class NSUbiquitousKeyValueStore: NSObject, @unchecked Sendable {
    // Sendable because its one property is constant, and Sendable itself. What a derived class adds is its own to protect.

    /// The app's store. One object, on a make-believe device one of its own, and not of a class derived from this one.
    open class var `default`: NSUbiquitousKeyValueStore {
        UbiquityAccount.shared.madeUpKeyValues?.store ?? shared
    }
    private static let shared = NSUbiquitousKeyValueStore()

    /// Values have changed other than by this store's own setters, or a write was dropped.
    ///
    /// Posted on the main queue, by each of the app's stores. `userInfo` has the reason as a number
    /// (``NSUbiquitousKeyValueStoreChangeReasonKey``) and the keys (``NSUbiquitousKeyValueStoreChangedKeysKey``).
    public static let didChangeExternallyNotification = NSNotification.Name(
        "NSUbiquitousKeyValueStoreDidChangeExternallyNotification"
    )

    private let origin: Origin
    private var core: KeyValueCore {
        switch origin {
        case .app(let place): KeyValueStores.asked(of: place).core
        case .other(let stores): stores.core
        }
    }

    /// Whose store it is.
    private enum Origin: Sendable {
        /// The app's, made somewhere.
        case app(KeyValueStores.Place)
        case other(KeyValueStores)
    }

    /// A store on the values of ``default``.
    public override init() {
        let place = KeyValueStores.Place.current
        origin = .app(place)
        super.init()
        KeyValueStores.addOfApp(self, at: place)
    }

    /// A store beside others on one core.
    init(on stores: KeyValueStores) {
        origin = .other(stores)
        super.init()
        stores.add(self)
    }

    /// A store of its own: a test's, or another app's.
    ///
    /// - Parameter settings: Where it is kept.
    package convenience init(_ settings: KeyValueSettings) { self.init(on: KeyValueStores(settings)) }

    deinit {
        let id = ObjectIdentifier(self)
        switch origin {
        case .app(let place): KeyValueStores.removeOfApp(id, at: place)
        case .other(let stores): stores.remove(id)
        }
    }

    /// Tells observers. Called on the main queue.
    func post(_ reason: KeyValueCore.Reason, _ keys: [String]) {
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

    private subscript(key: String) -> KeyValue? { core[key] }

    /// What a key holds: `String`, `Data`, `Date`, `NSNumber`, or an array or dictionary of such; nil for nothing.
    open func object(forKey aKey: String) -> Any? { self[aKey]?.object }

    /// The text that a key holds; nil for nothing, and for anything else.
    open func string(forKey aKey: String) -> String? {
        if case .text(let text) = self[aKey] { text } else { nil }
    }

    /// The array that a key holds; nil for nothing, and for anything else.
    open func array(forKey aKey: String) -> [Any]? { self[aKey]?.object as? [Any] }

    /// The dictionary that a key holds; nil for nothing, and for anything else.
    open func dictionary(forKey aKey: String) -> [String: Any]? { self[aKey]?.object as? [String: Any] }

    /// The data that a key holds; nil for nothing, and for anything else.
    open func data(forKey aKey: String) -> Data? {
        if case .bytes(let bytes) = self[aKey] { Data(bytes) } else { nil }
    }

    /// The whole number that a key holds; a fraction is cut off. 0 for nothing, and for what is no number, or one beyond
    /// 64 bits.
    open func longLong(forKey aKey: String) -> Int64 {
        switch self[aKey] {
        case .integer(let number): number
        case .flag(let flag): flag ? 1 : 0
        case .real(let real): Int64(exactly: real.number.rounded(.towardZero)) ?? 0
        default: 0
        }
    }

    /// The number that a key holds; 0 for nothing, and for what is no number.
    open func double(forKey aKey: String) -> Double { number(aKey) }

    private func number(_ key: String) -> Double {
        switch self[key] {
        case .integer(let number): Double(number)
        case .flag(let flag): flag ? 1 : 0
        case .real(let real): real.number
        default: 0
        }
    }

    /// Whether a key holds true, or a number that is not 0.
    open func bool(forKey aKey: String) -> Bool { number(aKey) != 0 }

    /// All keys and what they hold, in memory.
    open var dictionaryRepresentation: [String: Any] { core.values.mapValues(\.object) }

    // MARK: Writing

    /// Has a key hold a property list's value; nil removes it. Anything else is named on standard error, and ignored.
    open func set(_ anObject: Any?, forKey aKey: String) { write(object: anObject, aKey) }

    /// Has a key hold a text; nil removes it.
    open func set(_ aString: String?, forKey aKey: String) { write(aString.map { .text($0) }, aKey) }

    /// Has a key hold data; nil removes it.
    open func set(_ aData: Data?, forKey aKey: String) { write(aData.map { .bytes([UInt8]($0)) }, aKey) }

    /// Has a key hold an array of property list's values; nil removes it.
    open func set(_ anArray: [Any]?, forKey aKey: String) { write(object: anArray, aKey) }

    /// Has a key hold a dictionary of property list's values; nil removes it.
    open func set(_ aDictionary: [String: Any]?, forKey aKey: String) {
        write(object: aDictionary, aKey)
    }

    /// Has a key hold a whole number.
    open func set(_ value: Int64, forKey aKey: String) { write(.integer(value), aKey) }

    /// Has a key hold a number.
    open func set(_ value: Double, forKey aKey: String) { write(.real(KeyValue.RealBits(value)), aKey) }

    /// Has a key hold true or false.
    open func set(_ value: Bool, forKey aKey: String) { write(.flag(value), aKey) }

    /// Removes a key, on all devices. Nothing happens when there is none.
    open func removeObject(forKey aKey: String) { remove(aKey) }

    // What setters share. Not the setters themselves, which who derives a class may have call one another.

    private func remove(_ key: String) {
        // No such key can be there.
        guard key.utf8.count <= KeyValueState.keyByteCountMax else { return }
        write(nil, key)
    }

    private func write(object: Any?, _ key: String) {
        guard let object = Self.unwrapped(object) else { return remove(key) }
        guard let value = KeyValue(object) else {
            return KeyValueCore.warn("A \(type(of: object)) for “\(key)” is no property list's value.")
        }
        write(value, key)
    }

    private func write(_ value: KeyValue?, _ key: String) {
        precondition(
            key.utf8.count <= KeyValueState.keyByteCountMax,
            "a key of \(key.utf8.count) bytes; at most \(KeyValueState.keyByteCountMax): \(key.prefix(80))"
        )
        core.set(value, key)
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
    open func synchronize() -> Bool { core.synchronize() }

    /// From now on until something of other devices comes, what is written gives way to that, as on a new device.
    package func beginInitialSync() { core.beginInitialSync() }

    /// The container was read to its end, and there was nothing for this store.
    package func endInitialSync() { core.endInitialSync() }

    /// Another account is there, or none: its values take the place of these, whatever their times.
    package func changeAccount(to settings: KeyValueSettings) { core.changeAccount(to: settings) }
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

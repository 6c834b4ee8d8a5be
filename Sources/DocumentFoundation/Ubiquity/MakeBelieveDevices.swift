internal import FileSystem
package import Foundation
internal import Locks
internal import StandardStreams

/// The make-believe devices of one world of a test, as the rest of the process finds them: by what is in their folders, wherever
/// it is asked about. While there is a world, what is on none of its devices has no containers and no versions, and key-value stores
/// in memory alone, so that no test gets at those of whoever runs it.
///
/// One struct under one lock; any thread.
package final class MakeBelieveDevices: Sendable {
    private struct Device: Sendable {
        /// Its folder's path, and the same with links resolved.
        let roots: [String]
        let account: UbiquityAccount
        let trash: URL
        let versions: @Sendable () -> VersionStore

        func holds(_ path: String) -> Bool {
            roots.contains { path == $0 || path.hasPrefix($0 + "/") }
        }
    }

    private static let worlds: Locked<[ObjectIdentifier: [Device]]> = Locked([:])
    /// Of what is on none of the devices.
    static let keyValues = MadeUpKeyValues(members: KeyValueStores.ofApp)

    package init() { Self.worlds.withLock { $0[ObjectIdentifier(self)] = [] } }

    deinit { end() }

    /// From here on there are no such devices.
    package func end() {
        // Whoever comes next finds none of them.
        let former = Self.worlds.withLock { worlds -> KeyValueStores? in
            let wasThere = worlds.removeValue(forKey: ObjectIdentifier(self)) != nil
            return wasThere && worlds.isEmpty ? Self.keyValues.take() : nil
        }
        former?.core.end()
    }

    /// - Parameters:
    ///   - folder: The device's.
    ///   - trash: That of its user.
    ///   - versions: Gives those of its user.
    package func add(
        _ folder: URL,
        _ account: UbiquityAccount,
        trash: URL,
        _ versions: @escaping @Sendable () -> VersionStore
    ) {
        let (plain, resolved) = (folder.standardizedFileURL.path, folder.resolvingSymlinksInPath().path)
        let device = Device(
            roots: plain == resolved ? [plain] : [plain, resolved],
            account: account,
            trash: trash,
            versions: versions
        )
        Self.worlds.withLock { $0[ObjectIdentifier(self)]?.append(device) }
    }

    /// What was asked on none of the devices, and that was said.
    private static let askedOnNone: Locked<Set<String>> = Locked([])

    /// Says once of what an app asks about no item, and on no device, that it is asked there: as if iCloud were off.
    ///
    /// - Parameter what: What is asked.
    static func note(askedOnNone what: String) {
        guard areThere, UbiquityAccount.shared === UbiquityAccount.ofUser,
            askedOnNone.withLock({ $0.insert(what).inserted })
        else { return }
        StandardError.say(
            """
            \(what) was asked on no device of the DocumentWorld, where iCloud is off. A block on a queue, a thread and a \
            Task.detached are on no device; Task { … } instead of a queue keeps it, and WorldDevice.carrying { … } gives a \
            block for one that does.
            """
        )
    }

    /// Whether there is a world.
    package static var areThere: Bool { worlds.withLock { !$0.isEmpty } }

    /// On the device of an account; nil for one of no world that is there.
    static func context(of account: UbiquityAccount) -> DeviceContext? {
        let devices = worlds.withLock { $0.values.flatMap(\.self) }
        return devices.first { $0.account === account }
            .map { DeviceContext(account: account, versions: $0.versions()) }
    }

    /// Those of all devices.
    static var accounts: [UbiquityAccount] { worlds.withLock { $0.values.flatMap { $0.map(\.account) } } }

    /// The account of the device whose an item is, or would be; nil where that is on none.
    static func account(of url: URL) -> UbiquityAccount? { device(of: url)?.account }

    /// The trash of the device whose an item is; nil where that is on none.
    static func trash(of url: URL) -> URL? { device(of: url)?.trash }

    /// The account and the versions of the device whose an item is, or would be.
    fileprivate static func owner(of url: URL) -> (account: UbiquityAccount, versions: VersionStore)? {
        device(of: url).map { ($0.account, $0.versions()) }
    }

    private static func device(of url: URL) -> Device? {
        let devices = worlds.withLock { $0.isEmpty ? [] : $0.values.flatMap(\.self) }
        guard !devices.isEmpty, url.isFileURL else { return nil }
        let path = url.standardizedFileURL.path
        return devices.first { $0.holds(path) }
            // What cannot be looked at is in no folder but by its name.
            ?? (try? FilePath(url)?.resolvedInFolder()).flatMap { place in
                devices.first { $0.holds(place.string) }
            }
    }
}

extension UbiquityAccount {
    /// The account that an item is asked about: its make-believe device's, else that of whoever asks.
    package static func of(_ url: URL) -> UbiquityAccount {
        MakeBelieveDevices.owner(of: url)?.account ?? .shared
    }
}

extension VersionStore {
    /// The versions in which those of an item are: its make-believe device's, else those of whoever asks.
    package static func of(_ url: URL) -> VersionStore {
        MakeBelieveDevices.owner(of: url)?.versions ?? .shared
    }
}

/// On which device something is done, for what calls back later, on another thread.
package struct DeviceContext: Sendable {
    fileprivate let account: UbiquityAccount
    fileprivate let versions: VersionStore

    /// That of an item, else that of the caller; nil where no `DocumentWorld` is there: what a test has put in the place of the
    /// shared ones by itself is not carried along.
    ///
    /// - Parameter url: The item that it is about; not asked for where there is nothing to carry along.
    package static func current(for url: @autoclosure () -> URL? = nil) -> DeviceContext? {
        guard MakeBelieveDevices.areThere else { return nil }
        if let owner = url().flatMap(MakeBelieveDevices.owner) {
            return DeviceContext(account: owner.account, versions: owner.versions)
        }
        return DeviceContext(account: .shared, versions: .shared)
    }

    fileprivate func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try UbiquityAccount.$shared.withValue(account) {
            try VersionStore.$shared.withValue(versions, operation: body)
        }
    }
}

extension DeviceContext? {
    /// Does something there.
    package func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        if let self { try self.run(body) } else { try body() }
    }
}

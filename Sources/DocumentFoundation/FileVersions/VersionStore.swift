internal import Dispatch
internal import FileSystem
package import Foundation
internal import Locks
internal import StandardStreams
internal import Vault

/// The user's versions, as documents and `NSFileVersion` ask for them.
///
/// State: one struct under one lock. Any thread; every call blocks on the disk. The lock is held while the vault is
/// opened, as nobody can go on without it, and at no other time.
package final class VersionStore: Sendable {
    /// The one that new documents and `NSFileVersion` use; a test puts its own in place.
    @TaskLocal package static var shared = own
    private static let own = VersionStore(.current)

    let settings: VersionSettings
    let identities: IdentityIndex
    let savingSeconds: Double
    /// A vault that was removed or mended by hand is noticed after so many seconds; until then nobody waits for the disk.
    package let retrySeconds: TimeInterval
    let places: PlaceMarks
    let copies: VersionCopies
    let now: @Sendable () -> Date
    let running: @Sendable () -> TimeInterval
    package let report: @Sendable (String) -> Void
    let state = Locked(State())

    struct State {
        var opening: Opening?
        /// What was said already.
        var reported: Set<String> = []
        /// Of which documents it is known which version their state was, and when.
        var confirmed: [FileMark: Confirmation] = [:]
        /// When versions of a document were thinned last.
        var thinned: [FileMark: Date] = [:]
        /// Which versions in conflict were handed out, by whose they are.
        var seen: [FileMark: Set<VersionID>] = [:]
    }

    /// That the state an item was in was its newest version.
    struct Confirmation {
        var version: VersionID
        var stamp: FileStamp
        var date: Date
    }

    enum Opening {
        case open(Vault, DeviceIdentity)
        /// Why it is not, and when that was found; it is tried again after a while.
        case failed(FileVersionError, at: Date)
        case off(FileVersionError)

        func holds(at moment: Date, for retrySeconds: TimeInterval) -> Bool {
            // A clock that was put back must not keep it from being tried for as long.
            if case .failed(_, let found) = self {
                (0..<retrySeconds).contains(moment.timeIntervalSince(found))
            } else {
                true
            }
        }
    }

    /// - Parameters:
    ///   - settings: Where versions are kept.
    ///   - now: Tells the time.
    ///   - running: Tells for how long the machine has been running, in seconds, its sleep included.
    ///   - savingSeconds: What an editor does to save is done in less: it gives its backup a name, and makes a new file.
    ///   - retrySeconds: How long a vault that could not be opened is not tried again.
    ///   - report: Told what a user or developer should know although no call has failed for it.
    package init(
        _ settings: VersionSettings,
        now: @escaping @Sendable () -> Date = { Date() },
        running: @escaping @Sendable () -> TimeInterval = VersionStore.runningSeconds,
        savingSeconds: Double = 1,
        retrySeconds: TimeInterval = 60,
        report: @escaping @Sendable (String) -> Void = VersionStore.say
    ) {
        self.settings = settings
        self.now = now
        self.running = running
        self.savingSeconds = savingSeconds
        self.retrySeconds = retrySeconds
        self.report = report
        identities = IdentityIndex(folder: settings.stateFolder.appending("identities"))
        places = PlaceMarks(folder: settings.stateFolder.appending("places"))
        copies = VersionCopies(folder: settings.copiesFolder)
        VersionStores.insert(self)
    }

    /// Whether versions are kept at all: not where `SHEAF_VAULT` says `off`, nor in the user's own vault while a test has
    /// make-believe devices.
    package var isOn: Bool { settings.vaultFolder != nil && !isHidden }

    private var isHidden: Bool { self === Self.own && MakeBelieveDevices.areThere }

    /// The vault and this device, opened when first asked for.
    ///
    /// - Parameter url: For which item; told in the error.
    /// - Throws: `FileVersionError` with code `vaultUnavailable`, which has been reported by then.
    func open(for url: URL) throws -> (vault: Vault, device: DeviceIdentity) {
        if isHidden { throw FileVersionError.switchedOff(url) }
        let moment = now()
        let (opening, isNew) = state.withLock { state -> (Opening, Bool) in
            if let opening = state.opening, opening.holds(at: moment, for: retrySeconds) {
                return (opening, false)
            }
            let opening = openNow(moment)
            state.opening = opening
            guard case .failed(let error, _) = opening else { return (opening, false) }
            return (opening, state.reported.insert(error.detail).inserted)
        }
        switch opening {
        case .open(let vault, let device): return (vault, device)
        case .off(var error):
            error.url = url
            throw error
        case .failed(var error, _):
            if isNew { report(error.detail) }
            error.url = url
            throw error
        }
    }

    private func openNow(_ moment: Date) -> Opening {
        guard let folder = settings.vaultFolder else {
            let url = URL(fileURLWithPath: "/")
            return .off(.switchedOff(url))
        }
        do {
            try ItemMoves.createFolders(folder.parent, permissions: 0o700)
            let isNew = try FileStamp.ifPresent(at: folder) == nil
            let vault = try Vault(at: folder, now: now)
            if isNew { try beginPassedTime() }
            return .open(vault, try DeviceIdentity.load(from: settings.stateFolder, named: settings.hostName))
        } catch {
            return .failed(.unavailable(folder, because: error), at: moment)
        }
    }

    /// Tries again at once to open what could not be opened.
    package func tryAgain() {
        state.withLock { state in
            if case .failed = state.opening { state.opening = nil }
        }
    }

    /// Says something once, however often it is so.
    func reportOnce(_ text: String) {
        if state.withLock({ $0.reported.insert(text).inserted }) { report(text) }
    }

    /// Says something on standard error.
    package static let say: @Sendable (String) -> Void = { StandardError.say($0) }
}

/// The stores of this process, so that news of versions come to those that have them.
enum VersionStores {
    private final class Reference: @unchecked Sendable {
        // Sendable because a weak reference may be read by any thread, and is never set again.
        weak var store: VersionStore?
        init(_ store: VersionStore) { self.store = store }
    }

    private static let references = Locked<[Reference]>([])

    static func insert(_ store: VersionStore) {
        references.withLock { references in
            references.removeAll { $0.store == nil }
            references.append(Reference(store))
        }
    }

    /// A store whose vault is in a folder; this process's own is made if nobody has asked for it yet.
    static func store(at vaultFolder: String) -> VersionStore? {
        let known = references.withLock { references in
            references.lazy.compactMap(\.store).first { $0.settings.vaultFolder?.string == vaultFolder }
        }
        if let known { return known }
        return VersionSettings.current.vaultFolder?.string == vaultFolder ? VersionStore.shared : nil
    }
}

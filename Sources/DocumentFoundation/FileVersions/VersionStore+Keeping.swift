package import FileSystem
package import Foundation
internal import Locks
package import Vault

/// What is to be kept of an item, and why.
package struct VersionKeeping: Sendable {
    package var reason: VersionReason
    /// The members of a package that may have changed since it was kept last; nil when nobody knows.
    package var changed: Set<MemberPath>?
    /// The mark of the document that is open there.
    package var lastKnown: FileMark?
    /// Whether others may write to the item meanwhile: then a package is looked at again until it is at rest.
    package var mayBeWritten: Bool
    /// How long versions are kept.
    package var retention: VersionRetention

    package init(
        _ reason: VersionReason,
        changed: Set<MemberPath>? = nil,
        lastKnown: FileMark? = nil,
        mayBeWritten: Bool = false,
        retention: VersionRetention = .standard
    ) {
        self.reason = reason
        self.changed = changed
        self.lastKnown = lastKnown
        self.mayBeWritten = mayBeWritten
        self.retention = retention
    }
}

extension VersionStore {
    /// How long thinning waits after it has been done, in seconds, for each document.
    static let thinningSeconds: TimeInterval = 3600
    /// How long collecting waits after it has been done, in seconds.
    static let collectingSeconds: TimeInterval = 86400
    /// When more documents than this have been thinned, all count as not thinned: thinning twice does no harm.
    private static let thinnedCountMax = 4096
    /// So often a package is kept anew that is written to meanwhile; then it stays as it was seen last.
    static let attemptCountMax = 4

    /// Keeps the state that an item is in, unless its newest version is that; then thins its versions, if that is
    /// due.
    ///
    /// - Parameters:
    ///   - url: Where it is; a symbolic link is followed.
    ///   - keeping: What and why.
    /// - Returns: The item's mark, and the version that is its state.
    /// - Throws: `FileVersionError`, with code `vaultUnavailable`, which has been reported, `itemAbsent` or
    ///   `notKept`.
    @discardableResult
    package func keep(
        _ url: URL,
        _ keeping: VersionKeeping
    ) throws -> (mark: FileMark, version: NSFileVersion) {
        let (vault, device) = try open(for: url)
        do {
            let item = try markedItem(at: url, lastKnown: keeping.lastKnown)
            let kept = try keepAtRest(item, named: url.lastPathComponent, keeping, in: vault, device)
            if kept.isFresh { announce(.gained, kept.version.id, at: url) }
            thinIfDue(item, in: vault, keeping.retention, url)
            return (item.mark, NSFileVersion(.kept(kept.version), of: url, in: self))
        } catch let error as SystemError where error.isAbsent {
            throw FileVersionError.absent(url, because: error)
        } catch {
            throw FileVersionError.notKept(url, because: error)
        }
    }

    /// A version, and whether it was added just now.
    typealias Kept = (version: KeptVersion, isFresh: Bool)

    private func keepAtRest(
        _ item: Item,
        named name: String,
        _ keeping: VersionKeeping,
        in vault: Vault,
        _ device: DeviceIdentity
    ) throws -> Kept {
        var kept = try keepOnce(item, named: name, keeping, in: vault, device)
        guard keeping.mayBeWritten, kept.version.kind == .directory else { return kept }
        for _ in 1..<Self.attemptCountMax where kept.isFresh {
            let again = try keepOnce(item, named: name, keeping, in: vault, device)
            if !again.isFresh { break }
            // Its members were not of one moment.
            try vault.remove([kept.version.id])
            kept = again
        }
        return kept
    }

    private func keepOnce(
        _ item: Item,
        named name: String,
        _ keeping: VersionKeeping,
        in vault: Vault,
        _ device: DeviceIdentity
    ) throws -> Kept {
        let origin = origin(keeping.reason, of: name, on: device)
        let stamp = try FileStamp(of: item.path)
        let version = try vault.keep(
            item.path,
            as: item.mark,
            origin: origin,
            changed: keeping.changed,
            unlessUnchanged: true
        )
        confirm(item.mark, Confirmation(version: version.id, stamp: stamp, date: origin.date))
        return (version, isFresh(version, origin))
    }

    private func confirm(_ mark: FileMark, _ confirmation: Confirmation) {
        state.withLock { state in
            if state.confirmed.count > Self.thinnedCountMax { state.confirmed = [:] }
            state.confirmed[mark] = confirmation
        }
    }

    /// What is said of a version of this device.
    func origin(
        _ reason: VersionReason,
        of name: String,
        on device: DeviceIdentity,
        dated date: Date? = nil,
        isConflict: Bool = false,
        isDiscardable: Bool = true
    ) -> VersionOrigin {
        VersionOrigin(
            device: device.id,
            deviceName: device.name,
            reason: reason,
            date: date ?? now(),
            displayName: name,
            isConflict: isConflict,
            isDiscardable: isDiscardable
        )
    }

    /// Whether a version was added and is not one that there was.
    func isFresh(_ version: KeptVersion, _ origin: VersionOrigin) -> Bool {
        abs(version.date.timeIntervalSince(origin.date)) < 1e-6
    }

    // MARK: Thinning and collecting

    private func thinIfDue(_ item: Item, in vault: Vault, _ retention: VersionRetention, _ url: URL) {
        do {
            // Read also where nothing is due: that the clock was behind is noticed while it is.
            guard let passed = try passedTime(), isThinningDue(item.mark) else { return }
            for id in try vault.thin(item.mark, by: retention, at: passed) { announce(.lost, id, at: url) }
            try collectIfDue(vault, at: passed)
        } catch {
            reportOnce("Old versions of “\(url.lastPathComponent)” were not removed: \(error)")
        }
    }

    private func isThinningDue(_ mark: FileMark) -> Bool {
        let moment = now()
        return state.withLock { state in
            if let last = state.thinned[mark],
                (0..<Self.thinningSeconds).contains(moment.timeIntervalSince(last))
            {
                return false
            }
            if state.thinned.count > Self.thinnedCountMax { state.thinned = [:] }
            state.thinned[mark] = moment
            return true
        }
    }

    /// - Parameter passed: What time it is at least.
    private func collectIfDue(_ vault: Vault, at passed: Date) throws {
        let place = settings.stateFolder.appending("vault-collected")
        let last = try FileStamp.ifPresent(at: place)?.modificationDate
        if let last, (0..<Self.collectingSeconds).contains(passed.timeIntervalSince(last)) { return }
        // Said first, so that of several processes one does it.
        let save = try StagedSave(item: place, followsSymbolicLink: false)
        try save.write(Data())
        try save.commit(MemberAttributes(modificationDate: passed))
        // A new vault has nothing to collect.
        if last == nil { return }
        // Whoever ends the process meanwhile loses nothing: collecting may be stopped anywhere.
        DispatchQueue(label: "sheaf.collecting", qos: .background).async { [self] in
            do { try vault.collect() } catch let error as VaultError where error.code == .busy {
                // Another does it.
            } catch {
                reportOnce("What removed versions took in the vault was not freed: \(error)")
            }
        }
    }
}

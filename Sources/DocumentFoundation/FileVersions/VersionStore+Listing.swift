internal import FileSystem
internal import Foundation
internal import Locks
internal import Vault

extension VersionStore {
    /// The versions of the item at a place, the oldest first, without the one that is the state it is in now.
    ///
    /// - Throws: `SystemError` with `ENOENT` when nothing is there; what the vault says.
    func otherVersions(at url: URL) throws -> [KeptVersion] {
        guard isOn else { return [] }
        guard let item = try knownItem(at: url) else { return [] }
        let vault = try open(for: url).vault
        var versions = try vault.versions(of: item.mark)
        if let newest = versions.last, try isCurrent(newest, of: item, in: vault) { versions.removeLast() }
        return versions
    }

    /// One version of the item at a place.
    func version(_ id: VersionID, at url: URL) throws -> KeptVersion? {
        guard isOn, let item = try knownItem(at: url), let version = try open(for: url).vault.version(id),
            version.item == item.mark
        else { return nil }
        return version
    }

    /// A version as the vault has it now; nil when it has been removed.
    func latest(_ version: KeptVersion, at url: URL) -> KeptVersion? {
        do { return try open(for: url).vault.version(version.id) } catch {
            // A vault that cannot be opened has been reported.
            if !(error is FileVersionError) {
                reportOnce("A version of “\(url.path)” was not found: \(error)")
            }
            return nil
        }
    }

    func remove(_ versions: [KeptVersion], at url: URL) throws {
        try open(for: url).vault.remove(versions.map(\.id))
        forgetSeen(versions)
        for version in versions {
            do { try copies.remove(version.id) } catch {
                reportOnce("The copy of a removed version of “\(url.path)” is still there: \(error)")
            }
            announce(.lost, version.id, at: url)
        }
    }

    func setResolved(_ version: KeptVersion, at url: URL) throws {
        try open(for: url).vault.setResolved([version.id])
        forgetSeen([version])
        announce(.resolved, version.id, at: url)
    }

    func setDiscardable(_ version: KeptVersion, at url: URL) throws {
        try open(for: url).vault.setDiscardable(true, [version.id])
    }

    // MARK: The state that an item is in

    /// Whether a version is the state that an item is in: a file's bytes say, a package's times, and where those may be another's
    /// its bytes, too. What lost a conflict may have done so over permissions or attributes alone: of that these are looked at as well.
    ///
    /// In doubt a package is in another: then the list has one version that looks like the document.
    func isCurrent(_ version: KeptVersion, of item: Item, in vault: Vault) throws -> Bool {
        let stamp = try FileStamp(of: item.path)
        if let placeholder = item.placeholder {
            // It says all that is known here of what the contents were.
            return !version.isConflict && placeholder.isDirectory == (version.kind == .directory)
                && placeholder.byteCount == version.byteCount
                && abs(stamp.modificationDate.timeIntervalSince(version.modificationDate)) < 1e-6
        }
        guard stamp.kind == version.kind else { return false }
        let confirmed = state.withLock { $0.confirmed[item.mark] }
        let isConfirmed = confirmed.map { $0.version == version.id && $0.stamp == stamp } ?? false
        let isDated = abs(stamp.modificationDate.timeIntervalSince(version.modificationDate)) < 1e-6
        guard stamp.kind == .directory else {
            guard UInt64(stamp.byteCount) == version.byteCount else { return false }
            // What lost against the document may be of the same date, size and bytes, and came later.
            if version.isConflict { return try vault.holdsState(of: item.path, version) }
            if isConfirmed { return true }
            // Another device's document of the same date and size may have come after the version was kept.
            if isDated, try ItemStatus(of: item.path).changeDate < version.date { return true }
            return try vault.holdsBytes(of: item.path, version)
        }
        guard isConfirmed || isDated else { return false }
        let date = confirmed.flatMap { isConfirmed ? $0.date : nil } ?? version.date
        var byteCount: UInt64 = 0
        let isUntouched = try visit(SourceFolder(at: item.path)) { status in
            if status.stamp.kind == .regular { byteCount += UInt64(status.stamp.byteCount) }
            // Not the change time: that moves when a save lets go of the links that it made.
            return status.stamp.modificationDate < date
        }
        guard isUntouched, byteCount == version.byteCount else { return false }
        return try !version.isConflict || vault.holdsState(of: item.path, version)
    }

    /// Looks at all members until one is not as it should be.
    private func visit(_ folder: SourceFolder, _ isGood: (MemberStatus) -> Bool) throws -> Bool {
        for name in try folder.memberNames() {
            let status = try folder.status(of: name)
            guard isGood(status) else { return false }
            if status.stamp.kind == .directory, try !visit(folder.folder(name), isGood) { return false }
        }
        return true
    }
}

package import Dispatch
package import FileSystem
package import Foundation
package import Vault

/// Conflicts: what others wrote in a document's place, kept as a version until somebody has settled which it is to be.
///
///     save finds theirs ──▶ kept, unresolved ──▶ mine in its place ──▶ settled: resolved, a version like any other
///                                  │
///                                  └── the save fails: theirs is still in place, and the next reading settles it
extension VersionStore {
    /// Keeps the state that an item is in as one that is about to lose against another. Call it inside a coordinated
    /// write of the item.
    ///
    /// - Parameters:
    ///   - url: Where it is; a symbolic link is followed.
    ///   - keeping: Why, and what is known of the item.
    /// - Returns: The version: added, or the newest when that is this state and unresolved already.
    /// - Throws: `FileVersionError`, as `keep(_:_:)` does.
    package func keepConflict(_ url: URL, _ keeping: VersionKeeping) throws -> NSFileVersion {
        let (vault, device) = try open(for: url)
        return try keepingErrors(of: url) {
            let item = try markedItem(at: url, lastKnown: keeping.lastKnown)
            let mayBeWritten = keeping.mayBeWritten
            let name = url.lastPathComponent
            let keepOnce = { [self] (unlessUnchanged: Bool) throws -> Kept in
                let origin = origin(keeping.reason, of: name, on: device, isConflict: true)
                let version = try vault.keep(
                    item.path,
                    as: item.mark,
                    origin: origin,
                    unlessUnchanged: unlessUnchanged
                )
                return (version, isFresh(version, origin))
            }
            var kept = try keepAtRest(try keepOnce(true), mayBeWritten, in: vault, keepOnce)
            // The same state was kept before, as one that was in nobody's way.
            if !kept.isConflict || kept.isResolved {
                kept = try keepAtRest(try keepOnce(false), mayBeWritten, in: vault, keepOnce)
            }
            announce(.gained, kept.id, at: url)
            return NSFileVersion(.kept(kept), of: url, in: self)
        }
    }

    /// Keeps bytes that lost against an item, or against a member of it.
    ///
    /// - Parameters:
    ///   - contents: A file's bytes.
    ///   - url: The item.
    ///   - member: Which member of it they were written into, and the state that this was a member of; nil for a file.
    ///   - date: When the item was in the state that they were written into. What was kept since is no ancestor of them.
    ///   - reason: Who wrote them.
    /// - Returns: The version, of a package a whole one, of a file with the permissions and attributes that the item has now.
    /// - Throws: `FileVersionError`.
    package func keepConflict(
        contents: Data,
        of url: URL,
        in member: (path: MemberPath, former: NSFileVersion)? = nil,
        dated date: Date,
        _ reason: VersionReason
    ) throws -> NSFileVersion {
        let (vault, device) = try open(for: url)
        return try keepingErrors(of: url) {
            let item = try markedItem(at: url)
            let origin = origin(reason, of: url.lastPathComponent, on: device, dated: date, isConflict: true)
            let kept = try withTemporaryFolder(forVersionOf: url) { folder in
                let source = folder.appending(url.lastPathComponent)
                var notes = DressNotes()
                if let member {
                    try restore(member.former, to: source)
                    let place = member.path.components.reduce(source) { $0.appending($1) }
                    // A link would lead out of the copy.
                    guard try place.resolved() == place else {
                        throw SystemError(call: "openat", errno: ELOOP, path: place)
                    }
                    try contents.write(to: place.url(isDirectory: false))
                } else {
                    try contents.write(to: source.url(isDirectory: false))
                    notes = try dress(of: item.path, datedLike: source)
                }
                return try vault.keep(
                    source,
                    as: item.mark,
                    origin: origin,
                    isElsewhere: true,
                    notes: notes
                )
            }
            announce(.gained, kept.id, at: url)
            tellFolders(of: item)
            return NSFileVersion(.kept(kept), of: url, in: self)
        }
    }

    /// What a file bears, for a copy of it that has other bytes and a date of its own. Of anything else nothing.
    private func dress(of file: FilePath, datedLike copy: FilePath) throws -> DressNotes {
        let (stamp, date) = (try FileStamp(of: file), try FileStamp(of: copy))
        guard stamp.kind == .regular else { return DressNotes() }
        let dress = MemberDress(
            permissions: stamp.permissions & 0o1777,
            modificationSeconds: date.modificationSeconds,
            modificationNanoseconds: date.modificationNanoseconds,
            attributes: try FileReading.userAttributes(of: file)
        )
        return DressNotes(bearing: dress)
    }

    /// Runs something with an empty folder for a copy of a version, and removes it with all that is in it then.
    package func withTemporaryFolder<Result>(
        forVersionOf url: URL,
        _ body: (FilePath) throws -> Result
    ) throws -> Result {
        let folder = try resolved(NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url))
        // Left where it is only if the system does not let it go; it is the user's own temporary folder.
        defer { try? ReadOnlyTree.remove(folder) }
        return try body(folder)
    }

    /// Has whoever keeps the folder in step look at an item that is as it was, and has got a version in conflict.
    private func tellFolders(of item: Item) {
        // Where that cannot be, the version goes to other devices when the item is saved next.
        try? FileIdentity.touch(item.path)
    }

    /// Keeps what lost against an item elsewhere.
    ///
    /// - Parameters:
    ///   - source: Where it is: a file, a package or a link that nobody else touches.
    ///   - url: The item.
    ///   - mark: The item's. What is at the place at this moment may not bear it, as somebody has just saved there. On a volume
    ///     without marks the versions belong to the place.
    ///   - maker: The device that it was saved on; nil for this one.
    /// - Returns: The version, as old as what is at `source`.
    /// - Throws: `FileVersionError`.
    package func keepConflict(
        at source: FilePath,
        of url: URL,
        as mark: FileMark,
        _ reason: VersionReason,
        by maker: VersionMaker? = nil
    ) throws -> VersionID {
        let (vault, device) = try open(for: url)
        return try keepingErrors(of: url) {
            let maker = maker.map { DeviceIdentity(id: $0.id, name: $0.name) } ?? device
            let origin = origin(reason, of: url.lastPathComponent, on: maker, isConflict: true)
            let kept = try vault.keep(
                source,
                as: try versionMark(at: url, of: mark),
                origin: origin,
                isElsewhere: true
            )
            announce(.gained, kept.id, at: url)
            return kept.id
        }
    }

    /// When an item was modified last in a version of it; nil where that has been removed.
    package func modificationDate(of id: VersionID, at url: URL) throws -> Date? {
        try open(for: url).vault.version(id)?.modificationDate
    }

    /// Those of some versions that nobody has settled, nor removed. Where the item is makes no difference.
    package func unsettled(_ ids: Set<VersionID>, at url: URL) throws -> Set<VersionID> {
        let vault = try open(for: url).vault
        return try ids.filter { try vault.version($0).map { !$0.isResolved } ?? false }
    }

    /// Those of some versions that the vault has never heard of, or not for long: it is another one, or was put back to what it was,
    /// or has lost them. Nobody has settled them there.
    package func unknown(_ ids: Set<VersionID>, at url: URL) throws -> Set<VersionID> {
        let vault = try open(for: url).vault
        return try ids.filter { try !vault.hasHeard(of: $0) }
    }

    /// The versions of an item that lost a conflict which nobody has settled, the oldest first.
    ///
    /// - Parameters:
    ///   - mark: The item's.
    ///   - url: Where it is; told in the error. On a volume without marks versions belong to the place.
    /// - Cost: One look into the index.
    package func unsettled(of mark: FileMark, at url: URL) throws -> [VersionID] {
        guard isOn else { return [] }
        return try open(for: url).vault.unresolvedConflicts(of: try versionMark(at: url, of: mark)).map(\.id)
    }

    /// Which items may have versions as of `unsettled(of:at:)`: by their marks, and by where they were seen last.
    ///
    /// - Parameter url: One of them, or the folder that they are in; told in the error.
    /// - Cost: By how many there are.
    package func inConflict(at url: URL) throws -> (marks: Set<FileMark>, paths: Set<String>) {
        guard isOn else { return ([], []) }
        let marks = try open(for: url).vault.itemsInConflict()
        return (Set(marks), Set(marks.compactMap { identities.note(of: $0)?.path }))
    }

    /// Puts a version at a place where nothing is.
    ///
    /// - Parameter url: The item that it is of.
    package func restore(_ id: VersionID, of url: URL, to place: FilePath) throws {
        try open(for: url).vault.restore(id, to: place)
    }

    /// Tells when somebody may have settled or removed some, in whichever process.
    ///
    /// - Parameter url: An item with such versions; told in the error.
    /// - Returns: What tells, for as long as it is held.
    package func watchConflicts(
        of url: URL,
        on queue: DispatchQueue,
        _ tell: @escaping @Sendable () -> Void
    ) throws -> DirectoryWatch {
        try DirectoryWatch(try open(for: url).vault.noticePlace, on: queue) { _ in tell() }
    }

    /// Says that conflicts have been settled elsewhere.
    package func settle(_ ids: Set<VersionID>, at url: URL) throws {
        guard !ids.isEmpty else { return }
        let vault = try open(for: url).vault
        for id in ids {
            guard let version = try vault.version(id), !version.isResolved else { continue }
            try setResolved(version, at: url)
        }
    }

    private func keepingErrors<Value>(of url: URL, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as SystemError where error.isAbsent {
            throw FileVersionError.absent(url, because: error)
        } catch {
            throw FileVersionError.notKept(url, because: error)
        }
    }

    /// Looks again at what was kept, until nothing has changed.
    private func keepAtRest(
        _ first: Kept,
        _ mayBeWritten: Bool,
        in vault: Vault,
        _ keepOnce: (_ unlessUnchanged: Bool) throws -> Kept
    ) throws -> KeptVersion {
        guard mayBeWritten, first.version.kind == .directory else { return first.version }
        var kept = first
        for _ in 1..<Self.attemptCountMax {
            let again = try keepOnce(true)
            if again.version.id == kept.version.id { break }
            // Its members were not of one moment. What was there before is a state of its own.
            if kept.isFresh { try vault.remove([kept.version.id]) }
            kept = again
        }
        return kept.version
    }

    // MARK: Looking

    /// The versions of the item at a place that lost a conflict which nobody has settled, the oldest first.
    ///
    /// - Returns: None when nothing is there.
    /// - Throws: `FileVersionError` with code `vaultUnavailable`, which has been reported; what the vault says.
    /// - Cost: One look into the index where there is none.
    package func unresolvedConflicts(at url: URL) throws -> [NSFileVersion] {
        do { return try unresolved(at: url).map { NSFileVersion(.kept($0), of: url, in: self) } } catch let
            error as SystemError where error.isAbsent
        { return [] }
    }

    private func unresolved(at url: URL) throws -> [KeptVersion] {
        guard isOn, let item = try knownItem(at: url) else { return [] }
        let vault = try open(for: url).vault
        guard try !vault.unresolvedConflicts(of: item.mark).isEmpty else { return [] }
        return try otherVersions(at: url).filter { $0.isConflict && !$0.isResolved }
    }

    /// Settles conflicts with versions that are the state which the item is in: whoever kept them did not get to put another in
    /// its place, or it has been put back since. Call it inside a coordinated access of the item, when no other save can be half
    /// done.
    package func settleConflictsWithItself(at url: URL) throws {
        guard isOn, let item = try knownItem(at: url) else { return }
        let vault = try open(for: url).vault
        let unresolved = try vault.unresolvedConflicts(of: item.mark)
        guard !unresolved.isEmpty, let newest = try vault.newestVersion(of: item.mark),
            try isCurrent(newest, of: item, in: vault)
        else { return }
        for version in unresolved where try version.isSameState(as: newest) {
            try setResolved(version, at: url)
        }
    }

    /// What a version that lost a conflict and the item's own state both come from, as `KeptVersion.ancestor(among:)` has it. It is
    /// not thinned before the conflict is settled.
    package func ancestor(of version: NSFileVersion) throws -> NSFileVersion? {
        guard case .kept(let kept) = version.subject, let item = try knownItem(at: version.itemURL) else {
            return nil
        }
        let versions = try open(for: version.itemURL).vault.versions(of: item.mark)
        return try kept.ancestor(among: versions).map {
            NSFileVersion(.kept($0), of: version.itemURL, in: self)
        }
    }

    /// Puts a version at a place where nothing is.
    ///
    /// - Throws: `CocoaError`.
    package func restore(_ version: NSFileVersion, to place: FilePath) throws {
        guard case .kept(let kept) = version.subject else { return }
        do { try open(for: version.itemURL).vault.restore(kept.id, to: place) } catch {
            throw CocoaError(version: error, while: .writing, url: version.itemURL)
        }
    }

    /// Says that conflicts have been settled. Call it inside a coordinated write of the item.
    ///
    /// - Throws: What the vault says; none is settled then, or some.
    package func settle(_ versions: [NSFileVersion]) throws {
        for version in versions {
            if case .kept(let kept) = version.subject { try setResolved(kept, at: version.itemURL) }
        }
    }
}

/// Another device, on which a version was saved.
package struct VersionMaker: Hashable, Sendable {
    /// Unlike all others'.
    let id: UUID
    /// What its user calls it.
    let name: String

    package init(id: UUID, name: String) { (self.id, self.name) = (id, name) }
}

extension NSFileVersion {
    /// The program that wrote it without coordinating, where the system told; of a version that a document saved, none.
    package var writerName: String? {
        if case .outsideWriter(let process) = origin?.reason, !process.isEmpty { process } else { nil }
    }

    /// Its size in bytes, of a package that of all files; nil of the current version.
    package var byteCount: UInt64? {
        if case .kept(let version) = subject { version.byteCount } else { nil }
    }

    /// Names the version for as long as it is there; nil of the current one.
    package var name: String? { id?.description }

    /// Why it was kept, in a few words; nil of the current version.
    package var reasonText: String? {
        switch origin?.reason {
        case .autosave: "saved"
        case .explicit: "kept"
        case .beforeRestore: "replaced by an older one"
        case .outsideWriter: writerName.map { "written by \($0)" } ?? "written by another program"
        case .conflict: "in conflict"
        case nil: nil
        }
    }
}

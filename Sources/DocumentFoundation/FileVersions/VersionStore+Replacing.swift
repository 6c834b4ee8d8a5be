package import FileSystem
package import Foundation
package import Vault

extension VersionStore {
    /// Puts a version in an item's place, after keeping the state that the item is in.
    ///
    /// The item stays permitted what it is, and keeps its attributes. One that has lost a conflict comes with its own: over them it
    /// may have lost.
    ///
    /// - Returns: Where it is now: the item's name with the version's extension, where that is another and the version has lost no
    ///   conflict.
    /// - Throws: `SystemError`, `VaultError`, `FileVersionError`; the item is as it was then, unless only the change
    ///   of its name is missing. `ESTALE` when others save it again and again.
    func replace(_ url: URL, with version: KeptVersion) throws -> URL {
        // What has lost a conflict with the item is the item's in another state, whatever that was called then.
        let name = version.isConflict ? url.lastPathComponent : try version.origin().displayName
        let target = try replaceable(url, with: name)
        var mark: FileMark?
        for attempt in 1...Self.attemptCountMax {
            let known = try keepReplaced(url, target, &mark)
            do {
                try put(version, of: url, at: target, as: mark, replacing: known)
                break
            } catch let error as SystemError where error.errno == ESTALE && attempt < Self.attemptCountMax {
                // What others have saved meanwhile is kept, too.
            }
        }
        if let renamed = target.renamed { try ItemMoves.move(target.place, toFree: renamed) }
        let place = target.renamed ?? target.place
        // A package that took a file's place, or the other way round, bears no mark yet.
        if let mark, try FileStamp(of: place).kind != .symbolicLink {
            _ = try markedItem(at: place.url(isDirectory: false), lastKnown: mark)
        }
        return target.url
    }

    /// Puts a version where nothing is, under whatever name, with all that it and what is in it bore. It is a document of its own.
    ///
    /// - Throws: `SystemError`, `EEXIST` when something is there; `VaultError`, `FileVersionError`. Nothing is there then.
    func put(_ version: KeptVersion, of item: URL, atFree url: URL) throws {
        guard let path = FilePath(url.absoluteURL) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        let place = try path.resolvedInFolder()
        guard try Self.isFree(place) else {
            throw SystemError(call: "renameat2", errno: EEXIST, path: place)
        }
        let save = try StagedSave(item: place, mustNotExist: true, followsSymbolicLink: false)
        try open(for: item).vault.restore(version.id, to: try save.stagedPath())
        try save.commit()
    }

    /// How an item looks, with all that is in it.
    private struct Look {
        let status: MemberStatus
        /// Of a package.
        let inside: PackageTraces?

        /// Nil where nothing is.
        init?(at path: FilePath) throws(SystemError) {
            guard let status = try FolderScan.status(at: path) else { return nil }
            self.status = status
            inside = try status.stamp.kind == .directory ? PackageTraces(of: path) : nil
        }

        /// Whether an item that was moved just now, as its own change time alone tells, looks as it did.
        func isStill(_ status: MemberStatus, at place: FilePath) -> Bool {
            status.stamp == self.status.stamp && inside?.isStill(at: place) ?? true
        }
    }

    /// Keeps the state that is about to be replaced, marked.
    ///
    /// - Parameter mark: The item's; nil as long as it is not known.
    /// - Returns: How it looked before it was read; nil where nothing is.
    private func keepReplaced(_ url: URL, _ target: Target, _ mark: inout FileMark?) throws -> Look? {
        guard try FileStamp.ifPresent(at: target.place) != nil else { return nil }
        let (vault, device) = try open(for: url)
        let replaced = try target.link ?? markedItem(at: url, lastKnown: mark)
        mark = replaced.mark
        let look = try Look(at: target.place)
        let origin = origin(.beforeRestore, of: url.lastPathComponent, on: device)
        let kept = try vault.keep(replaced.path, as: replaced.mark, origin: origin, unlessUnchanged: true)
        if isFresh(kept, origin) { announce(.gained, kept.id, at: url) }
        return look
    }

    /// Puts a version in place of what looks as it did, which takes as long as the version is large.
    ///
    /// - Throws: `ESTALE` when the place is another's by now; it is as it was then.
    private func put(
        _ version: KeptVersion,
        of url: URL,
        at target: Target,
        as mark: FileMark?,
        replacing known: Look?
    ) throws {
        let place = target.place
        let save = try StagedSave(
            item: place,
            mustNotExist: known == nil,
            followsSymbolicLink: target.link == nil
        )
        let staged = try save.stagedPath()
        try open(for: url).vault.restore(version.id, to: staged, mark: mark)
        var attributes = MemberAttributes()
        if version.isConflict {
            save.carriesUserAttributes = false
            // As far as the volume has let it have them.
            attributes = MemberAttributes(permissions: try FileStamp(of: staged).permissions)
        }
        save.beforeSwap = { () throws(SystemError) in
            let now = try FolderScan.status(at: place)
            guard now == known?.status, known?.inside?.isStill(at: place) ?? true else {
                throw SystemError(call: "renameat2", errno: ESTALE, path: place)
            }
        }
        if let known { save.isReplaceable = { known.isStill($0, at: $1) } }
        do { try save.commit(attributes) } catch {
            guard known == nil, error.errno == EEXIST else { throw error }
            throw SystemError(call: "renameat2", errno: ESTALE, path: place)
        }
    }

    /// What takes a version's place.
    private struct Target {
        /// Where it is put, links followed.
        var place: FilePath
        /// What it is called then; nil for what it was called.
        var renamed: FilePath?
        /// Where it is in the end, as the caller knows the place.
        var url: URL
        /// The link that is there, if it is the item itself.
        var link: Item?
    }

    private func replaceable(_ url: URL, with versionName: String) throws -> Target {
        guard let path = FilePath(url.absoluteURL) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        let link = try linkInConflict(at: url)
        let isHere = try link == nil && FileStamp.ifPresent(at: path) != nil
        let place = try isHere ? path.resolved() : path.resolvedInFolder()
        let wanted = URL(fileURLWithPath: versionName).pathExtension
        guard !wanted.isEmpty, !Self.areOfOneType(wanted, url.pathExtension) else {
            return Target(place: place, renamed: nil, url: url, link: link)
        }
        let renamedURL = url.deletingPathExtension().appendingPathExtension(wanted)
        let renamed = place.parent.appending(renamedURL.lastPathComponent)
        guard try Self.isFree(renamed) else {
            throw SystemError(call: "renameat2", errno: EEXIST, path: renamed)
        }
        // Where nothing is yet, it is put under its own name at once.
        guard try FileStamp.ifPresent(at: place) != nil else {
            return Target(place: renamed, renamed: nil, url: renamedURL, link: link)
        }
        return Target(place: place, renamed: renamed, url: renamedURL, link: link)
    }

    /// Whether two extensions stand for one type, as `jpg` and `jpeg` do: none is better than the other then.
    private static func areOfOneType(_ one: String, _ other: String) -> Bool {
        if one.lowercased() == other.lowercased() { return true }
        guard let type = PackageTypes.type(ofExtension: one) else { return false }
        return type == PackageTypes.type(ofExtension: other)
    }

    /// Whether a name is nobody's: neither an item's that is there nor one's that a placeholder stands for.
    private static func isFree(_ place: FilePath) throws(SystemError) -> Bool {
        try FileStamp.ifPresent(at: place) == nil && Placeholder(standingFor: place) == nil
    }

    /// Keeps what is at some place as a version of an item, and gives its name.
    ///
    /// - Parameter isDiscardable: Whether it goes in time, as versions do that nobody has asked for.
    package func keep(
        contents: URL,
        asVersionOf url: URL,
        isDiscardable: Bool
    ) throws -> VersionID {
        try add(contents, to: url, isDiscardable: isDiscardable).id
    }

    /// Has an item that is to bear another mark keep its versions.
    ///
    /// - Returns: Which version is now the copy of which.
    /// - Throws: `FileVersionError`; what the vault throws.
    package func copyVersions(
        of former: FileMark,
        to mark: FileMark,
        at url: URL
    ) throws -> [VersionID: VersionID] {
        try open(for: url).vault.copyVersions(of: former, to: mark)
    }

    /// Keeps what is at another place as a version of an item.
    func add(_ contents: URL, to url: URL, isDiscardable: Bool) throws -> KeptVersion {
        let (vault, device) = try open(for: url)
        let item = try markedItem(at: url)
        let source = try resolved(contents)
        var name = url.deletingPathExtension().lastPathComponent
        if !contents.pathExtension.isEmpty { name += "." + contents.pathExtension }
        let version = try vault.keep(
            source,
            as: item.mark,
            origin: origin(.explicit, of: name, on: device, isDiscardable: isDiscardable),
            isElsewhere: source != item.path
        )
        announce(.gained, version.id, at: url)
        return version
    }
}

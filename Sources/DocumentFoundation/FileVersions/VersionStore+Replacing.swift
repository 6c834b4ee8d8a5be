package import FileSystem
package import Foundation
package import Vault

extension VersionStore {
    /// Puts a version in an item's place, after keeping the state that the item is in.
    ///
    /// - Returns: Where it is now: the item's name with the version's extension, where that is another.
    /// - Throws: `SystemError`, `VaultError`, `FileVersionError`; the item is as it was then, unless only the change
    ///   of its name is missing.
    func replace(_ url: URL, with version: KeptVersion) throws -> URL {
        let (vault, device) = try open(for: url)
        let target = try replaceable(url, with: try version.origin().displayName)
        var mark: FileMark?
        if try FileStamp.ifPresent(at: target.place) != nil {
            let replaced = try target.link ?? markedItem(at: url)
            mark = replaced.mark
            let origin = origin(.beforeRestore, of: url.lastPathComponent, on: device)
            let kept = try vault.keep(replaced.path, as: replaced.mark, origin: origin, unlessUnchanged: true)
            if isFresh(kept, origin) { announce(.gained, kept.id, at: url) }
        }
        let save = try StagedSave(item: target.place, followsSymbolicLink: target.link == nil)
        try vault.restore(version.id, to: try save.stagedPath())
        try save.commit()
        if let renamed = target.renamed { try ItemMoves.move(target.place, toFree: renamed) }
        let place = target.renamed ?? target.place
        // A package that took a file's place, or the other way round, bears no mark yet.
        if let mark, try FileStamp(of: place).kind != .symbolicLink {
            _ = try markedItem(at: place.url(isDirectory: false), lastKnown: mark)
        }
        return target.url
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
        guard !wanted.isEmpty, wanted.lowercased() != url.pathExtension.lowercased() else {
            return Target(place: place, renamed: nil, url: url, link: link)
        }
        let renamedURL = url.deletingPathExtension().appendingPathExtension(wanted)
        let renamed = place.parent.appending(renamedURL.lastPathComponent)
        guard try FileStamp.ifPresent(at: renamed) == nil else {
            throw SystemError(call: "renameat2", errno: EEXIST, path: renamed)
        }
        // Where nothing is yet, it is put under its own name at once.
        guard try FileStamp.ifPresent(at: place) != nil else {
            return Target(place: renamed, renamed: nil, url: renamedURL, link: link)
        }
        return Target(place: place, renamed: renamed, url: renamedURL, link: link)
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
    /// - Throws: `FileVersionError`; what the vault throws.
    package func copyVersions(of former: FileMark, to mark: FileMark, at url: URL) throws {
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

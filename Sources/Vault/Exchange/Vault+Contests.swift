internal import FileSystem
internal import Foundation

/// What two versions of a package have each made of one place.
package enum PackageContest: Sendable {
    /// Two different files, of which the largest of all versions has so many bytes.
    case files(name: String, byteCount: UInt64, isBaseKnown: Bool)
    /// What cannot stand side by side: one has changed what the other has taken away, or they have two links, or two kinds.
    case others
}

extension Vault {
    /// Whether two versions of a package have both changed something of which one thing is true, by what is written down of
    /// them: no file of theirs is looked at. What the members bear does not count.
    ///
    /// - Parameters:
    ///   - base: What both come from; nil where it is not known, or was no package.
    ///   - isSo: Asked of each place that both have changed, until it says so.
    /// - Throws: `VaultError` with code `damaged`.
    /// - Cost: Folders that differ are gone through.
    package func hasContest(
        base: DocumentContents?,
        mine: DocumentContents,
        theirs: DocumentContents,
        where isSo: @escaping (PackageContest) -> Bool
    ) throws -> Bool {
        guard mine.kind == .directory, theirs.kind == .directory else { return false }
        let known = base.flatMap { $0.kind == .directory ? ContestSearch.Known.present($0.entry) : nil }
        let search = ContestSearch(restorer: try Restorer(store: store), isSo: isSo)
        return try search.isFound(known ?? .unknown, mine.entry, theirs.entry, depth: 0)
    }
}

/// Goes through three versions of a package by their entries.
private struct ContestSearch {
    let restorer: Restorer
    let isSo: (PackageContest) -> Bool

    /// What the base has at a place.
    enum Known {
        case absent
        case present(ManifestEntry)
        /// Nobody knows what was there.
        case unknown
    }

    private typealias Members = [[UInt8]: ManifestEntry]

    func isFound(
        _ base: Known,
        _ mine: ManifestEntry?,
        _ theirs: ManifestEntry?,
        depth: Int
    ) throws -> Bool {
        guard let own = mine, let other = theirs else {
            return try isFound(base, oneSided: mine ?? theirs, depth: depth)
        }
        if own.kind == .folder, other.kind == .folder {
            return try isFound(base, in: own, other, depth: depth)
        }
        if try isSame(own, other, depth: depth) { return false }
        var old: ManifestEntry?
        if case .present(let entry) = base {
            if try isSame(entry, own, depth: depth) || isSame(entry, other, depth: depth) { return false }
            old = entry.kind == .file ? entry : nil
        }
        guard own.kind == .file, other.kind == .file else { return isSo(.others) }
        let isBaseKnown = if case .unknown = base { false } else { true }
        let byteCount = max(own.byteCount, other.byteCount, old?.byteCount ?? 0)
        return isSo(.files(name: own.name, byteCount: byteCount, isBaseKnown: isBaseKnown))
    }

    private func isFound(
        _ base: Known,
        in own: ManifestEntry,
        _ other: ManifestEntry,
        depth: Int
    ) throws -> Bool {
        guard own.content != other.content else { return false }
        let olds: Members?
        switch base {
        case .unknown: olds = nil
        case .present(let old) where old.kind == .folder:
            // What only one has changed is nowhere changed by both.
            if old.content == own.content || old.content == other.content { return false }
            olds = try members(of: old, depth: depth)
        case .present, .absent: olds = [:]
        }
        let (owns, others) = (try members(of: own, depth: depth), try members(of: other, depth: depth))
        return try Set(owns.keys).union(others.keys).contains { name in
            try isFound(
                olds.map { Self.known(name, in: $0) } ?? .unknown,
                owns[name],
                others[name],
                depth: depth + 1
            )
        }
    }

    /// At a place at which one side has nothing.
    private func isFound(_ base: Known, oneSided left: ManifestEntry?, depth: Int) throws -> Bool {
        guard let left else { return false }
        switch base {
        case .unknown: return isSo(.others)
        case .absent: return false
        case .present(let old) where old.kind == .folder && left.kind == .folder:
            guard old.content != left.content else { return false }
            let olds = try members(of: old, depth: depth)
            return try members(of: left, depth: depth).contains { name, member in
                try isFound(Self.known(name, in: olds), oneSided: member, depth: depth + 1)
            }
        case .present(let old): return try !isSame(old, left, depth: depth) && isSo(.others)
        }
    }

    private static func known(_ name: [UInt8], in members: Members) -> Known {
        members[name].map { .present($0) } ?? .absent
    }

    /// Whether both hold the same, whatever they and what is in them bear.
    private func isSame(_ one: ManifestEntry, _ other: ManifestEntry, depth: Int) throws -> Bool {
        guard one.kind == other.kind else { return false }
        switch one.kind {
        case .file: return one.byteCount == other.byteCount && one.content == other.content
        case .link: return one.linkText.utf8.elementsEqual(other.linkText.utf8)
        case .folder:
            guard one.content != other.content else { return true }
            let (members, others) = (
                try members(of: one, depth: depth), try self.members(of: other, depth: depth)
            )
            return try members.count == others.count
                && members.allSatisfy { name, member in
                    try others[name].map { try isSame(member, $0, depth: depth + 1) } ?? false
                }
        }
    }

    /// By the bytes of their names: what looks alike may be two.
    private func members(of folder: ManifestEntry, depth: Int) throws -> Members {
        guard let content = folder.content else { return [:] }
        guard depth < ContentTree.folderDepthMax else {
            throw VaultError.damaged(content.name, in: restorer.store.folder.path)
        }
        var members: Members = [:]
        try restorer.forEachMember(of: content) { members[Array($0.name.utf8)] = $0 }
        return members
    }
}

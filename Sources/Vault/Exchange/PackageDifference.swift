package import FileSystem
internal import Foundation

/// The files by which one state of a package differs from another, when nothing else does.
package struct PackageDifference: Sendable {
    struct Member: Sendable {
        var path: MemberPath
        /// What it was; nil for nothing.
        var former: ManifestEntry?
        /// What it is to be; nil for nothing.
        var next: ManifestEntry?
    }

    let members: [Member]
    /// What the folders that they are in are to bear, but for the package itself: those first that are in others.
    let folders: [(path: MemberPath, dress: MemberDress)]

    /// The files that go.
    package var removed: Set<MemberPath> { Set(members.filter { $0.next == nil }.map(\.path)) }
}

extension Vault {
    /// By what files a package comes from one state to another.
    ///
    /// - Parameter countMax: How many files may differ.
    /// - Returns: Nil when more do, or when something else differs: what a folder is in, a link, the package's own attributes.
    /// - Throws: `VaultError` with code `damaged`.
    package func difference(
        from former: DocumentContents,
        to next: DocumentContents,
        countMax: Int
    ) throws -> PackageDifference? {
        guard former.kind == .directory, next.kind == .directory, former.entry.dress == next.entry.dress,
            let before = former.entry.content, let after = next.entry.content
        else { return nil }
        var comparison = PackageComparison(restorer: try Restorer(store: store), countMax: countMax)
        guard try comparison.compare(before, after, at: .top) else { return nil }
        return PackageDifference(members: comparison.members, folders: comparison.folders)
    }
}

/// Goes through two states of a package at a time; what both share is not gone through.
private struct PackageComparison {
    let restorer: Restorer
    let countMax: Int
    private(set) var members: [PackageDifference.Member] = []
    private(set) var folders: [(path: MemberPath, dress: MemberDress)] = []

    init(restorer: Restorer, countMax: Int) { (self.restorer, self.countMax) = (restorer, countMax) }

    /// - Returns: False when it cannot be told by files.
    mutating func compare(
        _ former: ContentReference,
        _ next: ContentReference,
        at path: MemberPath
    ) throws -> Bool {
        guard former != next else { return true }
        let (before, after) = (try restorer.leaves(of: former), try restorer.leaves(of: next))
        let shared = Set(before).intersection(after)
        let was = try entries(before.filter { !shared.contains($0) })
        let now = try entries(after.filter { !shared.contains($0) })
        for name in Set(was.keys).union(now.keys).sorted() where was[name] != now[name] {
            guard let place = path.appending(name), try compare(was[name], now[name], at: place) else {
                return false
            }
        }
        return true
    }

    private mutating func compare(
        _ former: ManifestEntry?,
        _ next: ManifestEntry?,
        at path: MemberPath
    ) throws -> Bool {
        if let former, let next, former.kind == .folder, next.kind == .folder {
            guard let before = former.content, let after = next.content,
                former.dress.permissions == next.dress.permissions,
                former.dress.attributes == next.dress.attributes,
                try compare(before, after, at: path)
            else { return false }
            folders.append((path, next.dress))
            return true
        }
        guard former?.kind ?? .file == .file, next?.kind ?? .file == .file, members.count < countMax else {
            return false
        }
        members.append(PackageDifference.Member(path: path, former: former, next: next))
        return true
    }

    private func entries(_ leaves: [ObjectName]) throws -> [String: ManifestEntry] {
        var entries: [String: ManifestEntry] = [:]
        for leaf in leaves {
            try restorer.forEachMember(of: ContentReference(name: leaf, level: 0)) { entries[$0.name] = $0 }
        }
        return entries
    }
}

extension ContentRestorer {
    /// Makes the files that are new or others.
    ///
    /// - Parameter folder: What is staged of the package; folders that files are in are made there.
    package func restore(_ difference: PackageDifference, into folder: FilePath) throws {
        for member in difference.members {
            guard let next = member.next, let name = member.path.components.last else { continue }
            var place = folder
            for component in member.path.components.dropLast() {
                place = place.appending(component)
                if try FolderScan.status(at: place) == nil { try ItemMoves.createFolder(place) }
            }
            try restorer.restore(next, as: name, in: try StorageFolder(at: place), depth: 0)
        }
    }

    /// Whether all that is to be replaced or removed is in a package as it was, byte by byte, and nothing is where something
    /// new is to be.
    package func isReplaceable(_ difference: PackageDifference, in package: FilePath) throws -> Bool {
        try difference.members.allSatisfy { member in
            let place = member.path.components.reduce(package) { $0.appending($1) }
            guard let former = member.former else { return try FolderScan.status(at: place) == nil }
            return try restorer.holdsBytes(of: place, former)
        }
    }

    /// Has the folders bear what they did where the package comes from: a change in them has made them younger.
    package func dressFolders(_ difference: PackageDifference, in package: FilePath) throws {
        for folder in difference.folders {
            let place = folder.path.components.reduce(package) { $0.appending($1) }
            try StorageFolder(at: place).dress(folder.dress)
        }
    }
}

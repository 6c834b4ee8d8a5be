internal import Foundation

/// Looks for an item by its identity through folders, nearest first, within bounds.
///
/// Hidden folders are left out, and names that are ours; symbolic links are not followed, and each root is searched on its own volume.
/// Any thread; blocks on the disk.
package struct IdentitySearch: Sendable {
    /// What a search may cost.
    package struct Bounds: Hashable, Sendable {
        /// Members looked at, over all folders.
        package var memberCountMax: Int
        /// Milliseconds that it may take.
        package var millisecondsMax: Int

        package init(memberCountMax: Int, millisecondsMax: Int) {
            self.memberCountMax = memberCountMax
            self.millisecondsMax = millisecondsMax
        }

        /// A quarter of a second is the most that somebody who opens a document should wait for nothing;
        /// twenty thousand members take a fifth of it when they are in the cache.
        package static let usual = Bounds(memberCountMax: 20_000, millisecondsMax: 250)
    }

    private let wanted: FileIdentity
    private let bounds: Bounds
    private let standIns: StandIns

    /// - Parameter standIns: What stands for items whose contents are elsewhere.
    package init(for wanted: FileIdentity, within bounds: Bounds = .usual, standIns: StandIns = .none) {
        self.wanted = wanted
        self.bounds = bounds
        self.standIns = standIns
    }

    /// Finds the item.
    ///
    /// The very inode wins at once. Else a lone item with the mark does; among several, copies all of them, a
    /// lone one of the name does. What stays doubtful is not found. Of what stands for it the item's own place is given.
    ///
    /// - Parameters:
    ///   - name: What the item was called.
    ///   - roots: Where to look, folder by folder with all below, in this order; one that cannot be read is
    ///     left out.
    package func find(_ name: String, in roots: [FilePath]) -> FilePath? {
        var walk = FolderWalk(within: bounds)
        var marked: [FilePath] = []
        for root in roots {
            var found: FilePath?
            walk.walk([root]) { place, inode, _ in
                guard let (item, likeness) = match(place, inode: inode) else { return true }
                switch likeness {
                case .same, .sameInode: found = item
                case .sameMark: marked.append(item)
                case .unmarked, .other: break
                }
                return found == nil
            }
            if let found = found ?? Self.chosen(among: marked, name: name) { return found }
            if walk.isExhausted { return nil }
        }
        return nil
    }

    /// The item that is at a place, or that something there stands for, and how it compares.
    ///
    /// - Returns: Nil when the item cannot be the one, or cannot be looked at.
    private func match(
        _ place: FilePath,
        inode: UInt64
    ) -> (item: FilePath, likeness: FileIdentity.Likeness)? {
        if SaveSite.isOwn(place) { return nil }
        if inode != wanted.inode {
            guard let mark = wanted.mark,
                // Without a mark, or closed to us: not the one.
                let bytes = try? SystemCalls.lgetxattr(place, FileMark.attributeName),
                bytes.elementsEqual(mark.bytes)
            else { return nil }
        }
        // A number alone is given again and again: far from its place it proves nothing.
        if wanted.mark == nil, wanted.birth == nil { return nil }
        if let item = standIns.item(place) {
            let found = standIns.identity(standingFor: item, as: wanted.kind)
            return found.map { (item, wanted.likeness(of: $0)) }
        }
        // Gone since it was listed, or closed to us: not the one that can be given.
        guard let found = try? FileIdentity(of: place) else { return nil }
        return (place, wanted.likeness(of: found))
    }

    private static func chosen(among marked: [FilePath], name: String) -> FilePath? {
        if marked.count == 1 { return marked.first }
        let named = marked.filter { $0.name == name }
        return named.count == 1 ? named.first : nil
    }
}

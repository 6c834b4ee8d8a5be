internal import FileSystem
internal import Foundation

extension Vault {
    /// What the members of a document are to bear that two have changed, by what each of them has made of it: what only one has
    /// changed is as that one has it, of permissions each bit, and what both have is the same whichever of the two is called
    /// mine. Of dates the later stays, and against an attribute that one has removed, what the other has set it to.
    ///
    /// - Parameter base: What both come from; nil where it is not known.
    /// - Returns: Nil where something would be lost: an attribute that both have set, to different values, or permissions or
    ///   attributes that one has changed of a member that the other has removed.
    /// - Throws: `VaultError` with code `damaged`.
    package func mergedDress(
        base: DocumentContents?,
        mine: DocumentContents,
        theirs: DocumentContents
    ) throws -> DressNotes? {
        let restorer = try Restorer(store: store)
        let (known, own, other) = (
            try base.map(restorer.dresses) ?? [:], try restorer.dresses(of: mine),
            try restorer.dresses(of: theirs)
        )
        var notes = DressNotes()
        for path in Set(own.keys).union(other.keys) {
            switch (own[path], other[path]) {
            case (let dress?, nil), (nil, let dress?):
                guard known[path].map(dress.isSameButDate) ?? true else { return nil }
                notes.note(dress, at: path)
            case (let dress?, let theirs?):
                guard let merged = dress.merged(with: theirs, from: known[path]) else { return nil }
                notes.note(merged, at: path)
            case (nil, nil): break
            }
        }
        return notes
    }
}

extension Restorer {
    /// What a document and all in it bear, by the bytes of where they are.
    fileprivate func dresses(of contents: DocumentContents) throws -> [[UInt8]: MemberDress] {
        var dresses: [[UInt8]: MemberDress] = [:]
        try addDresses(of: contents.entry, at: DressNotes.top, to: &dresses)
        return dresses
    }

    private func addDresses(
        of entry: ManifestEntry,
        at path: String,
        depth: Int = 0,
        to dresses: inout [[UInt8]: MemberDress]
    ) throws {
        dresses[Array(path.utf8)] = entry.dress
        guard entry.kind == .folder, let content = entry.content else { return }
        guard depth < ContentTree.folderDepthMax else {
            throw VaultError.damaged(content.name, in: store.folder.path)
        }
        try forEachMember(of: content) { member in
            let place = DressNotes.path(of: member.name, in: path)
            try addDresses(of: member, at: place, depth: depth + 1, to: &dresses)
        }
    }
}

extension MemberDress {
    /// Whether both are as permitted, and bear the same attributes. A date alone is no change.
    fileprivate func isSameButDate(_ other: MemberDress) -> Bool {
        permissions == other.permissions && attributes == other.attributes
    }

    /// - Parameter base: What both come from; nil where that is not known.
    /// - Returns: Nil where both have set an attribute, to different values.
    fileprivate func merged(with theirs: MemberDress, from base: MemberDress?) -> MemberDress? {
        var merged = self
        // Bit by bit. Of a bit that one has which the other has not, nobody knows whether it was given or taken.
        let former = base?.permissions ?? permissions & theirs.permissions
        let changed = permissions ^ former
        merged.permissions = permissions & changed | theirs.permissions & ~changed
        let isOlder = moment.lexicographicallyPrecedes(theirs.moment)
        if moment == base?.moment || isOlder && theirs.moment != base?.moment {
            merged.modificationSeconds = theirs.modificationSeconds
            merged.modificationNanoseconds = theirs.modificationNanoseconds
        }
        for name in Set(attributes.keys).union(theirs.attributes.keys) {
            let (own, other) = (attributes[name], theirs.attributes[name])
            if own == other { continue }
            if let base, own == base.attributes[name] {
                merged.attributes[name] = other
            } else if let base, other == base.attributes[name] {
                continue
            } else if own != nil, other != nil {
                return nil
            } else {
                merged.attributes[name] = own ?? other
            }
        }
        return merged
    }

    private var moment: [Int64] { [modificationSeconds, modificationNanoseconds] }
}

internal import FileSystem
internal import Foundation

extension Vault {
    /// What the members of a document are to bear that two have changed, by what each of them has made of it: what only one has
    /// changed is as that one has it, and what both have is the same whichever of the two is called mine.
    ///
    /// - Parameter base: What both come from; nil where it is not known.
    /// - Throws: `VaultError` with code `damaged`.
    package func mergedDress(
        base: DocumentContents?,
        mine: DocumentContents,
        theirs: DocumentContents
    ) throws -> DressNotes {
        let restorer = try Restorer(store: store)
        let (known, own, other) = (
            try base.map(restorer.dresses) ?? [:], try restorer.dresses(of: mine),
            try restorer.dresses(of: theirs)
        )
        var notes = DressNotes()
        for path in Set(own.keys).union(other.keys) {
            switch (own[path], other[path]) {
            case (let dress?, nil), (nil, let dress?): notes.note(dress, at: path)
            case (let dress?, let theirs?):
                notes.note(dress.merged(with: theirs, from: known[path]), at: path)
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
    /// - Parameter base: What both come from; nil where that is not known.
    fileprivate func merged(with theirs: MemberDress, from base: MemberDress?) -> MemberDress {
        var merged = self
        // Bit by bit. Of a bit that one has which the other has not, nobody knows whether it was given or taken.
        let former = base?.permissions ?? permissions & theirs.permissions
        let changed = permissions ^ former
        merged.permissions = permissions & changed | theirs.permissions & ~changed
        let moment = Self.chosen(moment, theirs.moment, from: base?.moment) {
            $0.lexicographicallyPrecedes($1)
        }
        (merged.modificationSeconds, merged.modificationNanoseconds) = (moment[0], moment[1])
        for name in Set(attributes.keys).union(theirs.attributes.keys) {
            let former: Data?? = base.map { $0.attributes[name] }
            merged.attributes[name] = Self.chosen(attributes[name], theirs.attributes[name], from: former) {
                guard let own = $0, let other = $1 else { return $0 == nil }
                return own.lexicographicallyPrecedes(other)
            }
        }
        return merged
    }

    private var moment: [Int64] { [modificationSeconds, modificationNanoseconds] }

    /// What only one has changed is as that one has it; of what both have, the greater stays.
    ///
    /// - Parameter base: Nil where it is not known.
    private static func chosen<Value: Equatable>(
        _ own: Value,
        _ other: Value,
        from base: Value?,
        _ isLess: (Value, Value) -> Bool
    ) -> Value {
        if let base, own == base { return other }
        if let base, other == base { return own }
        return isLess(own, other) ? other : own
    }
}

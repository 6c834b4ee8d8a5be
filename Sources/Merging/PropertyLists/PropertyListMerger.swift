/// Merges property lists by key, in XML and in binary form, as ``JSONMerger`` merges JSON.
///
/// - XML stays as it was written wherever neither side changed it. A comment belongs to what it stands before: one that
///   a side wrote, changed or took away is a change as any other, and two different ones at one place are a conflict
///   whose parts are the comments.
/// - A binary list is written anew: objects in the order in which they are met, equal scalars once, dictionaries in
///   their order; the same bytes on every device.
/// - An archive of `NSKeyedArchiver` is a property list by its form only: its objects know each other by their
///   places, so that keys of two of them do not go together. It is merged as a whole, or a conflict; so are a binary
///   list and one in XML.
/// - In a conflict in a binary list, each part is a property list of its own, and there are no ranges.
/// - More than two million values in all versions together are merged as a whole, or a conflict; in a binary list one that is
///   referred to at several places counts at each.
public struct PropertyListMerger: Merger {
    private let identityKeys: [String]
    /// Less than usual only where that is tried out.
    var nodeCountMax = treeNodeCountMax

    /// - Parameter identityKeys: What tells a list's dictionaries apart, the most trusted first.
    public init(identityKeys: [String] = ["id", "uuid", "UUID", "identifier", "_id"]) {
        self.identityKeys = identityKeys
    }

    /// The merged property list.
    public func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
        if let merged = MergedFile.ofUnchanged(base: base, mine: mine, theirs: theirs) { return merged }
        let all = [base, mine, theirs].compactMap { $0 }
        let areBinary = all.map { $0.starts(with: BinaryPropertyList.magic) }
        guard Set(areBinary).count == 1, !all.contains(where: isKeyedArchive) else {
            return .inConflict(base: base, mine: mine, theirs: theirs)
        }
        return areBinary[0]
            ? mergeBinary(base, mine, theirs)
            : mergeTrees(
                XMLPropertyListSyntax.self,
                base: base,
                mine: mine,
                theirs: theirs,
                identityKeys,
                nodeCountMax: nodeCountMax
            )
    }

    /// Whether the list says of itself that it is an archive. One that names the key elsewhere is taken for one, too.
    private func isKeyedArchive(_ bytes: [UInt8]) -> Bool {
        let name = Array("$archiver".utf8)
        var start = 0
        while let found = bytes[start...].firstIndex(of: name[0]) {
            if bytes[found...].starts(with: name) { return true }
            start = found + 1
        }
        return false
    }

    private func mergeBinary(_ base: [UInt8]?, _ mine: [UInt8], _ theirs: [UInt8]) -> MergedFile {
        var room = nodeCountMax
        let baseJSON = base.flatMap { BinaryPropertyList.json($0, &room) }
        guard (baseJSON == nil) == (base == nil), let own = BinaryPropertyList.json(mine, &room),
            let other = BinaryPropertyList.json(theirs, &room)
        else { return .inConflict(base: base, mine: mine, theirs: theirs) }
        let merged = mergeTrees(
            TaggedJSONSyntax.self,
            base: baseJSON,
            mine: own,
            theirs: other,
            identityKeys,
            nodeCountMax: nodeCountMax
        )
        guard let contents = BinaryPropertyList.binary(merged.contents) else {
            return .inConflict(base: base, mine: mine, theirs: theirs)
        }
        return MergedFile(contents: contents, conflicts: merged.conflicts.map { conflict($0) })
    }

    private func conflict(_ conflict: MergeConflict) -> MergeConflict {
        MergeConflict(
            place: conflict.place.map(step),
            base: conflict.base.map(part),
            mine: conflict.mine.map(part),
            theirs: conflict.theirs.map(part),
            standing: conflict.standing
        )
    }

    /// A value, or several of a list, as a property list.
    private func part(_ part: MergeConflict.Part) -> MergeConflict.Part {
        let list = Array("[".utf8) + part.bytes + Array("]".utf8)
        return MergeConflict.Part(
            range: nil,
            bytes: BinaryPropertyList.binary(part.bytes) ?? BinaryPropertyList.binary(list) ?? part.bytes
        )
    }

    /// An identity is told as the text or the number that it is.
    private func step(_ step: MergeConflict.Step) -> MergeConflict.Step {
        guard case .identity(let text) = step, text.count > 3 else { return step }
        let inner = text.dropFirst(2).dropLast()
        guard text.hasPrefix("\"s"), let bytes = BinaryPropertyList.bytes(Array(inner.utf8)[...]) else {
            return .identity(String(inner))
        }
        return .identity(String(decoding: bytes, as: UTF8.self))
    }
}

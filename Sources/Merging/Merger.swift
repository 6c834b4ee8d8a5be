/// Makes one version of two that come from a common ancestor. Pure: no file, no clock.
///
/// Every merger keeps these laws, `contents` being what it answers:
/// - merge(b, x, b) = x, merge(b, b, y) = y, merge(b, x, x) = x, to the byte and without a conflict;
/// - merge(b, x, y) and merge(b, y, x) have the same contents, to the byte, and the same conflicts with sides swapped;
/// - what either side changed is in the contents or among the conflicts: what one moved or changed and the other took away,
///   too, and what both moved. A merger says what it takes for no change, as white space between values is, and what it
///   cannot tell from something new, as words that went to another line.
///
/// What it cannot read, and what would take it too much memory, is a conflict as a whole.
public protocol Merger: Sendable {
    /// Merges a file's bytes.
    ///
    /// - Parameters:
    ///   - base: The common ancestor; nil when there is none that is known.
    ///   - mine: This device's version.
    ///   - theirs: The other one.
    func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile

    /// Whether it cannot tell what was changed where the common ancestor is not known. Then it is not asked: what
    /// differs is a conflict.
    var needsBase: Bool { get }

    /// Whether it can make one of two different changes. One that cannot need not be asked, nor given any bytes: what
    /// both have changed is a conflict, whatever it holds.
    var looksInside: Bool { get }
}

extension Merger {
    /// That it does.
    public var needsBase: Bool { true }

    /// That it can.
    public var looksInside: Bool { true }
}

/// What a merge of two files came to.
public struct MergedFile: Hashable, Sendable {
    /// The merged bytes; never with marks in them.
    public var contents: [UInt8]
    /// Where both changed the same.
    public var conflicts: [MergeConflict]

    /// - Parameters:
    ///   - contents: The merged bytes.
    ///   - conflicts: Where both changed the same.
    public init(contents: [UInt8], conflicts: [MergeConflict] = []) {
        self.contents = contents
        self.conflicts = conflicts
    }

    /// What needs no look inside: at most one side changed anything, or both did the same.
    package static func ofUnchanged(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile? {
        if mine == theirs || theirs == base { return MergedFile(contents: mine) }
        return mine == base ? MergedFile(contents: theirs) : nil
    }

    /// Both are kept: one as the contents, all in the conflict.
    package static func inConflict(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
        let standing = MergeSide.standing(mine: mine, theirs: theirs)
        let part = { (bytes: [UInt8]) in MergeConflict.Part(range: 0..<bytes.count, bytes: bytes) }
        let conflict = MergeConflict(
            base: base.map(part),
            mine: part(mine),
            theirs: part(theirs),
            standing: standing
        )
        return MergedFile(contents: standing == .mine ? mine : theirs, conflicts: [conflict])
    }
}

/// Merges what nobody can look into, as images: two different changes are a conflict.
public struct BytesMerger: Merger {
    /// A merger without settings.
    public init() {}

    /// That it cannot.
    public var looksInside: Bool { false }

    /// One side's bytes when only that one changed them; else a conflict as a whole.
    public func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
        MergedFile.ofUnchanged(base: base, mine: mine, theirs: theirs)
            ?? .inConflict(base: base, mine: mine, theirs: theirs)
    }
}

/// A place that both sides changed, each in its own way.
///
/// Never written into the merged bytes as marks: what stands there is one side's, and all sides are told here, so that
/// nothing is lost.
public struct MergeConflict: Hashable, Sendable {
    /// One step on the way to the place.
    public enum Step: Hashable, Sendable {
        /// A package's member of this name.
        case member(String)
        /// A dictionary's value of this key.
        case key(String)
        /// The list's element at this index, in the base.
        case index(Int)
        /// The list's element that carries this identity.
        case identity(String)
        /// An object of replicated data, by its type and id.
        case object(type: String, id: String)
    }

    /// What one version has at the place.
    public struct Part: Hashable, Sendable {
        /// Where in that version's bytes (or its member's); nil where the bytes do not show it as it is.
        public let range: Range<Int>?
        /// The bytes. Of a folder there are none.
        public let bytes: [UInt8]

        /// - Parameters:
        ///   - range: Where in the version's bytes.
        ///   - bytes: The bytes.
        public init(range: Range<Int>?, bytes: [UInt8]) {
            self.range = range
            self.bytes = bytes
        }
    }

    /// Where: nothing for a file as a whole, or where ranges say all.
    public var place: [Step]
    /// The common ancestor's part; nil when it had none, or is not known.
    public let base: Part?
    /// Mine; nil when I have taken it away.
    public let mine: Part?
    /// Theirs; nil when they have taken it away.
    public let theirs: Part?
    /// Whose part stands in the merged bytes.
    public let standing: MergeSide

    /// - Parameters:
    ///   - place: Where.
    ///   - base: The common ancestor's part.
    ///   - mine: Mine.
    ///   - theirs: Theirs.
    ///   - standing: Whose part stands in the merged bytes.
    public init(place: [Step] = [], base: Part?, mine: Part?, theirs: Part?, standing: MergeSide) {
        self.place = place
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.standing = standing
    }
}

/// One of the two that are merged.
public enum MergeSide: Hashable, Sendable {
    /// The one on this device.
    case mine
    /// The other one.
    case theirs

    /// The one that stands where both changed the same: whose bytes are greater, compared one by one as numbers. Both
    /// devices come to the same by it.
    public static func standing(mine: [UInt8], theirs: [UInt8]) -> MergeSide {
        theirs.lexicographicallyPrecedes(mine) ? .mine : .theirs
    }
}

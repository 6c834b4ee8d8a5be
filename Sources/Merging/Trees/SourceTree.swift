/// A value in a text, and where all of it lies there: what is not changed is taken over byte by byte.
struct SourceNode {
    enum Kind: Hashable { case scalar, dictionary, list }

    /// An element of a list, or a key and its value.
    struct Member {
        /// The key, without escapes; empty in a list.
        var key: [UInt8]
        /// From the separator before it to its value: white space, key and all.
        var lead: Range<Int>
        /// The comments in the lead: they belong to what they stand before.
        var remarks: [UInt8] = []
        var value: SourceNode
        /// From its value to the separator behind it.
        var trail: Range<Int>

        var leadGap: SourceGap { SourceGap(range: lead, remarks: remarks) }
    }

    var kind: Kind
    /// The whole value.
    var range: Range<Int>
    var members: [Member] = []
    /// White space between the last member and the end; all there is when there is no member.
    var closingSpace: Range<Int> = 0..<0
    /// The comments between the last member and the end.
    var closingRemarks: [UInt8] = []
    /// Values that mean the same, and have the same comments in them, have the same number, in all versions.
    var number: Int32

    var closingGap: SourceGap { SourceGap(range: closingSpace, remarks: closingRemarks) }
}

/// What stands between values in a text.
struct SourceGap {
    let range: Range<Int>
    /// Its comments, one behind the other, without the white space around them.
    let remarks: [UInt8]
}

/// A text with a tree in it.
struct SourceTree {
    let source: [UInt8]
    let root: SourceNode

    subscript(range: Range<Int>) -> ArraySlice<UInt8> { source[range] }

    func text(_ node: SourceNode) -> ArraySlice<UInt8> { source[node.range] }

    /// All before the value.
    var head: Range<Int> { 0..<root.range.lowerBound }

    /// All behind the value.
    var tail: Range<Int> { root.range.upperBound..<source.count }
}

/// A language that trees are written in.
protocol TreeSyntax: Sendable {
    /// What stands between members.
    static var separator: [UInt8] { get }
    static func brackets(_ kind: SourceNode.Kind) -> (open: [UInt8], close: [UInt8])
    /// Whether a value without members is a number or a date, by how it is written.
    static func isNumber(_ scalar: ArraySlice<UInt8>) -> Bool
    /// Where the comments lie in what stands between values.
    static func remarks(in source: [UInt8], _ range: Range<Int>) -> [Range<Int>]
    /// Reads a text; nil for one that is broken, has a key twice in one dictionary, is nested too deeply, or has more values
    /// than there is room for.
    static func parse(_ source: [UInt8], _ numbers: inout NumberedValues) -> SourceTree?
}

/// How deep trees may be; deeper ones are not looked into. Readers and mergers call themselves for each level.
let treeDepthMax = 200

/// So many values are looked into in all versions of a file together, lists and dictionaries included: each takes up to
/// six hundred bytes in memory, however few it takes in the file.
let treeNodeCountMax = 2_000_000

/// Gives values that mean the same, and have the same comments in them, equal numbers.
struct NumberedValues {
    private enum Value: Hashable {
        case scalar([UInt8])
        case list([Int32])
        case dictionary([[UInt8]], [Int32])
        /// A list or dictionary by the number that it would have without comments, and those of each member.
        case remarked(Int32, [[UInt8]])
    }

    private var numbers: [Value: Int32] = [:]
    /// How many values there may be from now on.
    private var room: Int

    init(nodeCountMax: Int = treeNodeCountMax) { room = nodeCountMax }

    /// A value without members; nil when there are too many.
    ///
    /// - Parameter text: What tells the value from others, its type included.
    mutating func scalar(_ text: [UInt8], _ range: Range<Int>) -> SourceNode? {
        guard takeRoom() else { return nil }
        return SourceNode(kind: .scalar, range: range, number: number(.scalar(text)))
    }

    private mutating func takeRoom() -> Bool {
        room -= 1
        return room >= 0
    }

    /// A list or dictionary, numbered by its members and the comments between them; nil when a key is there twice, or there
    /// are too many values.
    mutating func container(
        _ kind: SourceNode.Kind,
        _ range: Range<Int>,
        _ members: [SourceNode.Member],
        _ closingSpace: Range<Int>,
        closingRemarks: [UInt8] = []
    ) -> SourceNode? {
        guard takeRoom() else { return nil }
        let isList = kind == .list
        let ordered = isList ? members : members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        if !isList {
            for (first, second) in zip(ordered, ordered.dropFirst()) where first.key == second.key {
                return nil
            }
        }
        let values = ordered.map(\.value.number)
        var meaning = number(isList ? .list(values) : .dictionary(ordered.map(\.key), values))
        if !closingRemarks.isEmpty || members.contains(where: { !$0.remarks.isEmpty }) {
            meaning = number(.remarked(meaning, ordered.map(\.remarks) + [closingRemarks]))
        }
        return SourceNode(
            kind: kind,
            range: range,
            members: members,
            closingSpace: closingSpace,
            closingRemarks: closingRemarks,
            number: meaning
        )
    }

    private mutating func number(_ value: Value) -> Int32 {
        if let known = numbers[value] { return known }
        let number = Int32(numbers.count)
        numbers[value] = number
        return number
    }
}

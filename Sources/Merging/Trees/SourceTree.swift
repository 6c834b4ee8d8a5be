/// A value in a text, and where all of it lies there: what is not changed is taken over byte by byte.
struct SourceNode {
    enum Kind: Hashable { case scalar, dictionary, list }

    /// An element of a list, or a key and its value.
    struct Member {
        /// The key, without escapes; empty in a list.
        var key: [UInt8]
        /// From the separator before it to its value: white space, key and all.
        var lead: Range<Int>
        var value: SourceNode
        /// From its value to the separator behind it.
        var trail: Range<Int>
    }

    var kind: Kind
    /// The whole value.
    var range: Range<Int>
    var members: [Member] = []
    /// White space between the last member and the end; all there is when there is no member.
    var closingSpace: Range<Int> = 0..<0
    /// Values that mean the same have the same number, in all versions.
    var number: Int32
}

/// A text with a tree in it.
struct SourceTree {
    let source: [UInt8]
    let root: SourceNode

    subscript(range: Range<Int>) -> ArraySlice<UInt8> { source[range] }

    func text(_ node: SourceNode) -> ArraySlice<UInt8> { source[node.range] }
}

/// A language that trees are written in.
protocol TreeSyntax: Sendable {
    /// What stands between members.
    static var separator: [UInt8] { get }
    static func brackets(_ kind: SourceNode.Kind) -> (open: [UInt8], close: [UInt8])
    /// Reads a text; nil for one that is broken, has a key twice in one dictionary, or is nested too deeply.
    static func parse(_ source: [UInt8], _ numbers: inout NumberedValues) -> SourceTree?
}

/// How deep trees may be; deeper ones are not looked into. Readers and mergers call themselves for each level.
let treeDepthMax = 200

/// Gives values that mean the same equal numbers.
struct NumberedValues {
    private enum Value: Hashable {
        case scalar([UInt8])
        case list([Int32])
        case dictionary([[UInt8]], [Int32])
    }

    private var numbers: [Value: Int32] = [:]

    var count: Int { numbers.count }

    /// - Parameter text: What tells the value from others, its type included.
    mutating func scalar(_ text: [UInt8]) -> Int32 { number(.scalar(text)) }

    /// A list or dictionary, numbered by its members; nil when a key is there twice.
    mutating func container(
        _ kind: SourceNode.Kind,
        _ range: Range<Int>,
        _ members: [SourceNode.Member],
        _ closingSpace: Range<Int>
    ) -> SourceNode? {
        let number = kind == .list ? list(members.map(\.value.number)) : dictionary(members)
        return number.map {
            SourceNode(kind: kind, range: range, members: members, closingSpace: closingSpace, number: $0)
        }
    }

    private mutating func list(_ elements: [Int32]) -> Int32 { number(.list(elements)) }

    /// Nil when a key is there twice.
    private mutating func dictionary(_ members: [SourceNode.Member]) -> Int32? {
        let sorted = members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (first, second) in zip(sorted, sorted.dropFirst()) where first.key == second.key { return nil }
        return number(.dictionary(sorted.map(\.key), sorted.map(\.value.number)))
    }

    private mutating func number(_ value: Value) -> Int32 {
        if let known = numbers[value] { return known }
        let number = Int32(numbers.count)
        numbers[value] = number
        return number
    }
}

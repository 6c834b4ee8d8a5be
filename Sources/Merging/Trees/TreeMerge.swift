/// Merges three trees by key, and by identity or order in lists; the outcome is put together from pieces of the texts.
struct TreeMerge<Syntax: TreeSyntax> {
    private let base: SourceTree?
    private let mine: SourceTree
    private let theirs: SourceTree
    private let standing: MergeSide
    private let identityKeys: [[UInt8]]
    private let numberCount: Int
    private var conflicts: [MergeConflict] = []

    /// A member of the outcome: whose text is around it, and what its value came to.
    private struct Piece {
        let side: MergeSide
        let member: SourceNode.Member
        var value: ArraySlice<UInt8>
    }

    init(
        base: SourceTree?,
        mine: SourceTree,
        theirs: SourceTree,
        standing: MergeSide,
        identityKeys: [String],
        numberCount: Int
    ) {
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.standing = standing
        self.identityKeys = identityKeys.map { Array($0.utf8) }
        self.numberCount = numberCount
    }

    /// The merged text: the standing side's, with what the other one changed put in.
    mutating func run() -> MergedFile {
        let root = merge([], base?.root, mine.root, theirs.root)
        let frame = tree(standing)
        let contents =
            frame[0..<frame.root.range.lowerBound] + root
            + frame[frame.root.range.upperBound..<frame.source.count]
        return MergedFile(contents: Array(contents), conflicts: conflicts)
    }

    private func tree(_ side: MergeSide) -> SourceTree { side == .mine ? mine : theirs }

    private func text(_ side: MergeSide, _ node: SourceNode) -> ArraySlice<UInt8> { tree(side).text(node) }

    private mutating func merge(
        _ place: [MergeConflict.Step],
        _ old: SourceNode?,
        _ own: SourceNode,
        _ other: SourceNode
    ) -> ArraySlice<UInt8> {
        if own.number == other.number { return sameValue(old, own, other) }
        if own.number == old?.number { return text(.theirs, other) }
        if other.number == old?.number { return text(.mine, own) }
        if own.kind == other.kind, old == nil || old?.kind == own.kind {
            switch own.kind {
            case .dictionary: return mergeKeyed(place, old, own, other, first: standing, identity: nil)
            case .list: return mergeLists(place, old, own, other)
            case .scalar: break
            }
        }
        conflict(place, part(old), part(.mine, own), part(.theirs, other), standing)
        return standing == .mine ? text(.mine, own) : text(.theirs, other)
    }

    /// Both mean the same, but may be written differently: who wrote it anew has a say.
    private func sameValue(_ old: SourceNode?, _ own: SourceNode, _ other: SourceNode) -> ArraySlice<UInt8> {
        let (ownText, otherText) = (text(.mine, own), text(.theirs, other))
        if let old, let base {
            if ownText == base.text(old) { return otherText }
            if otherText == base.text(old) { return ownText }
        }
        return standing == .mine ? ownText : otherText
    }

    // MARK: Conflicts

    private func part(_ old: SourceNode?) -> MergeConflict.Part? {
        guard let old, let base else { return nil }
        return MergeConflict.Part(range: old.range, bytes: Array(base.text(old)))
    }

    private func part(_ side: MergeSide, _ node: SourceNode?) -> MergeConflict.Part? {
        node.map { MergeConflict.Part(range: $0.range, bytes: Array(text(side, $0))) }
    }

    private mutating func conflict(
        _ place: [MergeConflict.Step],
        _ old: MergeConflict.Part?,
        _ own: MergeConflict.Part?,
        _ other: MergeConflict.Part?,
        _ standing: MergeSide
    ) {
        conflicts.append(MergeConflict(place: place, base: old, mine: own, theirs: other, standing: standing))
    }

    // MARK: Dictionaries, and lists of what carries an identity

    /// - Parameters:
    ///   - first: Whose order and white space the outcome has; what only the other has comes behind what is before
    ///     it there.
    ///   - identity: The key under which a list's elements have what they are known by; nil for a dictionary.
    private mutating func mergeKeyed(
        _ place: [MergeConflict.Step],
        _ old: SourceNode?,
        _ own: SourceNode,
        _ other: SourceNode,
        first: MergeSide,
        identity: [UInt8]?
    ) -> ArraySlice<UInt8> {
        let (olds, owns, others) = (
            byName(old, identity), byName(own, identity), byName(other, identity)
        )
        let (firstNode, secondNode) = first == .mine ? (own, other) : (other, own)
        let firstNames = names(firstNode, identity)
        let secondNames = names(secondNode, identity)
        var pieces: [[UInt8]: Piece] = [:]
        for name in firstNames + secondNames where pieces[name] == nil {
            let step = step(
                name,
                owns[name].map { (.mine, $0) } ?? others[name].map { (.theirs, $0) },
                identity
            )
            let members = (olds[name], owns[name], others[name])
            pieces[name] = mergeMember(place + [step], members.0, members.1, members.2, first)
        }
        let order = inserted(
            secondNames.filter { pieces[$0] != nil },
            into: firstNames.filter { pieces[$0] != nil }
        )
        return assemble(order.compactMap { pieces[$0] }, firstNode, secondNode, first)
    }

    private func names(_ node: SourceNode?, _ identity: [UInt8]?) -> [[UInt8]] {
        (node?.members ?? []).map { Self.name($0, identity) }
    }

    private func byName(_ node: SourceNode?, _ identity: [UInt8]?) -> [[UInt8]: SourceNode.Member] {
        Dictionary((node?.members ?? []).map { (Self.name($0, identity), $0) }) { first, _ in first }
    }

    /// What a member is known by: its key, or the number of its identity.
    private static func name(_ member: SourceNode.Member, _ identity: [UInt8]?) -> [UInt8] {
        guard let identity else { return member.key }
        return identified(member, identity).map { Array(String($0.number).utf8) } ?? []
    }

    private static func identified(_ member: SourceNode.Member, _ key: [UInt8]) -> SourceNode? {
        member.value.members.first { $0.key == key }?.value
    }

    private func step(
        _ name: [UInt8],
        _ member: (side: MergeSide, member: SourceNode.Member)?,
        _ identity: [UInt8]?
    ) -> MergeConflict.Step {
        guard let identity, let member, let value = Self.identified(member.member, identity) else {
            return .key(String(decoding: name, as: UTF8.self))
        }
        return .identity(String(decoding: text(member.side, value), as: UTF8.self))
    }

    /// What only the second order has, each behind what is before it there.
    private func inserted(_ second: [[UInt8]], into first: [[UInt8]]) -> [[UInt8]] {
        let known = Set(first)
        var (following, leading) = ([[UInt8]: [[UInt8]]](), [[UInt8]]())
        var last: [UInt8]?
        for name in second {
            if known.contains(name) {
                last = name
            } else if let last {
                following[last, default: []].append(name)
            } else {
                leading.append(name)
            }
        }
        return leading + first.flatMap { [$0] + (following[$0] ?? []) }
    }

    /// A member by its three versions; nil when it goes. Against a deletion, a change stands.
    private mutating func mergeMember(
        _ place: [MergeConflict.Step],
        _ old: SourceNode.Member?,
        _ own: SourceNode.Member?,
        _ other: SourceNode.Member?,
        _ first: MergeSide
    ) -> Piece? {
        if let own, let other {
            let value = merge(place, old?.value, own.value, other.value)
            return Piece(side: first, member: first == .mine ? own : other, value: value)
        }
        guard let (side, member) = own.map({ (MergeSide.mine, $0) }) ?? other.map({ (MergeSide.theirs, $0) })
        else {
            return nil
        }
        if let old {
            if old.value.number == member.value.number { return nil }
            conflict(place, part(old.value), part(.mine, own?.value), part(.theirs, other?.value), side)
        }
        return Piece(side: side, member: member, value: text(side, member.value))
    }

    private func assemble(
        _ pieces: [Piece],
        _ first: SourceNode,
        _ second: SourceNode,
        _ side: MergeSide
    ) -> ArraySlice<UInt8> {
        let brackets = Syntax.brackets(first.kind)
        var text = brackets.open
        for (index, piece) in pieces.enumerated() {
            if index > 0 { text += Syntax.separator }
            let source = tree(piece.side)
            text += source[piece.member.lead]
            text += piece.value
            text += source[piece.member.trail]
        }
        // What had no members knows no white space behind them.
        let isFirst = !first.members.isEmpty || second.members.isEmpty
        text += tree(isFirst == (side == .mine) ? .mine : .theirs)[(isFirst ? first : second).closingSpace]
        return (text + brackets.close)[...]
    }

    // MARK: Lists

    private mutating func mergeLists(
        _ place: [MergeConflict.Step],
        _ old: SourceNode?,
        _ own: SourceNode,
        _ other: SourceNode
    ) -> ArraySlice<UInt8> {
        if let identity = identity([old, own, other].compactMap { $0 }) {
            let first = firstInOrder(place, old, own, other, identity)
            return mergeKeyed(place, old, own, other, first: first, identity: identity)
        }
        let numbers = { (node: SourceNode?) in node?.members.map(\.value.number) ?? [] }
        let chunks = ThreeWay.chunks(numbers(old), numbers(own), numbers(other), numberCount: numberCount)
        var pieces: [Piece] = []
        for chunk in chunks { pieces += merge(chunk, place, old, own, other) }
        let (first, second) = standing == .mine ? (own, other) : (other, own)
        return assemble(pieces, first, second, standing)
    }

    private mutating func merge(
        _ chunk: ThreeWay.Chunk,
        _ place: [MergeConflict.Step],
        _ old: SourceNode?,
        _ own: SourceNode,
        _ other: SourceNode
    ) -> [Piece] {
        switch chunk.kind {
        case .onlyMine: return pieces(.mine, own, chunk.mine)
        case .onlyTheirs: return pieces(.theirs, other, chunk.theirs)
        case .unchanged, .same:
            return standing == .mine ? pieces(.mine, own, chunk.mine) : pieces(.theirs, other, chunk.theirs)
        case .conflict: break
        }
        if let old, chunk.base.count == chunk.mine.count, chunk.base.count == chunk.theirs.count {
            return (0..<chunk.base.count).compactMap { offset in
                let index = chunk.base.lowerBound + offset
                return mergeMember(
                    place + [.index(index)],
                    old.members[index],
                    own.members[chunk.mine.lowerBound + offset],
                    other.members[chunk.theirs.lowerBound + offset],
                    standing
                )
            }
        }
        conflict(
            place + [.index(chunk.base.lowerBound)],
            base.flatMap { part($0, old, chunk.base) },
            part(mine, own, chunk.mine),
            part(theirs, other, chunk.theirs),
            standing
        )
        return standing == .mine ? pieces(.mine, own, chunk.mine) : pieces(.theirs, other, chunk.theirs)
    }

    private func pieces(_ side: MergeSide, _ node: SourceNode, _ range: Range<Int>) -> [Piece] {
        node.members[range].map { Piece(side: side, member: $0, value: text(side, $0.value)) }
    }

    /// Elements of a list as they lie in the text; nil for none.
    private func part(_ tree: SourceTree, _ node: SourceNode?, _ range: Range<Int>) -> MergeConflict.Part? {
        guard let members = node?.members[range], let first = members.first, let last = members.last else {
            return nil
        }
        let bytes = first.value.range.lowerBound..<last.value.range.upperBound
        return MergeConflict.Part(range: bytes, bytes: Array(tree[bytes]))
    }

    /// The key under which the elements of all three lists have what tells them apart; nil when they have not.
    private func identity(_ nodes: [SourceNode]) -> [UInt8]? {
        identityKeys.first { key in
            nodes.allSatisfy { node in
                let areIdentified = node.members.allSatisfy { member in
                    member.value.kind == .dictionary && Self.identified(member, key)?.kind == .scalar
                }
                return areIdentified && Set(names(node, key)).count == node.members.count
            }
        }
    }

    /// Whose order the outcome has: that of who changed it.
    private mutating func firstInOrder(
        _ place: [MergeConflict.Step],
        _ old: SourceNode?,
        _ own: SourceNode,
        _ other: SourceNode,
        _ identity: [UInt8]
    ) -> MergeSide {
        let (olds, owns, others) = (names(old, identity), names(own, identity), names(other, identity))
        let common = Set(olds).intersection(owns).intersection(others)
        let order = { (names: [[UInt8]]) in names.filter { common.contains($0) } }
        if order(owns) == order(others) { return standing }
        if order(owns) == order(olds) { return .theirs }
        if order(others) == order(olds) { return .mine }
        conflict(place, part(old), part(.mine, own), part(.theirs, other), standing)
        return standing
    }
}

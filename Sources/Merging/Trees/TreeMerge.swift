/// Merges three trees by key, and by identity or order in lists; the outcome is put together from pieces of the texts.
///
/// 1. A place is gone into where both sides' values have other numbers than the base's: at all others at most one side
///    has changed anything but white space, and its text is taken whole.
/// 2. What stands between values is one side's text: that of who changed the comments in it, else that of whose order
///    the outcome has.
struct TreeMerge<Syntax: TreeSyntax> {
    let base: SourceTree?
    let mine: SourceTree
    let theirs: SourceTree
    let standing: MergeSide
    private let identityKeys: [[UInt8]]
    private var conflicts: [MergeConflict] = []

    /// A member of the outcome: whose it is, what stands before it, and what its value came to.
    struct Piece {
        let side: MergeSide
        let member: SourceNode.Member
        let lead: ArraySlice<UInt8>
        let value: ArraySlice<UInt8>
    }

    init(
        base: SourceTree?,
        mine: SourceTree,
        theirs: SourceTree,
        standing: MergeSide,
        identityKeys: [String]
    ) {
        self.base = base
        self.mine = mine
        self.theirs = theirs
        self.standing = standing
        self.identityKeys = identityKeys.map { Array($0.utf8) }
    }

    /// The merged text: the standing side's, with what the other one changed put in.
    mutating func run() -> MergedFile {
        let root = merge([], base?.root, mine.root, theirs.root)
        let head = frame(\.head)
        let tail = frame(\.tail)
        return MergedFile(contents: Array(head + root + tail), conflicts: conflicts)
    }

    /// What stands around the whole tree, before or behind it.
    private mutating func frame(_ range: KeyPath<SourceTree, Range<Int>>) -> ArraySlice<UInt8> {
        let (own, other) = (gap(mine, mine[keyPath: range]), gap(theirs, theirs[keyPath: range]))
        let side = remarkingSide([], base.map { gap($0, $0[keyPath: range]) }, own, other, usual: standing)
        return side == .mine ? mine[own.range] : theirs[other.range]
    }

    private func gap(_ tree: SourceTree, _ range: Range<Int>) -> SourceGap {
        let remarks = Syntax.remarks(in: tree.source, range).flatMap { tree[$0] }
        return SourceGap(range: range, remarks: remarks)
    }

    private func tree(_ side: MergeSide) -> SourceTree { side == .mine ? mine : theirs }

    private func text(_ side: MergeSide, _ node: SourceNode) -> ArraySlice<UInt8> { tree(side).text(node) }

    /// A member as a side has it.
    func piece(_ side: MergeSide, _ member: SourceNode.Member) -> Piece {
        Piece(side: side, member: member, lead: tree(side)[member.lead], value: text(side, member.value))
    }

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
            case .list:
                guard let key = identity([old, own, other].compactMap { $0 }) else {
                    return mergeByOrder(place, old, own, other)
                }
                let first = firstInOrder(place, old, own, other, key)
                return mergeKeyed(place, old, own, other, first: first, identity: key)
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

    mutating func conflict(
        _ place: [MergeConflict.Step],
        _ old: MergeConflict.Part?,
        _ own: MergeConflict.Part?,
        _ other: MergeConflict.Part?,
        _ standing: MergeSide
    ) {
        conflicts.append(MergeConflict(place: place, base: old, mine: own, theirs: other, standing: standing))
    }

    // MARK: Comments

    /// Whose text stands between values: that of who changed the comments in it. White space alone is no change.
    ///
    /// - Parameter usual: Who it is when neither changed them, or both in the same way.
    private mutating func remarkingSide(
        _ place: [MergeConflict.Step],
        _ old: SourceGap?,
        _ own: SourceGap,
        _ other: SourceGap,
        usual: MergeSide
    ) -> MergeSide {
        if own.remarks == other.remarks { return usual }
        let oldRemarks = old?.remarks ?? []
        if own.remarks == oldRemarks { return .theirs }
        if other.remarks == oldRemarks { return .mine }
        conflict(place, base.flatMap { part($0, old) }, part(mine, own), part(theirs, other), standing)
        return standing
    }

    /// The comments between values, from the first to the last; nil for none.
    private func part(_ tree: SourceTree, _ gap: SourceGap?) -> MergeConflict.Part? {
        let remarks = gap.map { Syntax.remarks(in: tree.source, $0.range) } ?? []
        guard let first = remarks.first, let last = remarks.last else { return nil }
        let range = first.lowerBound..<last.upperBound
        return MergeConflict.Part(range: range, bytes: Array(tree[range]))
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
            if identity != nil, let piece = addedTwice(place + [step], members.0, members.1, members.2) {
                pieces[name] = piece
            } else {
                pieces[name] = mergeMember(place + [step], members.0, members.1, members.2, first)
            }
        }
        let order = inserted(
            secondNames.filter { pieces[$0] != nil },
            into: firstNames.filter { pieces[$0] != nil }
        )
        return assemble(order.compactMap { pieces[$0] }, place, old, own, other, first: first)
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

    /// Two elements that both sides have added, and that only bear one identity: put together they would be a third one that
    /// nobody has made.
    ///
    /// - Returns: The standing one; nil where they are no such two, or nobody knows.
    private mutating func addedTwice(
        _ place: [MergeConflict.Step],
        _ old: SourceNode.Member?,
        _ own: SourceNode.Member?,
        _ other: SourceNode.Member?
    ) -> Piece? {
        guard base != nil, old == nil, let own, let other, own.value.number != other.value.number else {
            return nil
        }
        conflict(place, nil, part(.mine, own.value), part(.theirs, other.value), standing)
        return piece(standing, standing == .mine ? own : other)
    }

    /// A member by its three versions; nil when it goes. Against a deletion, a change stands.
    mutating func mergeMember(
        _ place: [MergeConflict.Step],
        _ old: SourceNode.Member?,
        _ own: SourceNode.Member?,
        _ other: SourceNode.Member?,
        _ first: MergeSide
    ) -> Piece? {
        if let own, let other {
            let value = merge(place, old?.value, own.value, other.value)
            let side = remarkingSide(place, old?.leadGap, own.leadGap, other.leadGap, usual: first)
            return Piece(
                side: first,
                member: first == .mine ? own : other,
                lead: side == .mine ? mine[own.lead] : theirs[other.lead],
                value: value
            )
        }
        guard let (side, member) = own.map({ (MergeSide.mine, $0) }) ?? other.map({ (MergeSide.theirs, $0) })
        else {
            return nil
        }
        if let old {
            if old.value.number == member.value.number, old.remarks == member.remarks { return nil }
            conflict(place, part(old.value), part(.mine, own?.value), part(.theirs, other?.value), side)
        }
        return piece(side, member)
    }

    mutating func assemble(
        _ pieces: [Piece],
        _ place: [MergeConflict.Step],
        _ old: SourceNode?,
        _ own: SourceNode,
        _ other: SourceNode,
        first: MergeSide
    ) -> ArraySlice<UInt8> {
        let brackets = Syntax.brackets(own.kind)
        var text = brackets.open
        for (index, piece) in pieces.enumerated() {
            if index > 0 { text += Syntax.separator }
            text += piece.lead
            text += piece.value
            text += tree(piece.side)[piece.member.trail]
        }
        // What had no members knows no white space behind them.
        let (firstNode, secondNode) = first == .mine ? (own, other) : (other, own)
        let isFirst = !firstNode.members.isEmpty || secondNode.members.isEmpty
        let usual: MergeSide = isFirst == (first == .mine) ? .mine : .theirs
        let side = remarkingSide(place, old?.closingGap, own.closingGap, other.closingGap, usual: usual)
        text += side == .mine ? mine[own.closingSpace] : theirs[other.closingSpace]
        return (text + brackets.close)[...]
    }

    // MARK: Lists of what carries an identity

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

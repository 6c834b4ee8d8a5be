extension TreeMerge {
    /// Merges lists whose elements carry no identity.
    mutating func mergeByOrder(
        _ place: [MergeConflict.Step],
        _ old: SourceNode?,
        _ own: SourceNode,
        _ other: SourceNode
    ) -> ArraySlice<UInt8> {
        let list = ListAlignment(old, own, other)
        var pieces: [Piece] = []
        for chunk in list.chunks { pieces += merge(chunk, list, place) }
        tellStrays(pieces, list, place)
        return assemble(settled(pieces, list, place), place, old, own, other, first: standing)
    }

    private mutating func merge(
        _ chunk: ThreeWay.Chunk,
        _ list: ListAlignment,
        _ place: [MergeConflict.Step]
    ) -> [Piece] {
        switch chunk.kind {
        case .onlyMine: return list.own.members[chunk.mine].map { piece(.mine, $0) }
        case .onlyTheirs: return list.other.members[chunk.theirs].map { piece(.theirs, $0) }
        case .unchanged, .same: return standingPieces(chunk, list)
        case .conflict: break
        }
        if let pairs = list.pairs(chunk), !makesNumbers(pairs, list) {
            return pairs.flatMap { merge($0, list, place) }
        }
        conflict(chunk, list, place)
        return standingPieces(chunk, list)
    }

    /// Whether the pairs are numbers side by side that neither side has so: of a date's parts, or a place's, each has changed
    /// its own.
    private func makesNumbers(_ pairs: [ListAlignment.Pair], _ list: ListAlignment) -> Bool {
        guard pairs.count > 1, pairs.allSatisfy({ areNumbers($0, list) }) else { return false }
        let numbers = pairs.map { list.elements($0) }
        let isMine = numbers.allSatisfy { $0.theirs == $0.base || $0.theirs == $0.mine }
        let isTheirs = numbers.allSatisfy { $0.mine == $0.base || $0.mine == $0.theirs }
        return !isMine && !isTheirs
    }

    private func areNumbers(_ pair: ListAlignment.Pair, _ list: ListAlignment) -> Bool {
        let sides = [
            (base, list.old?.members[pair.base]), (mine, list.own.members[pair.mine]),
            (theirs, list.other.members[pair.theirs]),
        ]
        return sides.allSatisfy { tree, member in
            guard let tree, let member, member.value.kind == .scalar else { return false }
            return Syntax.isNumber(tree.text(member.value))
        }
    }

    private mutating func merge(
        _ pair: ListAlignment.Pair,
        _ list: ListAlignment,
        _ place: [MergeConflict.Step]
    ) -> [Piece] {
        guard list.isEdited(pair) else {
            let chunk = ThreeWay.Chunk(
                base: pair.base..<pair.base + 1,
                mine: pair.mine..<pair.mine + 1,
                theirs: pair.theirs..<pair.theirs + 1,
                kind: .conflict
            )
            conflict(chunk, list, place)
            return standingPieces(chunk, list)
        }
        let member = mergeMember(
            place + [.index(pair.base)],
            list.old?.members[pair.base],
            list.own.members[pair.mine],
            list.other.members[pair.theirs],
            standing
        )
        return member.map { [$0] } ?? []
    }

    private func standingPieces(_ chunk: ThreeWay.Chunk, _ list: ListAlignment) -> [Piece] {
        standing == .mine
            ? list.own.members[chunk.mine].map { piece(.mine, $0) }
            : list.other.members[chunk.theirs].map { piece(.theirs, $0) }
    }

    private mutating func conflict(
        _ chunk: ThreeWay.Chunk,
        _ list: ListAlignment,
        _ place: [MergeConflict.Step]
    ) {
        conflict(
            place + [.index(chunk.base.lowerBound)],
            base.flatMap { part($0, list.old, chunk.base) },
            part(mine, list.own, chunk.mine),
            part(theirs, list.other, chunk.theirs),
            standing
        )
    }

    /// Elements of a list as they lie in the text, with the comments before them; nil for none.
    private func part(_ tree: SourceTree, _ node: SourceNode?, _ range: Range<Int>) -> MergeConflict.Part? {
        guard let members = node?.members[range], let first = members.first, let last = members.last else {
            return nil
        }
        let remark = Syntax.remarks(in: tree.source, first.lead).first
        let start = remark?.lowerBound ?? first.value.range.lowerBound
        let bytes = start..<last.value.range.upperBound
        return MergeConflict.Part(range: bytes, bytes: Array(tree[bytes]))
    }

    // MARK: Moves

    /// What one side moved and the other one took away stays where it was moved to, and is told: so does what the other one
    /// has moved and edited, beside what it has become there. Nobody could say whether both have one element in mind.
    private mutating func tellStrays(
        _ pieces: [Piece],
        _ list: ListAlignment,
        _ place: [MergeConflict.Step]
    ) {
        guard !list.strays.isEmpty else { return }
        let standing = Set(pieces.compactMap { list.number($0.member) })
        for stray in list.strays where standing.contains(stray.number) {
            let (index, isMine) = (stray.place..<stray.place + 1, stray.mover == .mine)
            conflict(
                place + [.index(stray.base)],
                base.flatMap { part($0, list.old, stray.base..<stray.base + 1) },
                isMine ? part(mine, list.own, index) : nil,
                isMine ? nil : part(theirs, list.other, index),
                stray.mover
            )
        }
    }

    /// The pieces with each element once that is once in every version, wherever it was moved.
    ///
    /// Where only one side moved it, it is at that side's place. Where that place is part of a conflict and shows the
    /// other side, it is where the standing side has it. Moved by both, it is at the standing side's place, too, and is
    /// told.
    private mutating func settled(
        _ pieces: [Piece],
        _ list: ListAlignment,
        _ place: [MergeConflict.Step]
    ) -> [Piece] {
        guard list.hasMoves else { return pieces }
        var counts: [Int32: Int] = [:]
        for piece in pieces {
            if let number = list.constantNumber(piece.member) { counts[number, default: 0] += 1 }
        }
        var (leavers, movedTwice, missing) = ([Int32: MergeSide](), [ThreeWay.Chunk](), [Int]())
        for number in list.base {
            guard let element = list.constant(number) else { continue }
            switch counts[number, default: 0] {
            case 0: missing.append(standing == .mine ? element.mine : element.theirs)
            case 1: break
            default:
                let movers = list.movers(of: element)
                if movers.count != 1 { Self.append(element, to: &movedTwice) }
                let stays = movers.count == 1 ? movers[0] : standing
                leavers[number] = stays == .mine ? .theirs : .mine
            }
        }
        for chunk in movedTwice { conflict(chunk, list, place) }
        let kept = pieces.filter { piece in
            list.constantNumber(piece.member).map { leavers[$0] != piece.side } ?? true
        }
        let members = (standing == .mine ? list.own : list.other).members
        return putBack(missing.sorted().map { piece(standing, members[$0]) }, into: kept)
    }

    /// What lies side by side in all versions is one conflict.
    private static func append(_ element: ListAlignment.Constant, to chunks: inout [ThreeWay.Chunk]) {
        let (base, mine, theirs) = (element.base, element.mine, element.theirs)
        if let last = chunks.last, last.base.upperBound == base, last.mine.upperBound == mine,
            last.theirs.upperBound == theirs
        {
            chunks[chunks.count - 1].base = last.base.lowerBound..<base + 1
            chunks[chunks.count - 1].mine = last.mine.lowerBound..<mine + 1
            chunks[chunks.count - 1].theirs = last.theirs.lowerBound..<theirs + 1
        } else {
            chunks.append(
                ThreeWay.Chunk(
                    base: base..<base + 1,
                    mine: mine..<mine + 1,
                    theirs: theirs..<theirs + 1,
                    kind: .conflict
                )
            )
        }
    }

    /// The standing side's elements, each before what comes next there. Its pieces are in its own order.
    private func putBack(_ missing: [Piece], into pieces: [Piece]) -> [Piece] {
        guard !missing.isEmpty else { return pieces }
        let start = { (piece: Piece) in piece.member.value.range.lowerBound }
        var (all, next) = ([Piece](), 0)
        for piece in pieces {
            while piece.side == standing, next < missing.count, start(missing[next]) < start(piece) {
                all.append(missing[next])
                next += 1
            }
            all.append(piece)
        }
        return all + missing[next...]
    }
}

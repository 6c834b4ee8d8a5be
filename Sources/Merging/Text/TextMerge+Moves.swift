/// Lines that were moved: what the other side did with them is done where they are now, or is a conflict.
extension TextMerge {
    /// Where the base's lines went on either side.
    private struct Moves {
        let mine: MovedBlocks
        let theirs: MovedBlocks

        func of(_ side: MergeSide) -> MovedBlocks { side == .mine ? mine : theirs }
    }

    mutating func followMoves(_ own: [SequenceDifference.Hunk], _ other: [SequenceDifference.Hunk]) {
        guard chunks.contains(where: { $0.kind == .conflict || $0.kind == .same }) else { return }
        let moves = Moves(
            mine: MovedBlocks(base.numbers, mine.numbers, own, numberCount: numberCount),
            theirs: MovedBlocks(base.numbers, theirs.numbers, other, numberCount: numberCount)
        )
        for (index, chunk) in chunks.enumerated() where !chunk.base.isEmpty {
            switch chunk.kind {
            case .conflict:
                if followEdit(index, chunk, movedBy: .mine, moves) { continue }
                if followEdit(index, chunk, movedBy: .theirs, moves) { continue }
                settleMoves(index, chunk, moves)
            case .same: settleMoves(index, chunk, moves)
            case .unchanged, .onlyMine, .onlyTheirs: continue
            }
        }
    }

    // MARK: A move and an edit

    /// One side moved the chunk's lines, the other one edited them: they are edited where they are now.
    ///
    /// Lines that the editor has moved away as well are not edited by it: what it has in their place is not theirs.
    private mutating func followEdit(
        _ index: Int,
        _ chunk: ThreeWay.Chunk,
        movedBy mover: MergeSide,
        _ moves: Moves
    ) -> Bool {
        let editor = Self.opposite(of: mover)
        let edited = Self.lines(of: chunk, editor)
        guard Self.lines(of: chunk, mover).isEmpty, isClosed(text(of: editor), edited),
            let target = moves.of(mover).target(of: chunk.base), isOwn(target, mover),
            moves.of(editor).keeps(chunk.base, within: edited)
        else { return false }
        replacements[mover, default: [:]][target.lowerBound] = Replacement(lines: target, others: edited)
        settled[index] = mover
        return true
    }

    /// Lines that can stand before others: the last one has its line feed.
    private func isClosed(_ text: LinedText, _ lines: Range<Int>) -> Bool {
        let range = text.range(lines)
        return range.isEmpty || text.bytes[range.upperBound - 1] == 0x0A
    }

    /// Whether lines lie in a chunk that only their side has changed.
    private func isOwn(_ lines: Range<Int>, _ side: MergeSide) -> Bool {
        chunks[chunkIndex(of: lines, side)].kind == (side == .mine ? .onlyMine : .onlyTheirs)
    }

    /// The chunk that has lines of one hunk of a side: a hunk is never in two.
    private func chunkIndex(of lines: Range<Int>, _ side: MergeSide) -> Int {
        var (low, high) = (0, chunks.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if Self.lines(of: chunks[middle], side).upperBound <= lines.lowerBound {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    // MARK: A move and another, or none

    /// Lines of the chunk that both moved to places of their own would be there twice, and those that one side moved
    /// and the other one took away would be back as if nobody had.
    private mutating func settleMoves(_ index: Int, _ chunk: ThreeWay.Chunk, _ moves: Moves) {
        var isEmptied = true
        var start = chunk.base.lowerBound
        while start < chunk.base.upperBound {
            let count = moves.mine.runLength(of: start..<chunk.base.upperBound, with: moves.theirs)
            if !settle(start..<start + count, index, chunk, moves) { isEmptied = false }
            start += count
        }
        // Of the base nothing is left here to disagree about; what one side has put there is new.
        guard isEmptied, chunk.kind == .conflict else { return }
        if chunk.mine.isEmpty {
            settled[index] = .theirs
        } else if chunk.theirs.isEmpty {
            settled[index] = .mine
        }
    }

    /// Lines that share their fate on both sides.
    ///
    /// - Returns: Whether all is said of them, and the chunk that they were in has nothing to do with them.
    private mutating func settle(
        _ block: Range<Int>,
        _ index: Int,
        _ chunk: ThreeWay.Chunk,
        _ moves: Moves
    ) -> Bool {
        let (own, other) = (moves.mine.target(of: block), moves.theirs.target(of: block))
        if let own, let other {
            let (ownPlace, otherPlace) = (chunkIndex(of: own, .mine), chunkIndex(of: other, .theirs))
            if ownPlace == index || otherPlace == index {
                // Words would take the lines away here, and leave them at both of their new places.
                wordless.insert(index)
                return false
            }
            if ownPlace == otherPlace {
                // The place that both have moved them to is seen as a whole: they are there once.
                wordless.insert(ownPlace)
            } else {
                contest(block, own, other)
            }
            return true
        }
        if let own { return settle(block, movedTo: own, by: .mine, index, chunk, moves) }
        if let other { return settle(block, movedTo: other, by: .theirs, index, chunk, moves) }
        return false
    }

    /// Lines that one side moved, while the other one may have them nowhere.
    private mutating func settle(
        _ block: Range<Int>,
        movedTo target: Range<Int>,
        by mover: MergeSide,
        _ index: Int,
        _ chunk: ThreeWay.Chunk,
        _ moves: Moves
    ) -> Bool {
        let remover = Self.opposite(of: mover)
        guard moves.of(remover).isGone(block.lowerBound) else { return false }
        let rest = Self.lines(of: chunk, remover)
        guard chunkIndex(of: target, mover) != index, rest.isEmpty || chunk.kind == .same else {
            // They may have become what is there now: the whole place is a conflict.
            wordless.insert(index)
            return false
        }
        let nothing = rest.lowerBound..<rest.lowerBound
        contest(block, mover == .mine ? target : nothing, mover == .mine ? nothing : target)
        return true
    }

    /// A conflict about where lines are, if anywhere: only the standing side has its will.
    private mutating func contest(_ block: Range<Int>, _ own: Range<Int>, _ other: Range<Int>) {
        let yielding = Self.opposite(of: standing)
        let lines = yielding == .mine ? own : other
        if !lines.isEmpty {
            replacements[yielding, default: [:]][lines.lowerBound] = Replacement(lines: lines, others: 0..<0)
            // Words know nothing of what is left out.
            wordless.insert(chunkIndex(of: lines, yielding))
        }
        merged.conflicts.append(
            MergeConflict(
                base: base.part(block),
                mine: mine.part(own),
                theirs: theirs.part(other),
                standing: standing
            )
        )
    }
}

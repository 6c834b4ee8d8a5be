/// Merges texts line by line, and word by word where both changed the same lines.
///
/// - Changes of lines that touch each other, with no unchanged line between them, are one place, as git has it; their
///   words decide. Words merge when no two changes touch; else the whole place is a conflict.
/// - Lines that one side moved and the other one edited are edited where they are now. Lines that both moved to
///   different places are a conflict; they stay where the standing side put them.
/// - In a conflict one side's lines stand; see ``MergeSide/standing(mine:theirs:)``. It is the same side in all
///   conflicts of a text.
/// - Line ends belong to their lines. Bytes that are no UTF-8 are merged by line only. What has a zero byte, as
///   UTF-16 has, is no text here: it is merged as a whole, or a conflict.
///
/// - Of a place that has more than a mebibyte in all versions together, words are not looked at.
///
/// Takes time in proportion to the text's length, whatever is in it: 300,000 lines a second or two at worst.
public struct TextMerger: Merger {
    /// A merger without settings.
    public init() {}

    /// The merged text.
    public func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
        if let merged = MergedFile.ofUnchanged(base: base, mine: mine, theirs: theirs) { return merged }
        guard let base, [base, mine, theirs].allSatisfy({ $0.count <= Self.byteCountMax && !$0.contains(0) })
        else {
            return .inConflict(base: base, mine: mine, theirs: theirs)
        }
        var merge = TextMerge(base, mine, theirs)
        return merge.run()
    }

    /// Places in a text are numbers of 32 bits.
    private static let byteCountMax = Int(Int32.max)
}

/// One version of a text, by lines.
private struct LinedText {
    let bytes: [UInt8]
    let ends: [Int32]
    let numbers: [Int32]

    init(_ bytes: [UInt8], _ ends: [Int32], _ table: inout TokenTable) {
        self.bytes = bytes
        self.ends = ends
        numbers = table.numbers(of: bytes, ends: ends)
    }

    /// Where some lines lie.
    func range(_ lines: Range<Int>) -> Range<Int> { start(lines.lowerBound)..<start(lines.upperBound) }

    private func start(_ line: Int) -> Int { line == 0 ? 0 : Int(ends[line - 1]) }
}

private struct TextMerge {
    private let base: LinedText
    private let mine: LinedText
    private let theirs: LinedText
    private let numberCount: Int
    private let standing: MergeSide
    private var chunks: [ThreeWay.Chunk] = []
    /// Lines of a side that are left out, or have others in their place: of one that both moved, or the other edited.
    private var ownReplacements: [Int: Replacement] = [:]
    private var otherReplacements: [Int: Replacement] = [:]
    /// Chunks whose conflict is settled by a move; they take this side.
    private var settled: [Int: MergeSide] = [:]
    private var merged = MergedFile(contents: [])

    /// What stands in the place of lines: the other side's, or nothing.
    private struct Replacement {
        var lines: Range<Int>
        var others: Range<Int>
    }

    init(_ base: [UInt8], _ mine: [UInt8], _ theirs: [UInt8]) {
        let ends = [base, mine, theirs].map(TokenEnds.lines)
        var table = TokenTable(tokenCount: ends[0].count + ends[0].count / 4)
        self.base = LinedText(base, ends[0], &table)
        self.mine = LinedText(mine, ends[1], &table)
        self.theirs = LinedText(theirs, ends[2], &table)
        numberCount = table.count
        standing = .standing(mine: mine, theirs: theirs)
        merged.contents.reserveCapacity(max(mine.count, theirs.count) + base.count / 16)
    }

    mutating func run() -> MergedFile {
        let own = SequenceDifference.hunks(base.numbers, mine.numbers, numberCount: numberCount)
        let other = SequenceDifference.hunks(base.numbers, theirs.numbers, numberCount: numberCount)
        chunks = ThreeWay.chunks(base.numbers, (mine.numbers, own), (theirs.numbers, other))
        followMoves(own, other)
        for index in chunks.indices { append(chunks[index], index) }
        return merged
    }

    private mutating func append(_ chunk: ThreeWay.Chunk, _ index: Int) {
        switch settled[index].map({ $0 == .mine ? .onlyMine : .onlyTheirs }) ?? chunk.kind {
        case .unchanged, .same: append(mine, chunk.mine)
        case .onlyMine: append(mine, chunk.mine, ownReplacements, theirs)
        case .onlyTheirs: append(theirs, chunk.theirs, otherReplacements, mine)
        case .conflict:
            if let words = mergedWords(chunk) {
                merged.contents += words
            } else {
                conflict(chunk)
                if standing == .mine {
                    append(mine, chunk.mine, ownReplacements, theirs)
                } else {
                    append(theirs, chunk.theirs, otherReplacements, mine)
                }
            }
        }
    }

    private mutating func append(_ text: LinedText, _ lines: Range<Int>) {
        merged.contents += text.bytes[text.range(lines)]
    }

    private mutating func append(
        _ text: LinedText,
        _ lines: Range<Int>,
        _ replacements: [Int: Replacement],
        _ other: LinedText
    ) {
        guard !replacements.isEmpty else { return append(text, lines) }
        var line = lines.lowerBound
        while line < lines.upperBound {
            if let replacement = replacements[line], replacement.lines.upperBound <= lines.upperBound {
                append(other, replacement.others)
                line = replacement.lines.upperBound
            } else {
                append(text, line..<line + 1)
                line += 1
            }
        }
    }

    private mutating func conflict(_ chunk: ThreeWay.Chunk) {
        merged.conflicts.append(
            MergeConflict(
                base: part(base, chunk.base),
                mine: part(mine, chunk.mine),
                theirs: part(theirs, chunk.theirs),
                standing: standing
            )
        )
    }

    /// An empty part has a range, too: it says where something was taken away.
    private func part(_ text: LinedText, _ lines: Range<Int>) -> MergeConflict.Part {
        let range = text.range(lines)
        return MergeConflict.Part(range: range, bytes: Array(text.bytes[range]))
    }

    // MARK: Words

    /// A place that is larger is no place where two have worked on one sentence.
    private static let wordsByteCountMax = 1 << 20

    private func mergedWords(_ chunk: ThreeWay.Chunk) -> [UInt8]? {
        let byteCount =
            base.range(chunk.base).count + mine.range(chunk.mine).count + theirs.range(chunk.theirs).count
        guard byteCount <= Self.wordsByteCountMax else { return nil }
        let parts = [(base, chunk.base), (mine, chunk.mine), (theirs, chunk.theirs)].map { text, lines in
            Array(text.bytes[text.range(lines)])
        }
        guard parts.allSatisfy({ !$0.isEmpty && String(validating: $0, as: UTF8.self) != nil }) else {
            return nil
        }
        let ends = parts.map { TokenEnds.words($0) }
        var table = TokenTable(tokenCount: ends[0].count)
        let numbers = zip(parts, ends).map { table.numbers(of: $0, ends: $1) }
        let chunks = ThreeWay.chunks(numbers[0], numbers[1], numbers[2], numberCount: table.count)
        guard !chunks.contains(where: { $0.kind == .conflict }) else { return nil }
        var words: [UInt8] = []
        for chunk in chunks {
            let (version, tokens) = chunk.kind == .onlyTheirs ? (2, chunk.theirs) : (1, chunk.mine)
            let start = tokens.lowerBound == 0 ? 0 : Int(ends[version][tokens.lowerBound - 1])
            let end = tokens.upperBound == 0 ? 0 : Int(ends[version][tokens.upperBound - 1])
            words += parts[version][start..<end]
        }
        return words
    }

    // MARK: Moved blocks

    private mutating func followMoves(_ own: [SequenceDifference.Hunk], _ other: [SequenceDifference.Hunk]) {
        guard chunks.contains(where: { $0.kind == .conflict || $0.kind == .same }) else { return }
        let ownMoves = MovedBlocks(base.numbers, mine.numbers, own, numberCount: numberCount)
        let otherMoves = MovedBlocks(base.numbers, theirs.numbers, other, numberCount: numberCount)
        for (index, chunk) in chunks.enumerated() where !chunk.base.isEmpty {
            if chunk.kind == .conflict {
                followEdit(index, chunk, ownMoves, otherMoves)
            } else if chunk.kind == .same, chunk.mine.isEmpty {
                settleTwoMoves(chunk, ownMoves, otherMoves)
            }
        }
    }

    /// One side moved the chunk's lines, the other one edited them: they are edited where they are now.
    private mutating func followEdit(
        _ index: Int,
        _ chunk: ThreeWay.Chunk,
        _ ownMoves: MovedBlocks,
        _ otherMoves: MovedBlocks
    ) {
        if chunk.mine.isEmpty, isClosed(theirs, chunk.theirs), let target = ownMoves.target(of: chunk.base),
            isOwn(target, .onlyMine, \.mine)
        {
            ownReplacements[target.lowerBound] = Replacement(lines: target, others: chunk.theirs)
            settled[index] = .mine
        } else if chunk.theirs.isEmpty, isClosed(mine, chunk.mine),
            let target = otherMoves.target(of: chunk.base), isOwn(target, .onlyTheirs, \.theirs)
        {
            otherReplacements[target.lowerBound] = Replacement(lines: target, others: chunk.mine)
            settled[index] = .theirs
        }
    }

    /// Whether lines lie in a chunk that only their side has changed.
    private func isOwn(
        _ lines: Range<Int>,
        _ kind: ThreeWay.Chunk.Kind,
        _ side: KeyPath<ThreeWay.Chunk, Range<Int>>
    ) -> Bool {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle][keyPath: side].upperBound <= lines.lowerBound {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < chunks.count, chunks[low].kind == kind else { return false }
        let range = chunks[low][keyPath: side]
        return range.lowerBound <= lines.lowerBound && range.upperBound >= lines.upperBound
    }

    /// Lines that can stand before others: the last one has its line feed.
    private func isClosed(_ text: LinedText, _ lines: Range<Int>) -> Bool {
        let range = text.range(lines)
        return range.isEmpty || text.bytes[range.upperBound - 1] == 0x0A
    }

    /// Lines of the chunk that both moved to places of their own would be there twice.
    private mutating func settleTwoMoves(
        _ chunk: ThreeWay.Chunk,
        _ ownMoves: MovedBlocks,
        _ otherMoves: MovedBlocks
    ) {
        var start = chunk.base.lowerBound
        while start < chunk.base.upperBound {
            let rest = start..<chunk.base.upperBound
            let count = ownMoves.runLength(of: rest, with: otherMoves)
            settleTwoMoves(of: start..<start + count, ownMoves, otherMoves)
            start += max(1, count)
        }
    }

    private mutating func settleTwoMoves(
        of block: Range<Int>,
        _ ownMoves: MovedBlocks,
        _ otherMoves: MovedBlocks
    ) {
        guard let own = ownMoves.target(of: block), let other = otherMoves.target(of: block),
            isOwn(own, .onlyMine, \.mine), isOwn(other, .onlyTheirs, \.theirs)
        else { return }
        if standing == .mine {
            otherReplacements[other.lowerBound] = Replacement(lines: other, others: 0..<0)
        } else {
            ownReplacements[own.lowerBound] = Replacement(lines: own, others: 0..<0)
        }
        merged.conflicts.append(
            MergeConflict(
                base: part(base, block),
                mine: part(mine, own),
                theirs: part(theirs, other),
                standing: standing
            )
        )
    }
}

/// One version of a text, by lines.
struct LinedText {
    let bytes: [UInt8]
    let ends: [Int32]
    let numbers: [Int32]
    /// As it was given, line by line, where all lines have got other ends.
    private let given: (bytes: [UInt8], ends: [Int32])?

    /// - Parameter lineEnds: What all lines get for their ends; nil for those that they have.
    init(_ bytes: [UInt8], _ ends: [Int32], _ lineEnds: LineEnds?, _ table: inout TokenTable) {
        if let lineEnds, LineEnds(of: bytes, ends) != lineEnds {
            self.bytes = lineEnds.applied(to: bytes, ends)
            self.ends = TokenEnds.lines(self.bytes)
            given = (bytes, ends)
        } else {
            self.bytes = bytes
            self.ends = ends
            given = nil
        }
        numbers = table.numbers(of: self.bytes, ends: self.ends)
    }

    /// Where some lines lie.
    func range(_ lines: Range<Int>) -> Range<Int> { Self.range(lines, ends) }

    /// Some lines as they were given. An empty part has a range, too: it says where something was taken away.
    func part(_ lines: Range<Int>) -> MergeConflict.Part {
        let (bytes, ends) = given ?? (bytes, ends)
        let range = Self.range(lines, ends)
        return MergeConflict.Part(range: range, bytes: Array(bytes[range]))
    }

    private static func range(_ lines: Range<Int>, _ ends: [Int32]) -> Range<Int> {
        let start = { (line: Int) in line == 0 ? 0 : Int(ends[line - 1]) }
        return start(lines.lowerBound)..<start(lines.upperBound)
    }
}

/// Three versions of a text that become one, as ``TextMerger`` and ``MarkupMerger`` say.
struct TextMerge {
    /// What is taken from either side in a place that both have changed.
    enum Unit { case line, word }

    let base: LinedText
    let mine: LinedText
    let theirs: LinedText
    let numberCount: Int
    let standing: MergeSide
    private let unit: Unit
    private(set) var chunks: [ThreeWay.Chunk] = []
    /// Lines of a side, by the first of them, that are left out, or have others in their place: of one that both moved
    /// or the other took away, or that the other edited.
    var replacements: [MergeSide: [Int: Replacement]] = [:]
    /// Chunks whose conflict is settled by a move; they take this side.
    var settled: [Int: MergeSide] = [:]
    /// Chunks whose words say nothing, as lines have come there or gone from there.
    var wordless: Set<Int> = []
    var merged = MergedFile(contents: [])

    /// What stands in the place of lines: the other side's, or nothing.
    struct Replacement {
        var lines: Range<Int>
        var others: Range<Int>
    }

    /// Places in a text are numbers of 32 bits.
    private static let byteCountMax = Int(Int32.max)

    /// Merges three versions; what is no text is a conflict as a whole.
    static func merged(base: [UInt8]?, mine: [UInt8], theirs: [UInt8], by unit: Unit) -> MergedFile {
        if let merged = MergedFile.ofUnchanged(base: base, mine: mine, theirs: theirs) { return merged }
        guard let base, [base, mine, theirs].allSatisfy({ $0.count <= byteCountMax && !$0.contains(0) })
        else {
            return .inConflict(base: base, mine: mine, theirs: theirs)
        }
        let encodings = [TextEncoding(of: mine), TextEncoding(of: theirs)]
        guard TextEncoding.goTogether(encodings[0], encodings[1], unit) else {
            return .inConflict(base: base, mine: mine, theirs: theirs)
        }
        var merge = TextMerge(base, mine, theirs, unit)
        let merged = merge.run()
        // Torn where neither side is: nobody is given that.
        guard encodings.contains(.unknown) || TextEncoding(of: merged.contents) != .unknown else {
            return .inConflict(base: base, mine: mine, theirs: theirs)
        }
        return merged
    }

    private init(_ base: [UInt8], _ mine: [UInt8], _ theirs: [UInt8], _ unit: Unit) {
        let ends = [base, mine, theirs].map(TokenEnds.lines)
        var table = TokenTable(tokenCount: ends[0].count + ends[0].count / 4)
        let lineEnds = Self.changedLineEnds([base, mine, theirs], ends)
        self.base = LinedText(base, ends[0], lineEnds, &table)
        self.mine = LinedText(mine, ends[1], lineEnds, &table)
        self.theirs = LinedText(theirs, ends[2], lineEnds, &table)
        self.unit = unit
        numberCount = table.count
        standing = .standing(mine: mine, theirs: theirs)
        merged.contents.reserveCapacity(max(mine.count, theirs.count) + base.count / 16)
    }

    /// What one side has made all lines end with: it is what the other one's lines get, too.
    private static func changedLineEnds(_ versions: [[UInt8]], _ ends: [[Int32]]) -> LineEnds? {
        let areInRoom = zip(versions, ends).allSatisfy { $0.count + $1.count <= byteCountMax }
        guard areInRoom else { return nil }
        let found = zip(versions, ends).map { LineEnds(of: $0, $1) }
        return LineEnds.changed(from: found[0], mine: found[1], theirs: found[2])
    }

    private mutating func run() -> MergedFile {
        let own = SequenceDifference.hunks(base.numbers, mine.numbers, numberCount: numberCount)
        let other = SequenceDifference.hunks(base.numbers, theirs.numbers, numberCount: numberCount)
        chunks = ThreeWay.chunks(base.numbers, (mine.numbers, own), (theirs.numbers, other))
        followMoves(own, other)
        for index in chunks.indices { append(chunks[index], index) }
        return merged
    }

    // MARK: Sides

    func text(of side: MergeSide) -> LinedText { side == .mine ? mine : theirs }

    static func lines(of chunk: ThreeWay.Chunk, _ side: MergeSide) -> Range<Int> {
        side == .mine ? chunk.mine : chunk.theirs
    }

    static func opposite(of side: MergeSide) -> MergeSide { side == .mine ? .theirs : .mine }

    // MARK: Lines

    private mutating func append(_ chunk: ThreeWay.Chunk, _ index: Int) {
        if let side = settled[index] { return append(side, Self.lines(of: chunk, side)) }
        switch chunk.kind {
        case .unchanged, .same: copy(mine, chunk.mine)
        case .onlyMine: append(.mine, chunk.mine)
        case .onlyTheirs: append(.theirs, chunk.theirs)
        case .conflict:
            if unit == .word, !wordless.contains(index), let words = mergedWords(chunk) {
                merged.contents += words
            } else {
                conflict(chunk)
                append(standing, Self.lines(of: chunk, standing))
            }
        }
    }

    private mutating func copy(_ text: LinedText, _ lines: Range<Int>) {
        merged.contents += text.bytes[text.range(lines)]
    }

    /// A side's lines, with what stands in the place of some of them.
    private mutating func append(_ side: MergeSide, _ lines: Range<Int>) {
        let source = text(of: side)
        guard let replaced = replacements[side] else { return copy(source, lines) }
        var line = lines.lowerBound
        while line < lines.upperBound {
            if let replacement = replaced[line], replacement.lines.upperBound <= lines.upperBound {
                // Among what was edited may be lines that are left out themselves.
                append(Self.opposite(of: side), replacement.others)
                line = replacement.lines.upperBound
            } else {
                copy(source, line..<line + 1)
                line += 1
            }
        }
    }

    private mutating func conflict(_ chunk: ThreeWay.Chunk) {
        merged.conflicts.append(
            MergeConflict(
                base: base.part(chunk.base),
                mine: mine.part(chunk.mine),
                theirs: theirs.part(chunk.theirs),
                standing: standing
            )
        )
    }
}

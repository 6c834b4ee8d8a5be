/// Words of a place that both sides have changed.
extension TextMerge {
    /// A place that is larger is no place where two have worked on one sentence.
    private static let wordsByteCountMax = 1 << 20

    /// A place of one version, by words.
    private struct Worded {
        let bytes: [UInt8]
        let ends: [Int32]

        init(_ text: LinedText, _ lines: Range<Int>) {
            bytes = Array(text.bytes[text.range(lines)])
            ends = TokenEnds.words(bytes)
        }

        /// Where some words lie.
        func range(_ tokens: Range<Int>) -> Range<Int> { start(tokens.lowerBound)..<start(tokens.upperBound) }

        private func start(_ token: Int) -> Int { token == 0 ? 0 : Int(ends[token - 1]) }
    }

    /// What a place comes to if its words go together; nil where they do not.
    func mergedWords(_ chunk: ThreeWay.Chunk) -> [UInt8]? {
        let byteCount =
            base.range(chunk.base).count + mine.range(chunk.mine).count + theirs.range(chunk.theirs).count
        guard byteCount <= Self.wordsByteCountMax else { return nil }
        let parts = [Worded(base, chunk.base), Worded(mine, chunk.mine), Worded(theirs, chunk.theirs)]
        guard parts.allSatisfy({ !$0.bytes.isEmpty && String(validating: $0.bytes, as: UTF8.self) != nil })
        else { return nil }
        var table = TokenTable(tokenCount: parts[0].ends.count)
        let numbers = parts.map { table.numbers(of: $0.bytes, ends: $0.ends) }
        let chunks = ThreeWay.chunks(numbers[0], numbers[1], numbers[2], numberCount: table.count)
        guard !chunks.contains(where: { $0.kind == .conflict }),
            !Self.comeBack(chunks, parts[0], numbers, numberCount: table.count)
        else { return nil }
        var words: [UInt8] = []
        for chunk in chunks {
            let (version, tokens) = chunk.kind == .onlyTheirs ? (2, chunk.theirs) : (1, chunk.mine)
            words += parts[version].bytes[parts[version].range(tokens)]
        }
        return words
    }

    /// Whether words that both took away would be there all the same, as one side has them at another place, or each at one
    /// of its own.
    ///
    /// A word tells it that the base has once. One of a single letter tells nothing: it may as well be a new one.
    private static func comeBack(
        _ chunks: [ThreeWay.Chunk],
        _ base: Worded,
        _ numbers: [[Int32]],
        numberCount: Int
    ) -> Bool {
        guard chunks.contains(where: { $0.kind == .same && !$0.base.isEmpty }) else { return false }
        var counts = [Int](repeating: 0, count: numberCount)
        for number in numbers[0] { counts[Int(number)] += 1 }
        var taken: Set<Int32> = []
        for chunk in chunks where chunk.kind == .same {
            let kept = Set(numbers[1][chunk.mine])
            for token in chunk.base where counts[Int(numbers[0][token])] == 1 {
                let isWord = TokenEnds.isWord(base.bytes[base.range(token..<token + 1)])
                if isWord, !kept.contains(numbers[0][token]) { taken.insert(numbers[0][token]) }
            }
        }
        return chunks.contains { chunk in
            switch chunk.kind {
            case .onlyMine: !taken.isDisjoint(with: numbers[1][chunk.mine])
            case .onlyTheirs: !taken.isDisjoint(with: numbers[2][chunk.theirs])
            case .unchanged, .same, .conflict: false
            }
        }
    }
}

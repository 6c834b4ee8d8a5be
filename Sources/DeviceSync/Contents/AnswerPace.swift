internal import HubProtocol
internal import Vault

/// How many objects to ask a hub for at a time, so that an answer has about as many bytes as are wanted. Pure.
///
/// What those of one kind come to says nothing of another: a list of pieces is short, and the pieces are long.
struct AnswerPace {
    private let answerByteCount: Int
    /// How many bytes are to come with the next answer; for a line that breaks, fewer than usual.
    var wantedByteCount: Int
    /// How many sealed bytes an object of a kind has, as far as that is known.
    private var expected: [ObjectKind: Int] = [:]

    /// So many objects of a kind are asked for at first.
    private static let firstCount = 32

    /// - Parameters:
    ///   - answerByteCount: How many bytes are to come with an answer.
    ///   - byteCounts: How many the documents have that are to come, as far as that is known: of small ones that is how long the
    ///     pieces are. Large ones have many pieces, of a usual length.
    init(answerByteCount: Int, ofDocuments byteCounts: [UInt64] = []) {
        (self.answerByteCount, wantedByteCount) = (answerByteCount, answerByteCount)
        let usual = UInt64(byteCount(of: .chunk))
        guard !byteCounts.isEmpty else { return }
        let known = byteCounts.map { min($0, Self.documentByteCountMax) }
        let pieceCount = known.reduce(0) { $0 + max(1, $1 / usual) }
        expected[.chunk] = Int(max(1, min(usual, known.reduce(0, +) / pieceCount)))
    }

    /// Larger documents, of which others say how large they are, count for no more.
    private static let documentByteCountMax: UInt64 = 64 << 20

    private func byteCount(of kind: ObjectKind) -> Int {
        expected[kind] ?? max(1, answerByteCount / Self.firstCount)
    }

    /// Those to be asked for next: one at least, if there is any.
    func first(of objects: some Sequence<VaultObject>) -> [VaultObject] {
        var (found, byteCount): ([VaultObject], Int) = ([], 0)
        for object in objects {
            guard byteCount < wantedByteCount, found.count < HubLimits.blobNameCountMax else { break }
            found.append(object)
            byteCount += self.byteCount(of: object.kind)
        }
        return found
    }

    /// Notes what has come with an answer.
    mutating func note(_ objects: some Sequence<(kind: ObjectKind, byteCount: Int)>) {
        var sums: [ObjectKind: (count: Int, byteCount: Int)] = [:]
        for (kind, byteCount) in objects {
            let sum = sums[kind] ?? (0, 0)
            sums[kind] = (sum.count + 1, sum.byteCount + byteCount)
        }
        for (kind, sum) in sums {
            // Small ones may be followed by large ones: twice as many as before are asked for at most.
            expected[kind] = max(sum.byteCount / sum.count, byteCount(of: kind) / 2, 1)
        }
    }
}

import SeededNumbers

/// One thing that happens in a world; what it happens to is picked by numbers, so that a program means something
/// also when some of its steps are left out.
package struct Step: Hashable, Sendable {
    /// What happens.
    enum Kind: UInt8, CaseIterable {
        case request, nest, sibling, present, removePresenter, cancel, expire, move, answerLate, crash
        case answer, answerWriting, end
    }

    let kind: Kind
    let choices: UInt64

    /// A program of random steps.
    package static func program(seed: UInt64, count: Int) -> [Step] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in
            let kind = weighted[Int(random.next() % UInt64(weighted.count))]
            return Step(kind: kind, choices: random.next())
        }
    }

    /// Each kind as often as it is to be likely.
    private static let weighted: [Kind] = {
        let weights: [(Kind, Int)] = [
            (.request, 28), (.nest, 8), (.sibling, 3), (.present, 7), (.removePresenter, 2), (.cancel, 3),
            (.expire, 2), (.move, 3), (.answerLate, 3), (.crash, 1), (.answer, 18), (.answerWriting, 8),
            (.end, 18),
        ]
        return weights.flatMap { Array(repeating: $0.0, count: $0.1) }
    }()
}

/// A number from which several small choices are taken.
struct Choices {
    private var generator: SplitMix64

    init(_ number: UInt64) {
        generator = SplitMix64(seed: number)
    }

    mutating func below(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

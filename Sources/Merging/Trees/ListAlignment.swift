/// Three versions of a list, laid over each other element by element.
///
/// An element is its value and the comments before it. Elements are numbered for this list alone: comparing it costs by
/// its own length, and not by what is in the whole file.
struct ListAlignment {
    let old: SourceNode?
    let own: SourceNode
    let other: SourceNode
    /// The base's elements.
    let base: [Int32]
    let chunks: [ThreeWay.Chunk]
    private let mine: [Int32]
    private let theirs: [Int32]
    private let numbers: [Element: Int32]
    /// By number: where an element is that is once in every version; nil for all others.
    private let constants: [Constant?]
    /// Elements that one side moved and the other one has nowhere, in the order of the base.
    let strays: [Stray]
    /// By index in the base: whether a side has something else in the element's place.
    private let isChangedInMine: [Bool]
    private let isChangedInTheirs: [Bool]
    /// How many of the base's dictionaries have a field; empty where nobody will ask.
    private let fieldCounts: [Field: Int]

    private struct Element: Hashable {
        let number: Int32
        let remarks: [UInt8]

        init(_ member: SourceNode.Member) {
            number = member.value.number
            remarks = member.remarks
        }
    }

    /// A key with its value.
    private struct Field: Hashable {
        let key: [UInt8]
        let number: Int32
    }

    /// Where an element is that is once in every version.
    struct Constant {
        let base: Int
        let mine: Int
        let theirs: Int
    }

    /// An element that is once in the base, elsewhere on one side, once, and nowhere on the other: taken away there, or edited.
    struct Stray {
        let number: Int32
        let base: Int
        let mover: MergeSide
        /// Where the mover has it.
        let place: Int
    }

    /// The indices of elements that are in each other's place.
    struct Pair {
        let base: Int
        let mine: Int
        let theirs: Int
    }

    init(_ old: SourceNode?, _ own: SourceNode, _ other: SourceNode) {
        var known: [Element: Int32] = [:]
        let base = Self.numbers(old, &known)
        let mine = Self.numbers(own, &known)
        let theirs = Self.numbers(other, &known)
        let ownHunks = SequenceDifference.hunks(base, mine, numberCount: known.count)
        let otherHunks = SequenceDifference.hunks(base, theirs, numberCount: known.count)
        let places = [base, mine, theirs].map { Self.places($0, known.count) }
        let chunks = ThreeWay.chunks(base, (mine, ownHunks), (theirs, otherHunks))
        (self.old, self.own, self.other) = (old, own, other)
        (self.base, self.mine, self.theirs) = (base, mine, theirs)
        self.chunks = chunks
        numbers = known
        constants = (0..<known.count).map { number -> Constant? in
            guard let inBase = places[0][number], let inMine = places[1][number],
                let inTheirs = places[2][number]
            else { return nil }
            return Constant(base: inBase, mine: inMine, theirs: inTheirs)
        }
        let (changedInMine, changedInTheirs) = (
            Self.changed(base.count, ownHunks), Self.changed(base.count, otherHunks)
        )
        (isChangedInMine, isChangedInTheirs) = (changedInMine, changedInTheirs)
        let (isInMine, isInTheirs) = (Set(mine), Set(theirs))
        strays = base.indices.compactMap { index in
            let number = base[index]
            guard places[0][Int(number)] != nil else { return nil }
            if changedInMine[index], let place = places[1][Int(number)], !isInTheirs.contains(number) {
                return Stray(number: number, base: index, mover: .mine, place: place)
            }
            if changedInTheirs[index], let place = places[2][Int(number)], !isInMine.contains(number) {
                return Stray(number: number, base: index, mover: .theirs, place: place)
            }
            return nil
        }
        let isAsked = chunks.contains { $0.kind == .conflict && $0.isPaired }
        fieldCounts = isAsked ? Self.fieldCounts(old) : [:]
    }

    private static func numbers(_ node: SourceNode?, _ known: inout [Element: Int32]) -> [Int32] {
        var numbers: [Int32] = []
        for member in node?.members ?? [] {
            let element = Element(member)
            let number = known[element] ?? Int32(known.count)
            known[element] = number
            numbers.append(number)
        }
        return numbers
    }

    /// By number: where the only element is that has it; nil for none, and for several.
    private static func places(_ numbers: [Int32], _ count: Int) -> [Int?] {
        var places = [Int?](repeating: nil, count: count)
        var isSeen = [Bool](repeating: false, count: count)
        for (index, number) in numbers.enumerated() {
            places[Int(number)] = isSeen[Int(number)] ? nil : index
            isSeen[Int(number)] = true
        }
        return places
    }

    private static func changed(_ count: Int, _ hunks: [SequenceDifference.Hunk]) -> [Bool] {
        var isChanged = [Bool](repeating: false, count: count)
        for hunk in hunks {
            for index in hunk.old { isChanged[index] = true }
        }
        return isChanged
    }

    // MARK: Moves

    /// Where an element is that is once in every version; nil for all others.
    func constant(_ number: Int32) -> Constant? { constants[Int(number)] }

    /// The number of an element, if it is once in every version.
    func constantNumber(_ member: SourceNode.Member) -> Int32? {
        guard let number = number(member), constant(number) != nil else { return nil }
        return number
    }

    /// The number of an element of any version.
    func number(_ member: SourceNode.Member) -> Int32? { numbers[Element(member)] }

    /// Who has moved an element that is once in every version.
    func movers(of element: Constant) -> [MergeSide] {
        var movers: [MergeSide] = []
        if isChangedInMine[element.base] { movers.append(.mine) }
        if isChangedInTheirs[element.base] { movers.append(.theirs) }
        return movers
    }

    /// Whether any element that is once in every version is elsewhere on a side.
    var hasMoves: Bool { constants.contains { $0.map { !movers(of: $0).isEmpty } ?? false } }

    // MARK: Pairs

    /// The elements of a place that both changed, if each is in the place of the one at the same offset in the other
    /// versions: nothing came or went there, and nothing was moved there or away.
    func pairs(_ chunk: ThreeWay.Chunk) -> [Pair]? {
        let elements = base[chunk.base] + mine[chunk.mine] + theirs[chunk.theirs]
        guard chunk.isPaired, elements.allSatisfy({ constant($0) == nil }) else { return nil }
        return (0..<chunk.base.count).map { offset in
            Pair(
                base: chunk.base.lowerBound + offset,
                mine: chunk.mine.lowerBound + offset,
                theirs: chunk.theirs.lowerBound + offset
            )
        }
    }

    /// The numbers of a pair's elements.
    func elements(_ pair: Pair) -> (base: Int32, mine: Int32, theirs: Int32) {
        (base[pair.base], mine[pair.mine], theirs[pair.theirs])
    }

    /// Whether both sides' elements are the base's one, edited, and not others that were put in its place.
    ///
    /// A dictionary that both changed shows it by something that only this one had: each side has left some of it. Of
    /// one that had nothing of its own, and of values and lists, the place is all there is to go by.
    func isEdited(_ pair: Pair) -> Bool {
        let (oldNumber, ownNumber, otherNumber) = (base[pair.base], mine[pair.mine], theirs[pair.theirs])
        if ownNumber == oldNumber || otherNumber == oldNumber || ownNumber == otherNumber { return true }
        guard let old else { return true }
        let element = old.members[pair.base].value
        let sides = [own.members[pair.mine].value, other.members[pair.theirs].value]
        guard element.kind == .dictionary, sides.allSatisfy({ $0.kind == .dictionary }) else { return true }
        let telling = Self.fields(element).filter { fieldCounts[$0] == 1 }
        return telling.isEmpty || sides.allSatisfy { !telling.isDisjoint(with: Self.fields($0)) }
    }

    private static func fields(_ node: SourceNode) -> Set<Field> {
        Set(node.members.map { Field(key: $0.key, number: $0.value.number) })
    }

    private static func fieldCounts(_ node: SourceNode?) -> [Field: Int] {
        var counts: [Field: Int] = [:]
        for member in node?.members ?? [] where member.value.kind == .dictionary {
            for field in fields(member.value) { counts[field, default: 0] += 1 }
        }
        return counts
    }
}

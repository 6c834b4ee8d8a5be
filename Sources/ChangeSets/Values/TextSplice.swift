/// A change of a text that goes together with others' changes of it: characters taken away, characters put in.
///
/// Every character has a name of its own for ever: the change that put it in, and its place in what that change put
/// in. So what two devices write into one text at the same time is all there, each one's in one piece.
public struct TextSplice: Hashable, Sendable {
    /// Characters that one change put in, one behind the other.
    public struct Run: Hashable, Sendable {
        /// Who put them in.
        public let device: DeviceID
        /// The number of the change.
        public let sequence: UInt64
        /// The places of the scalars in what the change put in.
        public let offsets: Range<Int>
    }

    /// Some scalars, and where they are put in.
    public struct Insertion: Hashable, Sendable {
        /// The scalar before them: the last of the run; nil for the start of the text.
        public let after: Run?
        /// What is put in; not empty.
        public let text: String
    }

    /// What is taken away.
    public let deletions: [Run]
    /// What is put in.
    public let insertions: [Insertion]
}

extension ByteWriter {
    mutating func splice(_ splice: TextSplice) {
        number(splice.deletions.count)
        for run in splice.deletions { self.run(run) }
        number(splice.insertions.count)
        for insertion in splice.insertions {
            byte(insertion.after == nil ? 0 : 1)
            if let after = insertion.after { run(after) }
            text(insertion.text)
        }
    }

    private mutating func run(_ run: TextSplice.Run) {
        device(run.device)
        number(run.sequence)
        number(run.offsets.lowerBound)
        number(run.offsets.count)
    }
}

extension ByteReader {
    mutating func splice() throws(ChangeSetError) -> TextSplice {
        var deletions: [TextSplice.Run] = []
        for _ in 0..<(try count(ofAtLeast: 19)) { deletions.append(try run()) }
        var insertions: [TextSplice.Insertion] = []
        for _ in 0..<(try count(ofAtLeast: 3)) {
            let flag = try byte()
            guard flag < 2 else { throw .malformed("a flag that is neither 0 nor 1") }
            let after = flag == 1 ? try run() : nil
            let text = try text()
            guard !text.isEmpty else { throw .malformed("an insertion of nothing") }
            insertions.append(TextSplice.Insertion(after: after, text: text))
        }
        return TextSplice(deletions: deletions, insertions: insertions)
    }

    private mutating func run() throws(ChangeSetError) -> TextSplice.Run {
        let (device, sequence) = (try device(), try sequence())
        let (first, count) = (try number(), try number())
        let limit = UInt64(ChangeLimits.itemCountMax)
        guard first < limit, count > 0, count <= limit - first else {
            throw .malformed("a place in a text out of range")
        }
        return TextSplice.Run(device: device, sequence: sequence, offsets: Int(first)..<Int(first + count))
    }
}

extension TextSplice {
    /// The splice as a value of a stored edit.
    var value: ChangeValue {
        var writer = ByteWriter()
        writer.splice(self)
        return .bytes(writer.bytes)
    }

    init(_ value: ChangeValue) throws(ChangeSetError) {
        guard case .bytes(let bytes) = value else { throw .malformed("a change of a text that is none") }
        var reader = ByteReader(bytes)
        self = try reader.splice()
        try reader.end()
        try checkCounts()
    }

    /// How many scalars it puts in.
    var insertedCount: Int { insertions.reduce(0) { $0 + $1.text.unicodeScalars.count } }

    /// How many scalars it takes away.
    var deletedCount: Int { deletions.reduce(0) { $0 + $1.offsets.count } }

    /// - Throws: `beyondLimit` for what no reader takes.
    func checkCounts() throws(ChangeSetError) {
        guard max(insertedCount, deletedCount) <= ChangeLimits.spliceCountMax else {
            throw .beyondLimit("scalars of a change of a text", ChangeLimits.spliceCountMax)
        }
    }
}

extension TextSplice {
    /// The same in parts, none of which puts in or takes away more than so many scalars: edits of one change set, in this
    /// order, which change nothing else of the text. What they put in has the names that it would have in one piece.
    ///
    /// - Parameters:
    ///   - countMax: At least 1.
    ///   - device: Whose change set it is.
    ///   - sequence: The change set's number: a part goes on behind what the one before it has put in.
    func parts(ofAtMost countMax: Int, by device: DeviceID, _ sequence: UInt64) -> [TextSplice] {
        guard max(insertedCount, deletedCount) > countMax else { return [self] }
        let deletions = deletionParts(ofAtMost: countMax)
        let insertions = insertionParts(ofAtMost: countMax, by: device, sequence)
        return (0..<max(deletions.count, insertions.count)).map { index in
            TextSplice(
                deletions: index < deletions.count ? deletions[index] : [],
                insertions: index < insertions.count ? [insertions[index]] : []
            )
        }
    }

    private func deletionParts(ofAtMost countMax: Int) -> [[Run]] {
        var parts: [[Run]] = []
        var room = 0
        for run in deletions {
            var start = run.offsets.lowerBound
            while start < run.offsets.upperBound {
                if room == 0 {
                    parts.append([])
                    room = countMax
                }
                let end = min(run.offsets.upperBound, start + room)
                let part = Run(device: run.device, sequence: run.sequence, offsets: start..<end)
                parts[parts.count - 1].append(part)
                room -= end - start
                start = end
            }
        }
        return parts
    }

    private func insertionParts(
        ofAtMost countMax: Int,
        by device: DeviceID,
        _ sequence: UInt64
    ) -> [Insertion] {
        var parts: [Insertion] = []
        var offset = 0
        for insertion in insertions {
            var after = insertion.after
            var rest = insertion.text.unicodeScalars[...]
            while !rest.isEmpty {
                let part = rest.prefix(countMax)
                parts.append(Insertion(after: after, text: String(part)))
                offset += part.count
                after = Run(device: device, sequence: sequence, offsets: offset - 1..<offset)
                rest = rest[part.endIndex...]
            }
        }
        return parts
    }
}

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
        let insertedCount = insertions.reduce(0) { $0 + $1.text.unicodeScalars.count }
        let deletedCount = deletions.reduce(0) { $0 + $1.offsets.count }
        guard max(insertedCount, deletedCount) <= ChangeLimits.spliceCountMax else {
            throw .beyondLimit("scalars of a change of a text", ChangeLimits.spliceCountMax)
        }
    }
}

/// How the lines of a text end.
enum LineEnds: Hashable {
    /// The text has one line at most, which does not end.
    case none
    /// All with a line feed alone.
    case lineFeed
    /// All with a carriage return before it, as on Windows.
    case carriageReturn
    /// Some so, some so.
    case mixed

    /// - Parameter ends: Where lines end, as of `TokenEnds.lines`.
    init(of bytes: [UInt8], _ ends: [Int32]) {
        var found = LineEnds.none
        for end in ends where bytes[Int(end) - 1] == Self.feed {
            let next = end > 1 && bytes[Int(end) - 2] == Self.carriage ? LineEnds.carriageReturn : .lineFeed
            guard found == .none || found == next else {
                self = .mixed
                return
            }
            found = next
        }
        self = found
    }

    /// What all lines of a merged text are to end with, where one side has changed that of the whole text; nil for as they are.
    static func changed(from base: LineEnds, mine: LineEnds, theirs: LineEnds) -> LineEnds? {
        guard base == .lineFeed || base == .carriageReturn, mine != .mixed, theirs != .mixed else {
            return nil
        }
        return [mine, theirs].first { $0 != base && $0 != .none }
    }

    /// A text with all its lines, of one kind or another, ending so.
    func applied(to bytes: [UInt8], _ ends: [Int32]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + ends.count)
        var start = 0
        for end in ends {
            var line = bytes[start..<Int(end)]
            start = Int(end)
            guard line.last == Self.feed else {
                text += line
                continue
            }
            line.removeLast()
            if line.last == Self.carriage { line.removeLast() }
            text += line
            if self == .carriageReturn { text.append(Self.carriage) }
            text.append(Self.feed)
        }
        return text
    }

    private static let feed = UInt8(ascii: "\n")
    private static let carriage = UInt8(ascii: "\r")
}

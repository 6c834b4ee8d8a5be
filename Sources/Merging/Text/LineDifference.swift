/// How two texts differ, line by line, for people to look at.
package struct LineDifference: Hashable, Sendable {
    /// A stretch of lines: the same on both sides, or the one side's in the place of the other's.
    package struct Stretch: Hashable, Sendable {
        package let isSame: Bool
        /// The lines with their ends; empty where this side has none.
        package let mine: String
        /// The same of the other side.
        package let theirs: String
    }

    /// All of both texts, in order.
    package let stretches: [Stretch]

    /// Compares two texts; bytes that are no UTF-8 are shown as replacement characters.
    ///
    /// - Parameters:
    ///   - mine: This device's, less than 2 GiB.
    ///   - theirs: The other one.
    package init(mine: [UInt8], theirs: [UInt8]) {
        let (mineEnds, theirEnds) = (TokenEnds.lines(mine), TokenEnds.lines(theirs))
        var table = TokenTable(tokenCount: mineEnds.count)
        let own = table.numbers(of: mine, ends: mineEnds)
        let other = table.numbers(of: theirs, ends: theirEnds)
        let hunks = SequenceDifference.hunks(own, other, numberCount: table.count)

        func text(_ bytes: [UInt8], _ ends: [Int32], _ lines: Range<Int>) -> String {
            guard !lines.isEmpty else { return "" }
            let start = lines.lowerBound == 0 ? 0 : Int(ends[lines.lowerBound - 1])
            return String(decoding: bytes[start..<Int(ends[lines.upperBound - 1])], as: UTF8.self)
        }
        func stretch(_ isSame: Bool, _ old: Range<Int>, _ new: Range<Int>) -> Stretch {
            Stretch(isSame: isSame, mine: text(mine, mineEnds, old), theirs: text(theirs, theirEnds, new))
        }
        var stretches: [Stretch] = []
        var (ownLine, otherLine) = (0, 0)
        for hunk in hunks {
            if ownLine < hunk.old.lowerBound {
                stretches.append(
                    stretch(true, ownLine..<hunk.old.lowerBound, otherLine..<hunk.new.lowerBound)
                )
            }
            stretches.append(stretch(false, hunk.old, hunk.new))
            (ownLine, otherLine) = (hunk.old.upperBound, hunk.new.upperBound)
        }
        if ownLine < own.count || otherLine < other.count {
            stretches.append(stretch(true, ownLine..<own.count, otherLine..<other.count))
        }
        self.stretches = stretches
    }
}

/// What differs between two sequences of numbers: patience first, then Myers in linear space, with a bound on what it
/// may cost.
///
/// Lines that occur once on both sides are anchors; between them the shortest way is looked for, up to a limit. Past
/// it, the sequences are cut where the search got furthest, from whichever end that was: no search has gone over more
/// than that on each of its ways, and between there and the end few edits are left to find. So time is at most some
/// hundred steps an element and memory a few words an element, for any input.
struct SequenceDifference {
    /// A run of the one sequence in whose place there is a run of the other.
    struct Hunk: Hashable {
        var old: Range<Int>
        var new: Range<Int>
    }

    private let old: [Int32]
    private let new: [Int32]
    private var isOldChanged: [Bool]
    private var isNewChanged: [Bool]
    private var regions: [Region] = []
    private var search: MiddleSearch
    /// By number: how often it occurs in the region at hand, and where last. Zero between regions.
    private var oldCounts: [UInt8]
    private var newCounts: [UInt8]
    private var newPlaces: [Int32]

    /// Anchors are looked for so often inside each other; then only Myers is left.
    private static let anchorDepthMax = 12

    private struct Region {
        var old: Range<Int>
        var new: Range<Int>
        var depth: Int
    }

    /// - Parameters:
    ///   - numberCount: All numbers are below it.
    ///   - anchored: Whether to look for anchors first; without, the way is the shortest, within limits.
    static func hunks(_ old: [Int32], _ new: [Int32], numberCount: Int, anchored: Bool = true) -> [Hunk] {
        var difference = SequenceDifference(old, new, numberCount)
        difference.run(anchored)
        return difference.collected()
    }

    /// How many steps the searches for the shortest way take: what the time is in proportion to.
    static func stepCount(_ old: [Int32], _ new: [Int32], numberCount: Int) -> Int {
        var difference = SequenceDifference(old, new, numberCount)
        difference.run(true)
        return difference.search.stepCount
    }

    private init(_ old: [Int32], _ new: [Int32], _ numberCount: Int) {
        self.old = old
        self.new = new
        isOldChanged = Array(repeating: false, count: old.count)
        isNewChanged = Array(repeating: false, count: new.count)
        search = MiddleSearch()
        oldCounts = Array(repeating: 0, count: numberCount)
        newCounts = Array(repeating: 0, count: numberCount)
        newPlaces = Array(repeating: 0, count: numberCount)
    }

    private mutating func run(_ anchored: Bool) {
        let depth = anchored ? 0 : Self.anchorDepthMax
        regions.append(Region(old: 0..<old.count, new: 0..<new.count, depth: depth))
        while let region = regions.popLast() { divide(trimmed(region)) }
    }

    /// Without what is the same at both ends.
    private func trimmed(_ region: Region) -> Region {
        var (oldStart, oldEnd) = (region.old.lowerBound, region.old.upperBound)
        var (newStart, newEnd) = (region.new.lowerBound, region.new.upperBound)
        while oldStart < oldEnd, newStart < newEnd, old[oldStart] == new[newStart] {
            oldStart += 1
            newStart += 1
        }
        while oldStart < oldEnd, newStart < newEnd, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        return Region(old: oldStart..<oldEnd, new: newStart..<newEnd, depth: region.depth)
    }

    private mutating func divide(_ region: Region) {
        guard !region.old.isEmpty, !region.new.isEmpty else { return markChanged(region) }
        guard let anchors = region.depth < Self.anchorDepthMax ? anchors(region) : [] else {
            return markChanged(region)
        }
        if anchors.isEmpty {
            let (oldCut, newCut) = search.middle(old, region.old, new, region.new)
            let isAtStart = oldCut == region.old.lowerBound && newCut == region.new.lowerBound
            let isAtEnd = oldCut == region.old.upperBound && newCut == region.new.upperBound
            // A cut in the middle is what makes this end; the search gives no other.
            guard !isAtStart, !isAtEnd else { return markChanged(region) }
            let depth = Self.anchorDepthMax
            regions.append(
                Region(old: region.old.lowerBound..<oldCut, new: region.new.lowerBound..<newCut, depth: depth)
            )
            regions.append(
                Region(old: oldCut..<region.old.upperBound, new: newCut..<region.new.upperBound, depth: depth)
            )
            return
        }
        var (oldStart, newStart) = (region.old.lowerBound, region.new.lowerBound)
        for anchor in anchors {
            push(oldStart..<anchor.old, newStart..<anchor.new, region.depth + 1)
            (oldStart, newStart) = (anchor.old + 1, anchor.new + 1)
        }
        push(oldStart..<region.old.upperBound, newStart..<region.new.upperBound, region.depth + 1)
    }

    private mutating func markChanged(_ region: Region) {
        for index in region.old { isOldChanged[index] = true }
        for index in region.new { isNewChanged[index] = true }
    }

    private mutating func push(_ old: Range<Int>, _ new: Range<Int>, _ depth: Int) {
        guard !old.isEmpty || !new.isEmpty else { return }
        regions.append(Region(old: old, new: new, depth: depth))
    }

    /// Pairs of elements that occur once on each side, as many as come in the same order; nil when the sides share
    /// nothing, which a search would find out much later.
    private mutating func anchors(_ region: Region) -> [(old: Int, new: Int)]? {
        for index in region.old { oldCounts[Int(old[index])] = min(2, oldCounts[Int(old[index])] + 1) }
        for index in region.new {
            let number = Int(new[index])
            newCounts[number] = min(2, newCounts[number] + 1)
            newPlaces[number] = Int32(index)
        }
        var pairs: [(old: Int, new: Int)] = []
        var isShared = false
        for index in region.old {
            let number = Int(old[index])
            if newCounts[number] > 0 { isShared = true }
            if oldCounts[number] == 1, newCounts[number] == 1 {
                pairs.append((index, Int(newPlaces[number])))
            }
        }
        for index in region.old { oldCounts[Int(old[index])] = 0 }
        for index in region.new { newCounts[Int(new[index])] = 0 }
        return isShared ? Self.longestAscending(pairs) : nil
    }

    /// The longest run of pairs whose places ascend on both sides, by patience sorting.
    private static func longestAscending(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
        var tops: [Int] = []
        var before = [Int](repeating: -1, count: pairs.count)
        for index in pairs.indices {
            var (low, high) = (0, tops.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[tops[middle]].new < pairs[index].new { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[index] = tops[low - 1] }
            if low == tops.count { tops.append(index) } else { tops[low] = index }
        }
        var (chain, next) = ([(old: Int, new: Int)](), tops.last ?? -1)
        while next >= 0 {
            chain.append(pairs[next])
            next = before[next]
        }
        return chain.reversed()
    }

    private func collected() -> [Hunk] {
        var hunks: [Hunk] = []
        var (oldIndex, newIndex) = (0, 0)
        while oldIndex < old.count || newIndex < new.count {
            let (oldStart, newStart) = (oldIndex, newIndex)
            while oldIndex < old.count, isOldChanged[oldIndex] { oldIndex += 1 }
            while newIndex < new.count, isNewChanged[newIndex] { newIndex += 1 }
            if oldIndex > oldStart || newIndex > newStart {
                hunks.append(Hunk(old: oldStart..<oldIndex, new: newStart..<newIndex))
            } else {
                oldIndex += 1
                newIndex += 1
            }
        }
        return hunks
    }
}

/// Myers' search for the middle of a shortest way, from both ends at once.
private struct MiddleSearch {
    /// Edits from each end before the search gives up.
    private static let editCountMax = 100
    private static let unreached = -1_000_000_000
    private var forward = [Int](repeating: 0, count: 2 * editCountMax + 3)
    private var backward = [Int](repeating: 0, count: 2 * editCountMax + 3)
    private static let zero = editCountMax + 1
    /// Ways looked at, and elements gone over on them, in all searches.
    private(set) var stepCount = 0

    /// Where to cut two sequences that share neither their first nor their last element. Never at both ends of both.
    mutating func middle(
        _ old: [Int32],
        _ oldRange: Range<Int>,
        _ new: [Int32],
        _ newRange: Range<Int>
    ) -> (old: Int, new: Int) {
        let (oldCount, newCount) = (oldRange.count, newRange.count)
        let (oldStart, newStart) = (oldRange.lowerBound, newRange.lowerBound)
        let difference = oldCount - newCount
        for index in forward.indices {
            forward[index] = Self.unreached
            backward[index] = Self.unreached
        }
        forward[Self.zero + 1] = 0
        backward[Self.zero + 1] = 0
        for edits in 0...Self.editCountMax {
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                var x = Self.step(forward, diagonal, edits, oldCount, newCount)
                if x >= 0 {
                    let start = x
                    var y = x - diagonal
                    while x < oldCount, y < newCount, old[oldStart + x] == new[newStart + y] {
                        x += 1
                        y += 1
                    }
                    stepCount += 1 + x - start
                }
                forward[Self.zero + diagonal] = x
                let other = difference - diagonal
                if difference & 1 != 0, x >= 0, abs(other) < edits,
                    x + backward[Self.zero + other] >= oldCount
                {
                    return (oldStart + x, newStart + x - diagonal)
                }
            }
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                var x = Self.step(backward, diagonal, edits, oldCount, newCount)
                if x >= 0 {
                    let start = x
                    var y = x - diagonal
                    let (oldLast, newLast) = (oldRange.upperBound - 1, newRange.upperBound - 1)
                    while x < oldCount, y < newCount, old[oldLast - x] == new[newLast - y] {
                        x += 1
                        y += 1
                    }
                    stepCount += 1 + x - start
                }
                backward[Self.zero + diagonal] = x
                let other = difference - diagonal
                if difference & 1 == 0, x >= 0, abs(other) <= edits,
                    x + forward[Self.zero + other] >= oldCount
                {
                    return (oldRange.upperBound - x, newRange.upperBound - (x - diagonal))
                }
            }
        }
        return furthest(oldRange, newRange)
    }

    /// The next place on a diagonal; below 0 where it leads out of the sequences.
    private static func step(
        _ reached: [Int],
        _ diagonal: Int,
        _ edits: Int,
        _ oldCount: Int,
        _ newCount: Int
    ) -> Int {
        let (left, right) = (reached[zero + diagonal - 1], reached[zero + diagonal + 1])
        let x = diagonal == -edits || (diagonal != edits && left < right) ? right : left + 1
        return x >= 0 && x <= oldCount && x - diagonal >= 0 && x - diagonal <= newCount ? x : unreached
    }

    /// Where the searches got furthest: from the start or from the end, whichever has gone over more.
    private func furthest(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> (old: Int, new: Int) {
        let (ahead, behind) = (Self.furthest(forward), Self.furthest(backward))
        if ahead.x + ahead.y >= behind.x + behind.y {
            return (oldRange.lowerBound + ahead.x, newRange.lowerBound + ahead.y)
        }
        return (oldRange.upperBound - behind.x, newRange.upperBound - behind.y)
    }

    /// How many elements of both the best way has gone over.
    private static func furthest(_ reached: [Int]) -> (x: Int, y: Int) {
        var best = (x: 0, y: 0)
        for (index, x) in reached.enumerated() where x >= 0 {
            let y = x - (index - zero)
            if y >= 0, x + y > best.x + best.y { best = (x, y) }
        }
        return best
    }
}

package import HubProtocol
package import Sync

/// Remembers what a device has read of a container's log, and says when a hub shows another one. Pure.
///
/// 1. `head` is the chain's end at the last entry that was read and found right.
/// 2. `marks` are places of the chain before it, ascending: all of the last ones, some of the others.
package struct LogWatch: Hashable, Sendable {
    /// How many of the last places are remembered.
    package static let recentCount: UInt64 = 4096
    /// Of those before, each that is divisible by this.
    package static let sparseStep: UInt64 = 1024

    /// What has been read.
    package private(set) var head: LogHead
    /// Places before, by position.
    package var marks: [LogHead] { sparse + recent }
    private var sparse: [LogHead]
    /// A slice, as the first leaves when one comes: of an array all others would move up for that.
    private var recent: ArraySlice<LogHead>
    private var chain: LogChain

    /// Nothing has been read.
    package init(of container: ContainerName) throws(SealingError) {
        do {
            chain = try LogChain(of: container)
        } catch { throw SealingError(.outOfMemory, "\(error)") }
        (head, sparse, recent) = (chain.head, [], [])
    }

    /// Goes on where a device had stopped.
    ///
    /// - Parameter marks: As they were kept; fewer do as well. The first should be position 0.
    package init(at head: LogHead, marks: [LogHead]) {
        let areBefore = marks.allSatisfy { $0.position < head.position }
        let marks = areBefore ? marks : marks.filter { $0.position < head.position }
        let start = marks.count { $0.position + Self.recentCount < head.position }
        (self.head, sparse, recent) = (head, Array(marks[..<start]), marks[start...])
        chain = LogChain(at: head)
    }

    /// What is remembered of a place; nil for one that is not, or has not been read.
    package func hash(at position: LogPosition) -> LogHash? {
        position == head.position
            ? head.hash
            : place(atOrBefore: position).flatMap { place in
                place.position == position ? place.hash : nil
            }
    }

    /// The last place at or before a position that is remembered.
    package func place(atOrBefore position: LogPosition) -> LogHead? {
        if position >= head.position { return head }
        return Self.last(of: recent, atOrBefore: position) ?? Self.last(of: sparse[...], atOrBefore: position)
    }

    private static func last(of places: ArraySlice<LogHead>, atOrBefore position: LogPosition) -> LogHead? {
        var (low, high) = (places.startIndex, places.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low > places.startIndex ? places[low - 1] : nil
    }

    /// What the hub's end of the log says by itself: nil where that is what was read, or comes after it.
    package func finding(_ hubHead: LogHead) -> LogFinding? {
        if let hash = hash(at: hubHead.position), hash != hubHead.hash {
            return .forked(last: place(before: hubHead.position))
        }
        guard hubHead.position < head.position else { return nil }
        return .rolledBack(last: place(atOrBefore: hubHead.position) ?? start)
    }

    private func place(before position: LogPosition) -> LogHead {
        position == 0 ? start : place(atOrBefore: position - 1) ?? start
    }

    /// The earliest place that is remembered.
    private var start: LogHead { sparse.first ?? recent.first ?? head }

    /// Reads the next entry, if the chain and the rule for commits allow it.
    ///
    /// - Parameter revision: The position of the last entry about the item; 0 for none.
    /// - Returns: Nil when it is fine; then it has been read.
    mutating func read(_ entry: LogRecord, revision: LogPosition) throws(SealingError) -> LogFinding? {
        guard entry.position == head.position + 1 else { return .truncated(after: head.position) }
        do {
            guard try chain.append(entry) else { return .forked(last: place(before: head.position)) }
        } catch { throw SealingError(.outOfMemory, "\(error)") }
        guard entry.base == revision else {
            chain = LogChain(at: head)
            // One that was made on what has not come yet lacks that.
            return entry.base < revision ? .replayed(entry.position) : .truncated(after: head.position)
        }
        remember()
        return nil
    }

    /// Forgets what was read last; the entry was not what it should have been.
    mutating func unread(to former: LogHead) {
        while let last = recent.last, last.position >= former.position { recent.removeLast() }
        while let last = sparse.last, last.position >= former.position { sparse.removeLast() }
        head = former
        chain = LogChain(at: former)
    }

    private mutating func remember() {
        recent.append(head)
        head = chain.head
        while let first = recent.first, first.position + Self.recentCount < head.position {
            recent.removeFirst()
            if first.position % Self.sparseStep == 0 { sparse.append(first) }
        }
    }

    /// Goes back to a place, as a hub was: what comes after it is read anew.
    ///
    /// - Parameter place: One that is remembered: `head` or of `marks`.
    package mutating func goBack(to place: LogHead) {
        precondition(hash(at: place.position) == place.hash, "a place that is remembered")
        unread(to: place)
    }
}

/// Looks for a shorter list of which something still holds: that it goes wrong, say. Pure.
///
/// Elements are left out, many at a time first, then each by itself. Whoever asks says of each shorter list whether it holds:
///
///     var shrinking = Shrinking(deeds)
///     while let fewer = shrinking.next() { shrinking.note(isStillSo: goesWrong(fewer)) }
///
/// That is one pass. Where `isShorter` is true then, another one may leave out more.
package struct Shrinking<Element> {
    /// The shortest list so far.
    package private(set) var elements: [Element]
    /// Whether something has been left out.
    package private(set) var isShorter = false
    private var fewer: [Element] = []
    private var size: Int
    private var start = 0

    package init(_ elements: [Element]) {
        self.elements = elements
        size = max(1, elements.count / 2)
    }

    /// The next list to be judged; nil at the end of the pass.
    package mutating func next() -> [Element]? {
        while start >= elements.count {
            (size, start) = (size / 2, 0)
            guard size > 0, !elements.isEmpty else { return nil }
        }
        fewer = elements
        fewer.removeSubrange(start..<min(start + size, elements.count))
        return fewer
    }

    /// Takes what somebody says of the list that `next()` gave last.
    package mutating func note(isStillSo: Bool) {
        if isStillSo { (elements, isShorter) = (fewer, true) } else { start += size }
    }

    /// One pass over a list, with a judge who answers at once.
    package static func pass(
        over elements: [Element],
        while isStillSo: ([Element]) throws -> Bool
    ) rethrows -> (elements: [Element], isShorter: Bool) {
        var shrinking = Shrinking(elements)
        while let fewer = shrinking.next() { shrinking.note(isStillSo: try isStillSo(fewer)) }
        return (shrinking.elements, shrinking.isShorter)
    }
}

/// Merges JSON by key.
///
/// - Lists of objects that carry an identity (`id` and the like, each once) are merged by it, other lists by order. By identity,
///   an element that one side took away goes, wherever the other one moved it, unless that changed it. Two different ones that
///   both have added under one identity are a conflict: nobody makes a third one of them.
/// - In a list that is merged by order, an element that both changed is merged where nothing came or went beside it and
///   an object still has something that only it had; else it is a conflict: nobody could say what is whose. So are
///   numbers side by side of which each side has changed others, as of `[2026, 1, 31]`: nobody makes a date or a place of
///   them that neither has written. Numbers between which one stayed as it was are each for itself.
/// - An element that is once in every version is once in the outcome. One that both moved stays where the standing side
///   has it, and is a conflict. One that one side moved and the other one took away stays where it was moved to, and is a
///   conflict; so is one that the other one moved and edited, which is there as both have it. One that both moved and edited
///   is nobody's old one any more: it is there as both have it.
/// - What neither changed stays as it was written, to the byte: white space, order of keys, digits of numbers. Where
///   both changed something, the standing side's text is what the other's changes are put into.
/// - A key that one side changed and the other took away stays, and is a conflict.
/// - Order of keys and white space are no change by themselves: where one side has changed nothing else, the other
///   side's text is taken. Two ways to write a number are two values.
/// - What is broken, has a key twice in one object, is nested more than 200 deep, or has more than two million values in all
///   versions together is not looked into: it is merged as a whole, or a conflict.
public struct JSONMerger: Merger {
    private let identityKeys: [String]
    /// Less than usual only where that is tried out.
    var nodeCountMax = treeNodeCountMax

    /// - Parameter identityKeys: What tells a list's objects apart, the most trusted first.
    public init(identityKeys: [String] = ["id", "uuid", "UUID", "identifier", "_id"]) {
        self.identityKeys = identityKeys
    }

    /// The merged JSON.
    public func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
        mergeTrees(
            JSONSyntax.self,
            base: base,
            mine: mine,
            theirs: theirs,
            identityKeys,
            nodeCountMax: nodeCountMax
        )
    }
}

func mergeTrees<Syntax: TreeSyntax>(
    _ syntax: Syntax.Type,
    base: [UInt8]?,
    mine: [UInt8],
    theirs: [UInt8],
    _ identityKeys: [String],
    nodeCountMax: Int
) -> MergedFile {
    if let merged = MergedFile.ofUnchanged(base: base, mine: mine, theirs: theirs) { return merged }
    var numbers = NumberedValues(nodeCountMax: nodeCountMax)
    let baseTree = base.flatMap { Syntax.parse($0, &numbers) }
    guard let own = Syntax.parse(mine, &numbers), let other = Syntax.parse(theirs, &numbers),
        (baseTree == nil) == (base == nil)
    else { return .inConflict(base: base, mine: mine, theirs: theirs) }
    var merge = TreeMerge<Syntax>(
        base: baseTree,
        mine: own,
        theirs: other,
        standing: .standing(mine: mine, theirs: theirs),
        identityKeys: identityKeys
    )
    return merge.run()
}

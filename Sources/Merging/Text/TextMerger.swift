/// Merges texts line by line, and word by word where both changed the same lines.
///
/// - Changes of lines that touch each other, with no unchanged line between them, are one place, as git has it; their
///   words decide. Words merge when no two changes touch; else the whole place is a conflict.
/// - A number, an amount, a date or a time is one word with all its points, commas, colons, slashes and signs: of two
///   changes of it nobody makes a third value that neither has written. So are the numbers of a line that nothing but
///   commas part, as nobody can tell them from one large number.
/// - Lines that one side moved and the other one edited are edited where they are now. Lines that both moved to
///   different places, or that one side moved and the other one took away, are a conflict; they are where the standing
///   side has them, or nowhere. Words that were moved so within their line make a conflict of the place; of words that
///   went from one line to another this is not known.
/// - In a conflict one side's lines stand; see ``MergeSide/standing(mine:theirs:)``. It is the same side in all
///   conflicts of a text.
/// - Line ends belong to their lines. Where one side has given all lines other ends, what the other one has put in gets
///   these, too. Bytes that are no UTF-8 are merged by line only, and never with letters in UTF-8 that
///   the other side has: where one has converted the text, it is a conflict as a whole. What has a zero byte, as UTF-16
///   has, is no text here: it is merged as a whole, or a conflict.
/// - Of a place that has more than a mebibyte in all versions together, words are not looked at.
///
/// Takes time in proportion to the text's length, whatever is in it: 300,000 lines a second or two at worst.
public struct TextMerger: Merger {
    /// A merger without settings.
    public init() {}

    /// The merged text.
    public func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
        TextMerge.merged(base: base, mine: mine, theirs: theirs, by: .word)
    }
}

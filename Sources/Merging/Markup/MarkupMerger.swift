/// Merges XML and HTML line by line, and never to what is torn where neither side is.
///
/// - Lines merge as ``TextMerger`` has it, moves included, but words inside a line do not: a tag's two ends may lie on
///   one line, and between them what both sides have changed.
/// - Where the lines go together, the outcome is read: tags that overlap, an attribute that a tag has twice, or a second
///   root are faults. If it has one that neither side has, the file is a conflict as a whole, and one side's stands.
/// - Where a side has such a fault itself, as half of a document has, nothing is said of faults of that kind.
///
/// - Where one side is UTF-8 and the other is not, the file is a conflict as a whole, too.
///
/// What entities, schemas or scripts say is not looked at. Takes time in proportion to the text's length.
public struct MarkupMerger: Merger {
    /// Whose rules for tags hold.
    public enum Language: Hashable, Sendable {
        /// Each tag is closed, and names differ in capitals.
        case xml
        /// Some tags are never closed and some need not be; scripts and styles are no markup.
        case html
    }

    private let language: Language

    /// - Parameter language: Whose rules for tags hold.
    public init(_ language: Language) {
        self.language = language
    }

    /// The merged document.
    public func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
        let merged = TextMerge.merged(base: base, mine: mine, theirs: theirs, by: .line)
        if merged.contents == mine || merged.contents == theirs { return merged }
        let found = MarkupReader.faults(of: merged.contents, language)
        guard !found.isEmpty else { return merged }
        let known = MarkupReader.faults(of: mine, language).union(MarkupReader.faults(of: theirs, language))
        return found.isSubset(of: known) ? merged : .inConflict(base: base, mine: mine, theirs: theirs)
    }
}

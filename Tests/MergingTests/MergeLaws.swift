import Testing

@testable import Merging

extension MergeConflict {
    /// As the other device tells it.
    var swapped: MergeConflict {
        MergeConflict(
            place: place,
            base: base,
            mine: theirs,
            theirs: mine,
            standing: standing == .mine ? .theirs : .mine
        )
    }
}

/// Merges, and holds the merger to what every merger promises.
@discardableResult
func lawfulMerge(
    _ merger: some Merger,
    _ base: [UInt8]?,
    _ mine: [UInt8],
    _ theirs: [UInt8],
    _ comment: Comment = ""
) -> MergedFile {
    for version in [mine, theirs] {
        #expect(
            merger.merge(base: base, mine: version, theirs: version) == MergedFile(contents: version),
            comment
        )
        guard let base else { continue }
        #expect(
            merger.merge(base: base, mine: version, theirs: base) == MergedFile(contents: version),
            comment
        )
        #expect(
            merger.merge(base: base, mine: base, theirs: version) == MergedFile(contents: version),
            comment
        )
    }
    let merged = merger.merge(base: base, mine: mine, theirs: theirs)
    let other = merger.merge(base: base, mine: theirs, theirs: mine)
    #expect(merged.contents == other.contents, comment)
    #expect(merged.conflicts.map(\.swapped) == other.conflicts, comment)
    for conflict in merged.conflicts {
        for (part, whole) in [(conflict.base, base), (conflict.mine, mine), (conflict.theirs, theirs)] {
            guard let part, let range = part.range, let whole else { continue }
            #expect(part.bytes == Array(whole[range]), comment)
        }
    }
    return merged
}

func lawfulMerge(
    _ merger: some Merger,
    _ base: String?,
    _ mine: String,
    _ theirs: String,
    _ comment: Comment = ""
) -> (text: String, conflicts: [MergeConflict]) {
    let merged = lawfulMerge(
        merger,
        base.map { Array($0.utf8) },
        Array(mine.utf8),
        Array(theirs.utf8),
        comment
    )
    return (String(decoding: merged.contents, as: UTF8.self), merged.conflicts)
}

extension MergeConflict.Part {
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

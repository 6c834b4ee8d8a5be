internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Merging

/// What all versions in conflict come to as one.
struct ConflictMerge: Sendable {
    /// The versions that were in conflict when it began. Copies are merged with nothing.
    let conflicts: DocumentConflicts
    let outcome: MergeOutcome
    let mine: OwnVersion
    /// In how many places two have changed the same.
    let conflictCount: Int
    /// Whether it is another than any of the versions.
    let isNew: Bool
}

extension UIDocument {
    /// So often a merge begins anew because of edits; then it comes to nothing.
    private static let attemptCountMax = 8

    /// Merges what is in conflict into what is in memory.
    ///
    /// - Returns: What that was: more may have come since.
    /// - Throws: `DocumentError`, also where only copies beside the document are in conflict with it.
    func mergeConflicts() async throws -> DocumentConflicts {
        for _ in 0..<Self.attemptCountMax {
            let merge = try await mergeOfConflicts(forLooking: false)
            guard lifecycle.phase == .open else { throw DocumentError.notOpen("merged", at: fileURL) }
            guard isAsTaken(merge.mine) else { continue }
            try take(merge.outcome, insteadOf: merge.mine)
            return merge.conflicts
        }
        throw DocumentError.keepsChanging(at: fileURL)
    }

    /// What merging would come to; changes nothing.
    ///
    /// - Parameter forLooking: Whether nobody takes the outcome over: its members may be those of the versions' copies,
    ///   read-only and gone with their version.
    func mergeOfConflicts(forLooking: Bool) async throws -> ConflictMerge {
        let mine = try takeMine()
        guard !unsettled.versions.isEmpty || unsettled.copies.isEmpty else {
            throw DocumentError.copiesNotMerged(at: fileURL)
        }
        let conflicts = unsettled.withoutCopies
        return try await withCheckedThrowingContinuation { continuation in
            fileAccess.queue.async { [self] in
                continuation.resume(
                    with: Result { try mergeAll(conflicts, with: mine, forLooking: forLooking) }
                )
            }
        }
    }

    private nonisolated func mergeAll(
        _ conflicts: DocumentConflicts,
        with mine: OwnVersion,
        forLooking: Bool
    ) throws -> ConflictMerge {
        fileAccess.confined()
        var merged = mine.contents.value
        var conflictCount = 0
        var isNew = true
        for version in conflicts.versions {
            let theirs =
                forLooking
                ? try fileAccess.peek(at: version.url).contents : try fileAccess.contents(of: version)
            let ancestor = try fileAccess.versions.store.ancestor(of: version)
            let base = try ancestor.map { try fileAccess.peek(at: $0.url).contents }
            let before = merged
            if let agreed = try mergedContents(ofType: mine.type, base: base, mine: before, theirs: theirs) {
                merged = agreed
            } else {
                let found = try DocumentMergers.merge(
                    ofType: mine.type,
                    base: base,
                    mine: before,
                    theirs: theirs
                )
                guard let found else { throw DocumentError.notMerged(at: fileURL) }
                merged = found.contents
                conflictCount += found.conflicts.count
            }
            if Self.isSame(merged, before) || Self.isSame(merged, theirs) { isNew = false }
        }
        let former = FormerContents(mine.contents.value, before: merged)
        let outcome = MergeOutcome(contents: Transferred(merged), former: Transferred(former))
        return ConflictMerge(
            conflicts: conflicts,
            outcome: outcome,
            mine: mine,
            conflictCount: conflictCount,
            isNew: isNew
        )
    }

    private nonisolated static func isSame(_ one: Any, _ other: Any) -> Bool {
        switch (one, other) {
        case (let one as Data, let other as Data): one == other
        case (let one as FileWrapper, let other as FileWrapper): one === other
        default: false
        }
    }
}

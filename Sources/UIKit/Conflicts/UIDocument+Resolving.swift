internal import DocumentFoundation
internal import FileSystem
internal import Foundation

// How a conflict is settled.
//
//     current            ─────────────────────────────────────────────▶ settle
//     version    save, as long as something is unsaved ▶ replace, settle ▶ read anew
//     both               ─────────────────▶ put beside ──────────────▶ settle
//     merged     take mine ▶ merge ▶ nothing edited meanwhile? ▶ load, save ▶ settle
//
// What is settled is what was known when the choice was made, and of a merge what went into it. Each way saves, waits for
// access and reads: what comes into conflict meanwhile is in nobody's choice, and stays.
extension UIDocument {
    /// Settles what is in conflict with this document. Ours; `NSFileVersion` does the same step by step.
    ///
    /// Nothing is thrown away: what loses now stays among the document's versions, and is thinned like any of them. What
    /// comes into conflict while this goes on is not settled: the document is in conflict still, with that.
    ///
    /// - Parameter resolution: What is to become of the versions. A merge, or the choice of another version, is one step
    ///   to undo where there is an undo manager: what the document was comes back, and no conflict with it.
    /// - Throws: `CocoaError`, with nothing settled: when the document is not open or not saved, a version is damaged or
    ///   gone, the disk is full, or a merge comes to nothing.
    public func resolveConflict(_ resolution: ConflictResolution) async throws {
        try await resolveConflict(resolution, among: nil)
    }

    /// - Parameter shown: The names of the versions that a person has chosen between; nil for all that are known now. What goes
    ///   into a merge is settled with it, shown or not: nothing of that is lost. Copies beside the document go into none.
    func resolveConflict(_ resolution: ConflictResolution, among shown: Set<String>?) async throws {
        // What is being opened is not known yet to be in conflict: then all that is found is meant.
        let known = lifecycle.phase == .opening ? nil : unsettled
        await settled()
        guard lifecycle.phase == .open else { throw DocumentError.notOpen("settled", at: fileURL) }
        let chosen = (known?.stillIn(unsettled) ?? unsettled).limited(to: shown)
        switch resolution {
        case .current: try await settle(chosen)
        case .version(let version): try await replace(with: version, settling: chosen)
        case .both: try await settle(chosen, after: putBeside)
        case .merged:
            let merged = try await mergeConflicts()
            try await saveAll()
            try await settle(merged)
        }
    }

    /// Waits while the document is read: what others wrote just before the choice is read anew by itself.
    private func settled() async {
        guard lifecycle.phase == .opening || lifecycle.phase == .reverting else { return }
        await withCheckedContinuation { continuation in
            work.whenSettled.append { continuation.resume() }
        }
    }

    // MARK: The end of it

    /// Says that conflicts are settled, inside a coordinated write.
    private func settle(
        _ conflicts: DocumentConflicts,
        after prepare: @escaping @Sendable ([NSFileVersion], URL) throws -> Void = { _, _ in }
    ) async throws {
        try await write { [self] place in
            try prepare(conflicts.versions, place)
            try fileAccess.versions.store.settle(conflicts.versions)
        }
        unsettled.forgetCopies(of: conflicts)
        reviewConflicts(await found())
    }

    /// What is unresolved on disk now; nil where that cannot be found out.
    private func found() async -> [NSFileVersion]? {
        await withCheckedContinuation { continuation in
            fileAccess.queue.async { [self] in continuation.resume(returning: unresolvedConflicts()) }
        }
    }

    /// Does something to the item in the document's turn, inside a coordinated write.
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (URL) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            fileAccess.perform(.writingIntent(with: fileURL), for: self) { access in
                continuation.resume(with: Result { try body(access.get()) }.mapError { Self.cocoa($0) })
            }
        }
    }

    private nonisolated static func cocoa(_ error: any Error) -> any Error {
        (error as? SystemError).map { CocoaError($0, while: .writing) } ?? error
    }

    /// Saves until nothing is unsaved. A document that always has something unsaved is saved a few times, as before it closes.
    private func saveAll() async throws {
        for _ in 1...Self.restSavesMax where hasUnsavedChanges {
            let savesBegun = work.savesBegun
            // An app that has not saved, whatever it says, must not lose what is unsaved.
            guard await autosave(), self.work.savesBegun != savesBegun else { throw unsavedError }
        }
    }

    // MARK: The ways

    private func replace(
        with version: NSFileVersion,
        settling conflicts: DocumentConflicts
    ) async throws {
        var attemptCount = 0
        repeat {
            try await saveAll()
            guard lifecycle.phase == .open else { throw DocumentError.notOpen("settled", at: fileURL) }
            attemptCount += 1
            // Edited while the last save ended: that is not to be lost.
        } while hasUnsavedChanges && attemptCount < Self.restSavesMax
        _ = change { $0.requestRevert() }
        let former: NSFileVersion?
        do {
            former = try await write { [self] place in
                let former = keptState(at: place)
                try version.replaceItem(at: place)
                try fileAccess.versions.store.settle(conflicts.versions)
                return former
            }
        } catch {
            change { $0.finishReverting(success: true) }
            settle()
            throw error
        }
        unsettled.forgetCopies(of: conflicts)
        let isRead = await withCheckedContinuation { continuation in
            readBack(from: fileURL) { [self] isRead in
                if isRead, let former { registerReturn(to: former) }
                continuation.resume(returning: isRead)
            }
        }
        guard isRead else { throw unsavedError }
    }

    /// The version that is the state which a version is about to take the place of.
    private nonisolated func keptState(at place: URL) -> NSFileVersion? {
        let versions = fileAccess.versions
        let keeping = VersionKeeping(
            .beforeRestore,
            lastKnown: versions.mark,
            retention: Swift.type(of: self).versionRetention
        )
        // Who replaces it keeps it, too, and says why that does not work.
        return try? versions.store.keep(place, keeping).version
    }

    /// Makes documents of versions, beside this one.
    private nonisolated func putBeside(_ versions: [NSFileVersion], _ place: URL) throws {
        fileAccess.confined()
        for version in versions {
            try fileAccess.put(version, beside: place)
        }
    }
}

internal import DocumentFoundation
internal import FileSystem
internal import Foundation

// How a conflict is settled.
//
//     current            ─────────────────────────────────────────────▶ settle
//     version    save, as long as something is unsaved ▶ replace, settle ▶ read anew
//     both               ─────────────────▶ put beside ──────────────▶ settle
//     merged     take mine ▶ merge ▶ nothing edited meanwhile? ▶ load, save ▶ settle
extension UIDocument {
    /// Settles what is in conflict with this document. Ours; `NSFileVersion` does the same step by step.
    ///
    /// Nothing is thrown away: what loses now stays among the document's versions, and is thinned like any of them.
    ///
    /// - Parameter resolution: What is to become of the versions. A merge is one step to undo where there is an undo
    ///   manager.
    /// - Throws: `CocoaError`, with nothing settled: when the document is not open or not saved, a version is damaged or
    ///   gone, the disk is full, or a merge comes to nothing.
    public func resolveConflict(_ resolution: ConflictResolution) async throws {
        guard lifecycle.phase == .open else { throw DocumentError.notOpen("settled", at: fileURL) }
        switch resolution {
        case .current: try await settleConflict()
        case .version(let version): try await replace(with: version)
        case .both: try await settleConflict(after: putBeside)
        case .merged:
            try await mergeConflicts()
            try await saveAll()
            try await settleConflict()
        }
    }

    // MARK: The end of it

    /// Says that all conflicts known now are settled, inside a coordinated write.
    private func settleConflict(
        after prepare: @escaping @Sendable ([NSFileVersion], URL) throws -> Void = { _, _ in }
    ) async throws {
        let versions = unsettled.versions
        try await write { [self] place in
            try prepare(versions, place)
            try fileAccess.versions.store.settle(versions)
        }
        unsettled.forgetCopies()
        reviewConflicts(await found())
    }

    /// What is unresolved on disk now.
    private func found() async -> [NSFileVersion] {
        await withCheckedContinuation { continuation in
            fileAccess.queue.async { [self] in continuation.resume(returning: unresolvedConflicts()) }
        }
    }

    /// Does something to the item in the document's turn, inside a coordinated write.
    private func write(_ body: @escaping @Sendable (URL) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            fileAccess.perform(.writingIntent(with: fileURL), for: self) { access in
                continuation.resume(with: Result { try body(access.get()) }.mapError { Self.cocoa($0) })
            }
        }
    }

    private nonisolated static func cocoa(_ error: any Error) -> any Error {
        (error as? SystemError).map { CocoaError($0, while: .writing) } ?? error
    }

    private func saveAll() async throws {
        while hasUnsavedChanges {
            let savesBegun = savesBegun
            // An app that has not saved, whatever it says, must not lose what is unsaved.
            guard await autosave(), self.savesBegun != savesBegun else { throw unsavedError }
        }
    }

    // MARK: The ways

    private func replace(with version: NSFileVersion) async throws {
        repeat {
            try await saveAll()
            guard lifecycle.phase == .open else { throw DocumentError.notOpen("settled", at: fileURL) }
            // Edited while the last save ended: that is not to be lost.
        } while hasUnsavedChanges
        _ = change { $0.requestRevert() }
        let versions = unsettled.versions
        do {
            try await write { [self] place in
                try version.replaceItem(at: place)
                try fileAccess.versions.store.settle(versions)
            }
        } catch {
            change { $0.finishReverting(success: true) }
            settle()
            throw error
        }
        unsettled.forgetCopies()
        let isRead = await withCheckedContinuation { continuation in
            readBack(from: fileURL) { continuation.resume(returning: $0) }
        }
        guard isRead else { throw unsavedError }
    }

    /// Makes documents of versions, beside this one.
    private nonisolated func putBeside(_ versions: [NSFileVersion], _ place: URL) throws {
        fileAccess.confined()
        for version in versions {
            try fileAccess.put(version, beside: place)
        }
    }
}

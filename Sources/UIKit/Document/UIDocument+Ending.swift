internal import Locks

// Documents whose program has ended, as far as a test is concerned: it goes on, and they do not.
extension UIDocument {
    /// Has all documents end that are open in a folder: see `endWithProgram()`. Any thread; those that are just being opened are
    /// seen on the main one only.
    package nonisolated static func endAll(in folder: URL) {
        let root = folder.standardizedFileURL.path + "/"
        var documents = NSFileCoordinator.filePresenters.compactMap { $0 as? UIDocument }
        if Thread.isMainThread { documents += MainActor.assumeIsolated { OpenDocuments.all } }
        for document in documents where document.fileURL.path.hasPrefix(root) { document.endWithProgram() }
    }

    /// Has the document be one whose program has ended: from now on it reads and writes nothing and presents nothing, and it closes
    /// as soon as what is under way has ended. Opened or created again, it is one of another program. Any thread.
    nonisolated func endWithProgram() {
        let hasEnded = record.withLock { record in
            defer { record.hasEnded = true }
            return record.hasEnded
        }
        guard !hasEnded else { return }
        stopPresenting()
        let close: @Sendable () -> Void = { [self] in
            MainActor.assumeIsolated {
                lastError = DocumentError.ended("saved", at: fileURL)
                beginAbandoning {}
            }
        }
        if Thread.isMainThread { close() } else { DispatchQueue.main.async(execute: close) }
    }

    /// Whether its program has ended, and no other has opened it since.
    package nonisolated var hasEnded: Bool { record.withLock { $0.hasEnded } }

    /// - Throws: `DocumentError` for one whose program has ended.
    nonisolated func checkThatProgramRuns(before what: String) throws {
        guard hasEnded else { return }
        throw DocumentError.ended(what, at: fileURL)
    }

    /// The document is opened or created anew.
    func beginAnew() { record.withLock { $0.hasEnded = false } }
}

package import DocumentFoundation
internal import FileSystem
internal import Locks

extension UIDocument: nonisolated OutsideChangeReceiver {
    /// Looks whether the item is the one that this document read or wrote last, and says so if not.
    package nonisolated func itemMayHaveChanged(_ hint: OutsideHint) {
        fileAccess.queue.async { [self] in
            let isAnother = isAnother(hint)
            noteWriter(hint.writer, isAnother)
            guard isAnother, isNews() else { return }
            presenterQueue.addOperation { [self] in presentedItemDidChange() }
        }
    }
}

extension UIDocument {
    /// Posted on the main actor when someone else has changed the file and the document is about to read it
    /// anew: an editor can note where its caret is. The object is the document.
    ///
    /// Ours. The user info says who wrote, where the system tells: a process with `CAP_SYS_ADMIN` hears it.
    public nonisolated static let willReloadNotification = NSNotification.Name(
        "SheafDocumentWillReloadNotification"
    )

    /// Posted on the main actor when the document has read what someone else wrote.
    ///
    /// Ours. The user info is that of `willReloadNotification`.
    public nonisolated static let didReloadNotification = NSNotification.Name(
        "SheafDocumentDidReloadNotification"
    )

    /// In the user info of the two: the number of the process that wrote, an `Int32`.
    ///
    /// The system tells of who closes a file last: where the writer starts a program meanwhile, it may be that one.
    public nonisolated static let writerProcessIDKey = "SheafWriterProcessID"
    /// In the user info of the two: the name of the program that wrote, 15 bytes of it at most.
    public nonisolated static let writerNameKey = "SheafWriterName"

    /// In the user info of the two: the `URL` of what that program runs in, where the system tells.
    public nonisolated static let writerExecutableKey = "SheafWriterExecutable"

    /// Remembers who wrote; what this process has written and the document knows is of no concern.
    nonisolated func noteWriter(_ writer: WriterProcess?, _ isAnother: Bool) {
        let isForeign = writer.map { $0.processID != getpid() } ?? false
        guard isAnother || isForeign else { return }
        let isShown = record.withLock { record in
            defer { record.lastWriter = writer }
            return record.isInConflict && record.lastWriter != writer
        }
        if isShown { announceFile() }
    }

    /// Whether the item is another than the document knows.
    nonisolated func isAnother(_ hint: OutsideHint) -> Bool {
        guard record.withLock({ $0.isPresenting }) else { return false }
        let url = fileURL
        // Vanished, or unreadable for now: there is nothing to read anew.
        guard let found = try? fileAccess.stampIfPresent(of: url) else { return false }
        let known = record.withLock { record in
            record.isFileGone = false
            return record.stamp
        }
        let isAnother = found != known || fileAccess.membersChanged(hint, at: url)
        if isAnother { fileAccess.versions.othersWrote() }
        return isAnother
    }

    /// Whether the document was not told yet of the change that is there. Of a package's members it is told each time.
    private nonisolated func isNews() -> Bool {
        // Who cannot look cannot tell; the document looks itself.
        guard let found = try? fileAccess.stampIfPresent(of: fileURL), found.kind == .regular else {
            return true
        }
        return record.withLock { record in
            let change = DocumentRecord.Change(known: record.stamp, found: found)
            defer { record.toldChange = change }
            return record.toldChange != change
        }
    }

    /// Looks whether the item is the one that this document read or wrote last, and acts on it if not.
    nonisolated func checkForOutsideChange() {
        fileAccess.queue.async { [self] in
            let stampCount = record.withLock { $0.stampCount }
            guard isAnother(OutsideHint(isWhole: true)) else { return }
            DispatchQueue.main.async {
                MainActor.assumeIsolated { self.takeOutsideChange(seenAt: stampCount) }
            }
        }
    }

    /// Acts on a change.
    ///
    /// - Parameter stampCount: How often the item had been read or written when the change was seen. What has been done
    ///   since may have dealt with it: a reload would take the undo stack for nothing.
    func takeOutsideChange(seenAt stampCount: Int? = nil) {
        if let stampCount, stampCount != record.withLock({ $0.stampCount }) { return checkForOutsideChange() }
        guard lifecycle.phase == .open else {
            if lifecycle.phase != .closed { work.whenSettled.append { [self] in checkForOutsideChange() } }
            return
        }
        if work.savesRunning > 0 {
            work.looksAfterSaving = true
        } else if work.isMerging {
            work.looksAfterMerging = true
        } else if hasUnsavedChanges {
            mergeOutsideChange()
        } else {
            reload()
        }
    }

    // MARK: Nothing unsaved

    private func reload() {
        let userInfo = writerInfo
        NotificationCenter.default.post(
            name: UIDocument.willReloadNotification,
            object: self,
            userInfo: userInfo
        )
        work.isReloading = true
        revert(toContentsOf: fileURL) { [self] success in
            work.isReloading = false
            guard success else { return record.withLock { $0.toldChange = nil } }
            NotificationCenter.default.post(
                name: UIDocument.didReloadNotification,
                object: self,
                userInfo: userInfo
            )
        }
    }

    private var writerInfo: [AnyHashable: Any] {
        guard let writer = record.withLock({ $0.lastWriter }) else { return [:] }
        var userInfo: [AnyHashable: Any] = [UIDocument.writerProcessIDKey: writer.processID]
        userInfo[UIDocument.writerNameKey] = writer.name
        userInfo[UIDocument.writerExecutableKey] = writer.executable?.url(isDirectory: false)
        return userInfo
    }
}

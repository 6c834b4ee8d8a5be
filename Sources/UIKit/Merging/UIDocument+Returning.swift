internal import DocumentFoundation
internal import UniformTypeIdentifiers

/// How a document comes back to what it was before it took in what others wrote: one step to undo.
extension UIDocument {
    /// Makes a merge one step to undo.
    func registerReturn(to former: FormerContents) {
        registerReturn(named: "Merge") { $0.bringBack(former) }
    }

    /// Makes the choice of another version, which is on disk and has just been read, one step to undo.
    ///
    /// - Parameter former: The state that it took the place of.
    func registerReturn(to former: NSFileVersion) {
        let isSaved = !hasUnsavedChanges
        registerReturn(named: "Choose Version") { $0.bringBack(former) }
        // The step is counted like an edit, and leads to what is on disk.
        if isSaved { count(.cleared) }
    }

    /// Its group is closed at once: a save that began inside it would be taken for what undoing leads to.
    private func registerReturn(
        named name: String,
        _ goBack: @escaping @MainActor @Sendable (UIDocument) -> Void
    ) {
        guard let manager = storedUndoManager, manager.groupingLevel == 0,
            manager.isUndoRegistrationEnabled
        else { return }
        let groupsByEvent = manager.groupsByEvent
        manager.groupsByEvent = false
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: self, handler: goBack)
        manager.setActionName(name)
        manager.endUndoGrouping()
        manager.groupsByEvent = groupsByEvent
    }

    private func bringBack(_ former: NSFileVersion) {
        do { bringBack(FormerContents(whole: try fileAccess.contents(of: former))) } catch {
            fail(error)
        }
    }

    private func bringBack(_ former: FormerContents) {
        let type = savingFileType ?? fileType
        do {
            let current = try contents(forType: type ?? UTType.data.identifier)
            let wanted = former.contents(insteadOf: current)
            let back = FormerContents(current, before: wanted, reads: true)
            try load(fromContents: wanted, ofType: type)
            storedUndoManager?.registerUndo(withTarget: self) { $0.bringBack(back) }
        } catch {
            fail(error)
        }
    }
}

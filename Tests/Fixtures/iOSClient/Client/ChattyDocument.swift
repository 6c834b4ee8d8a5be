import UIKit

/// Overrides what UIKit allows to be overridden, and notes which of it was called.
///
/// The methods marked `nonisolated` run in the background.
class ChattyDocument: AlbumDocument {
    private(set) var calls: [String] = []

    override var localizedName: String { super.localizedName.uppercased() }
    override var fileType: String? { super.fileType }
    override var savingFileType: String? { super.savingFileType }
    override var progress: Progress? { super.progress }
    override var hasUnsavedChanges: Bool { super.hasUnsavedChanges }

    override var undoManager: UndoManager! {
        get { super.undoManager }
        set { super.undoManager = newValue }
    }

    override func open(completionHandler: ((Bool) -> Void)? = nil) {
        calls.append("open")
        super.open(completionHandler: completionHandler)
    }

    override func close(completionHandler: ((Bool) -> Void)? = nil) {
        calls.append("close")
        super.close(completionHandler: completionHandler)
    }

    override func save(
        to url: URL,
        for saveOperation: UIDocument.SaveOperation,
        completionHandler: ((Bool) -> Void)? = nil
    ) {
        calls.append("save")
        super.save(to: url, for: saveOperation, completionHandler: completionHandler)
    }

    override func autosave(completionHandler: ((Bool) -> Void)? = nil) {
        calls.append("autosave")
        super.autosave(completionHandler: completionHandler)
    }

    override func revert(toContentsOf url: URL, completionHandler: ((Bool) -> Void)? = nil) {
        calls.append("revert")
        super.revert(toContentsOf: url, completionHandler: completionHandler)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        calls.append("load")
        try super.load(fromContents: contents, ofType: typeName)
    }

    override func contents(forType typeName: String) throws -> Any {
        calls.append("contents")
        return try super.contents(forType: typeName)
    }

    override func updateChangeCount(_ change: UIDocument.ChangeKind) {
        calls.append("updateChangeCount")
        super.updateChangeCount(change)
    }

    override func changeCountToken(for saveOperation: UIDocument.SaveOperation) -> Any {
        calls.append("changeCountToken")
        return super.changeCountToken(for: saveOperation)
    }

    override func updateChangeCount(
        withToken changeCountToken: Any,
        for saveOperation: UIDocument.SaveOperation
    ) {
        calls.append("updateChangeCountWithToken")
        super.updateChangeCount(withToken: changeCountToken, for: saveOperation)
    }

    override func fileAttributesToWrite(
        to url: URL,
        for saveOperation: UIDocument.SaveOperation
    ) throws -> [AnyHashable: Any] {
        calls.append("fileAttributesToWrite")
        return try super.fileAttributesToWrite(to: url, for: saveOperation)
    }

    override func fileNameExtension(
        forType typeName: String?,
        saveOperation: UIDocument.SaveOperation
    ) -> String {
        super.fileNameExtension(forType: typeName, saveOperation: saveOperation)
    }

    override func disableEditing() {
        calls.append("disableEditing")
        super.disableEditing()
    }

    override func enableEditing() {
        calls.append("enableEditing")
        super.enableEditing()
    }

    override func handleError(_ error: Error, userInteractionPermitted: Bool) {
        calls.append("handleError")
        super.handleError(error, userInteractionPermitted: userInteractionPermitted)
    }

    override func finishedHandlingError(_ error: Error, recovered: Bool) {
        calls.append("finishedHandlingError")
        super.finishedHandlingError(error, recovered: recovered)
    }

    override func userInteractionNoLongerPermitted(forError error: Error) {
        super.userInteractionNoLongerPermitted(forError: error)
    }

    // MARK: In the background

    nonisolated override func read(from url: URL) throws {
        try super.read(from: url)
    }

    nonisolated override func writeContents(
        _ contents: Any,
        andAttributes additionalFileAttributes: [AnyHashable: Any]? = nil,
        safelyTo url: URL,
        for saveOperation: UIDocument.SaveOperation
    ) throws {
        try super.writeContents(
            contents,
            andAttributes: additionalFileAttributes,
            safelyTo: url,
            for: saveOperation
        )
    }

    nonisolated override func writeContents(
        _ contents: Any,
        to url: URL,
        for saveOperation: UIDocument.SaveOperation,
        originalContentsURL: URL?
    ) throws {
        try super.writeContents(
            contents,
            to: url,
            for: saveOperation,
            originalContentsURL: originalContentsURL
        )
    }

    nonisolated override func presentedItemDidMove(to newURL: URL) {
        super.presentedItemDidMove(to: newURL)
    }

    nonisolated override func presentedItemDidChange() {
        super.presentedItemDidChange()
    }
}

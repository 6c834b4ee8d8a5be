public import Foundation

/// Shows one document: opens it, keeps undo, redo, its name and its state in the bar, and closes it.
///
/// Subclass it, put your editor in `view`, and fill it in `documentDidOpen()`.
@MainActor @preconcurrency
open class UIDocumentViewController: UIViewController {
    private var openHandlers: [(Bool) -> Void] = []
    private var openingNumber = 0
    private var hold: DocumentHold?

    /// Makes a view controller for a document.
    public init(document: UIDocument?) {
        super.init(nibName: nil, bundle: nil)
        self.document = document
        hold = document.map(DocumentHold.init)
    }

    /// Makes a view controller from an archive, without a document.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// The document. It is opened when the view is shown, and closed when this view controller goes or gets
    /// another one, unless other view controllers show it too.
    open var document: UIDocument? {
        didSet {
            guard oldValue !== document else { return }
            hold = document.map(DocumentHold.init)
            endOpening(false)
            if appearance == .appeared { openDocument { _ in } }
            SceneUpdates.request()
        }
    }

    /// Called on the main actor when the document has been opened, or an open one was given.
    open func documentDidOpen() {}

    /// Called after each change that this class made to `navigationItem`.
    open func navigationItemDidUpdate() {}

    /// Opens the document, or succeeds at once when it is open.
    ///
    /// - Parameter completionHandler: Called on the main actor, after `documentDidOpen()`.
    open func openDocument(completionHandler: @escaping (Bool) -> Void) {
        guard let document else {
            completionHandler(false)
            return
        }
        openHandlers.append(completionHandler)
        guard openHandlers.count == 1 else { return }
        openingNumber += 1
        document.open { [weak self, openingNumber] success in
            guard let self, self.openingNumber == openingNumber else { return }
            finishOpening(document, success)
        }
    }

    /// Opens the document; false when it could not be opened.
    @discardableResult
    open func openDocument() async -> Bool {
        await withCheckedContinuation { continuation in
            openDocument { continuation.resume(returning: $0) }
        }
    }

    private func finishOpening(_ opened: UIDocument, _ success: Bool) {
        if success {
            navigationItem.title = opened.localizedName
            navigationItemDidUpdate()
            documentDidOpen()
        } else if (opened.lastError as? CocoaError)?.code == .userCancelled {
            // Whoever has called it off knows, and may have left by now.
            if parent != nil || presentingViewController != nil { donePressed() }
        } else {
            presentFailure(of: opened)
        }
        endOpening(success)
        SceneUpdates.request()
    }

    /// Answers who waits for the document; an answer of an opening before this one counts no more.
    private func endOpening(_ success: Bool) {
        openingNumber += 1
        let handlers = openHandlers
        openHandlers = []
        handlers.forEach { $0(success) }
    }

    /// Opens the document when the view is shown.
    open override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        guard let document else { return }
        if hold == nil { hold = DocumentHold(document) }
        openDocument { _ in }
    }

    /// Closes the document when the view has gone.
    open override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        hold = nil
    }

    /// The document's undo manager.
    open override var undoManager: UndoManager? { document?.undoManager }

    private func presentFailure(of document: UIDocument) {
        let reason = document.lastError?.localizedDescription ?? "The file could not be read."
        let alert = UIAlertController(
            title: "“\(document.localizedName)” cannot be opened",
            message: reason,
            preferredStyle: .alert
        )
        alert.addAction(
            UIAlertAction(title: "OK", style: .cancel) { [weak self] _ in
                self?.presentingViewController?.dismiss(animated: true)
            }
        )
        present(alert, animated: true)
    }

    // MARK: In the page

    override var layer: SceneDescription.Layer {
        guard let document else { return super.layer }
        var layer = super.layer
        layer.kind = "document"
        layer.title = document.localizedName
        layer.state = DocumentStateText.describe(document, in: self)
        layer.undo = undoDescription(of: document)
        layer.redo = redoDescription(of: document)
        layer.rename = document.lifecycle.phase == .open
        return layer
    }

    private func undoDescription(of document: UIDocument) -> SceneDescription.Undo {
        guard let manager = document.storedUndoManager else { return .init(enabled: false, title: "Undo") }
        return .init(enabled: manager.canUndo, title: manager.undoMenuItemTitle)
    }

    private func redoDescription(of document: UIDocument) -> SceneDescription.Undo {
        guard let manager = document.storedUndoManager else { return .init(enabled: false, title: "Redo") }
        return .init(enabled: manager.canRedo, title: manager.redoMenuItemTitle)
    }

    func perform(_ verb: Substring, _ arguments: Acts.Arguments, _ answer: @escaping Acts.Answer) throws {
        guard let document else { throw Acts.Refusal("There is no document here", "Go back and open one.") }
        switch verb {
        case "undo":
            if document.undoManager.canUndo { document.undoManager.undo() }
            answer(.success(nil))
        case "redo":
            if document.undoManager.canRedo { document.undoManager.redo() }
            answer(.success(nil))
        case "save":
            try save(document, answer)
        case "saveAgain":
            try saveAgain(document, answer)
        case "done":
            finish(document, answer)
        case "stopOpening":
            stopOpening(document)
            answer(.success(nil))
        case "versions":
            try describeConflict(of: document, answer)
        case "settle":
            try settleConflict(of: document, arguments, answer)
        case "rename":
            try DocumentRenaming.rename(document, to: arguments.text("name"), answer)
        default:
            throw Acts.Refusal("That cannot be done", "A document has no “\(verb)”.")
        }
    }

    private func save(_ document: UIDocument, _ answer: @escaping Acts.Answer) throws {
        guard document.lifecycle.phase != .closed else { throw Self.closed(document) }
        document.autosave { saved in
            answer(saved ? .success(nil) : .failure(Self.refusal(for: document)))
        }
    }

    /// Writes a file that somebody has deleted. Where that has closed the document, it is open again then.
    private func saveAgain(_ document: UIDocument, _ answer: @escaping Acts.Answer) throws {
        let isClosed = document.lifecycle.phase == .closed
        // One that was never open has nothing to be written.
        guard !isClosed || document.isClosedForDeletion else { throw Self.closed(document) }
        document.save(to: document.fileURL, for: isClosed ? .forCreating : .forOverwriting) { saved in
            answer(saved ? .success(nil) : .failure(Self.refusal(for: document)))
        }
    }

    /// Saves first: what cannot be saved is not left behind unseen.
    private func finish(_ document: UIDocument, _ answer: @escaping Acts.Answer) {
        guard document.lifecycle.phase == .open else {
            stopOpening(document)
            donePressed()
            answer(.success(nil))
            return
        }
        document.autosave { [weak self] saved in
            guard saved else {
                answer(.failure(Self.refusal(for: document)))
                return
            }
            self?.donePressed()
            answer(.success(nil))
        }
    }

    /// Nobody waits any more for contents that are not here yet.
    private func stopOpening(_ document: UIDocument) {
        if document.lifecycle.phase == .opening { document.progress?.cancel() }
    }

    private static func closed(_ document: UIDocument) -> Acts.Refusal {
        Acts.Refusal(
            "“\(document.localizedName)” is not open",
            document.isClosedForDeletion
                ? "Its file was deleted or replaced. Save it again to go on." : "Go back and open it again."
        )
    }

    private static func refusal(for document: UIDocument) -> Acts.Refusal {
        Acts.Refusal(
            "“\(document.localizedName)” could not be saved",
            document.lastError?.localizedDescription ?? "The file could not be written."
        )
    }
}

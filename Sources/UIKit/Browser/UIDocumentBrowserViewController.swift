public import Foundation
public import UniformTypeIdentifiers

/// The documents of a location, as the first thing that people see of an app.
///
/// Make it a window's root view controller. It creates, opens, renames, duplicates, moves and trashes documents
/// and takes in what is dropped on it; the delegate is told what was picked and what was imported.
///
/// The location is the folder that the program was started with: `--documents`, `$SHEAF_DOCUMENTS`, or a folder
/// named after the app in the user's Documents.
@MainActor @preconcurrency
open class UIDocumentBrowserViewController: UIViewController {
    /// What becomes of a document's source when it is imported.
    public enum ImportMode: UInt, Sendable {
        /// Nothing is imported.
        case none = 0
        /// It stays.
        case copy = 1
        /// It goes.
        case move = 2
    }

    /// How bright the browser is.
    public enum BrowserUserInterfaceStyle: UInt, Sendable {
        /// Bars and content are white; dark where the person's system is dark.
        case white = 0
        /// Bars are tinted lightly; dark where the person's system is dark.
        case light = 1
        /// Dark.
        case dark = 2
    }

    /// Who is told what people do. Set it before the view is shown.
    open weak var delegate: (any UIDocumentBrowserViewControllerDelegate)?

    /// Whether people can make documents here.
    open var allowsDocumentCreation = true {
        didSet { SceneUpdates.request() }
    }
    /// Whether people can open several documents at once.
    open var allowsPickingMultipleItems = false {
        didSet { SceneUpdates.request() }
    }
    /// Whether the extensions of names are shown.
    open var shouldShowFileExtensions = false {
        didSet { SceneUpdates.request() }
    }
    /// What the action that makes a document is called.
    open var localizedCreateDocumentActionTitle = "Create Document" {
        didSet { SceneUpdates.request() }
    }
    /// How bright the browser is.
    open var browserUserInterfaceStyle = BrowserUserInterfaceStyle.white {
        didSet { SceneUpdates.request() }
    }
    /// What else can be done to chosen items.
    open var customActions: [UIDocumentBrowserAction] = [] {
        didSet { SceneUpdates.request() }
    }
    /// Buttons before the title.
    open var additionalLeadingNavigationBarButtonItems: [UIBarButtonItem] = [] {
        didSet { SceneUpdates.request() }
    }
    /// Buttons after the title.
    open var additionalTrailingNavigationBarButtonItems: [UIBarButtonItem] = [] {
        didSet { SceneUpdates.request() }
    }

    /// The types that can be opened here.
    public let contentTypes: [UTType]

    lazy var model = BrowserModel(
        contentTypes: contentTypes,
        changed: { SceneUpdates.request() },
        told: { [weak self] text in self?.tabSession?.notify(text) }
    )
    private var saveObserver: (any NSObjectProtocol)?

    /// Makes a browser.
    ///
    /// - Parameter contentTypes: What can be opened; nil for what the app's Info.plist lists.
    public init(forOpening contentTypes: [UTType]?) {
        self.contentTypes = contentTypes ?? AppInfo.main.documentTypes.flatMap(\.contentTypes)
        super.init(nibName: nil, bundle: nil)
    }

    /// Makes a browser for types by their identifiers. Identifiers that are not known are left out.
    @available(*, deprecated, renamed: "init(forOpening:)")
    public convenience init(forOpeningFilesWithContentTypes allowedContentTypes: [String]?) {
        self.init(forOpening: allowedContentTypes?.compactMap { UTType($0) })
    }

    /// Makes a browser from an archive, for what the app's Info.plist lists.
    public required init?(coder: NSCoder) {
        contentTypes = AppInfo.main.documentTypes.flatMap(\.contentTypes)
        super.init(coder: coder)
    }

    /// Begins to list the documents.
    open override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        model.show(folder: model.folder)
        saveObserver = NotificationCenter.default.addObserver(
            forName: UIDocument.savedNotification,
            object: nil,
            queue: nil
        ) { [weak self] note in
            // Documents post this on the main actor.
            guard let url = (note.object as? UIDocument)?.fileURL else { return }
            MainActor.assumeIsolated { self?.model.look(at: url) }
        }
    }

    /// Stops listing them.
    open override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        model.stop()
        saveObserver.map(NotificationCenter.default.removeObserver)
        saveObserver = nil
    }

    /// Chooses a document and brings it into view, importing it first where it lies elsewhere.
    ///
    /// - Parameters:
    ///   - url: The document.
    ///   - importIfNeeded: Whether a document from elsewhere is copied into the folder that is shown.
    ///   - completion: Called on the main actor with where it is now, or what went wrong.
    open func revealDocument(
        at url: URL,
        importIfNeeded: Bool,
        completion: ((URL?, (any Error)?) -> Void)? = nil
    ) {
        if let id = model.id(of: url) {
            reveal(id)
            completion?(url, nil)
        } else if importIfNeeded {
            takeIn(url, mode: .copy, folder: model.folder) { [self] result in
                switch result {
                case .success(let place):
                    model.id(of: place).map(reveal)
                    completion?(place, nil)
                case .failure(let error):
                    completion?(nil, error)
                }
            }
        } else {
            completion?(nil, UIDocumentBrowserError(.noLocationAvailable, item: url))
        }
    }

    /// Imports a document into the folder of another one, under a free name.
    ///
    /// - Parameters:
    ///   - documentURL: The document.
    ///   - neighbourURL: The other one.
    ///   - importMode: Whether the document is copied or moved.
    ///   - completion: Called on the main actor with where it is now, or what went wrong.
    open func importDocument(
        at documentURL: URL,
        nextToDocumentAt neighbourURL: URL,
        mode importMode: ImportMode,
        completionHandler completion: @escaping (URL?, (any Error)?) -> Void
    ) {
        guard let neighbour = model.id(of: neighbourURL) else {
            completion(nil, UIDocumentBrowserError(.noLocationAvailable, item: neighbourURL))
            return
        }
        takeIn(documentURL, mode: importMode, folder: BrowserLocation.split(neighbour).folderID) { result in
            completion(try? result.get(), result.failure)
        }
    }

    /// Gives a document another name; its extension stays.
    ///
    /// - Parameters:
    ///   - documentURL: The document.
    ///   - proposedName: The name without an extension; one that is taken is an error.
    ///   - completion: Called on the main actor with where it is now, or what went wrong.
    open func renameDocument(
        at documentURL: URL,
        proposedName: String,
        completionHandler completion: @escaping (URL?, (any Error)?) -> Void
    ) {
        guard let id = model.id(of: documentURL) else {
            completion(nil, UIDocumentBrowserError(.noLocationAvailable, item: documentURL))
            return
        }
        model.rename(id, to: proposedName, showsExtension: false) { result in
            completion((try? result.get())?.items.first?.url, result.failure)
        }
    }

    private func reveal(_ id: String) {
        model.show(folder: BrowserLocation.split(id).folderID)
        tabSession?.send(.reveal(id))
    }

    /// Imports one document and tells the delegate.
    func takeIn(
        _ url: URL,
        mode: ImportMode,
        folder: String,
        _ finish: @escaping (Result<URL, any Error>) -> Void
    ) {
        guard mode != .none else {
            finish(.failure(UIDocumentBrowserError(.generic, item: url)))
            return
        }
        model.importItems(at: [url], into: folder, mode: mode == .move ? .move : .copy) { [self] result in
            switch result.map({ ($0.items.first?.url, $0.failures.first) }) {
            case .success((let place?, _)):
                delegate?.documentBrowser(self, didImportDocumentAt: url, toDestinationURL: place)
                finish(.success(place))
            case .success((nil, let failure)):
                let error: any Error = failure ?? UIDocumentBrowserError(.generic, item: url)
                delegate?.documentBrowser(self, failedToImportDocumentAt: url, error: error)
                finish(.failure(error))
            case .failure(let error):
                delegate?.documentBrowser(self, failedToImportDocumentAt: url, error: error)
                finish(.failure(error))
            }
        }
    }

    var tabSession: TabSession? {
        presentationWindow?.windowScene?.session.tabSession
    }
}

extension Result {
    /// The error, if it is one.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

public import Foundation

/// What an app does with the documents that people choose. Every method has a default, as Apple's are optional.
@MainActor @preconcurrency
public protocol UIDocumentBrowserViewControllerDelegate: NSObjectProtocol {
    /// People want a new document: make one, save and close it, and hand over where it is.
    ///
    /// - Parameters:
    ///   - controller: The browser.
    ///   - importHandler: Call it once: with a place and `.move` or `.copy`, or with nil and `.none` when
    ///     there is to be none. The document gets a free name in the folder that is shown.
    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didRequestDocumentCreationWithHandler importHandler:
            @escaping (
                URL?, UIDocumentBrowserViewController.ImportMode
            ) -> Void
    )
    /// People opened documents; one, unless several are allowed.
    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didPickDocumentsAt documentURLs: [URL]
    )
    /// The older name of the method above; called where the app does not have that one.
    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didPickDocumentURLs documentURLs: [URL]
    )
    /// A document was imported: show it.
    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didImportDocumentAt sourceURL: URL,
        toDestinationURL destinationURL: URL
    )
    /// A document could not be imported.
    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        failedToImportDocumentAt documentURL: URL,
        error: (any Error)?
    )
}

extension UIDocumentBrowserViewControllerDelegate {
    /// Makes none.
    public func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didRequestDocumentCreationWithHandler importHandler:
            @escaping (
                URL?, UIDocumentBrowserViewController.ImportMode
            ) -> Void
    ) {
        importHandler(nil, .none)
    }
    /// Calls the method's older name.
    public func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didPickDocumentsAt documentURLs: [URL]
    ) {
        documentBrowser(controller, didPickDocumentURLs: documentURLs)
    }
    /// Does nothing.
    public func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didPickDocumentURLs documentURLs: [URL]
    ) {}
    /// Does nothing.
    public func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didImportDocumentAt sourceURL: URL,
        toDestinationURL destinationURL: URL
    ) {}
    /// Does nothing.
    public func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        failedToImportDocumentAt documentURL: URL,
        error: (any Error)?
    ) {}
}

/// Something more that can be done to chosen documents.
@MainActor @preconcurrency
open class UIDocumentBrowserAction: NSObject {
    /// Where an action can be found.
    public struct Availability: OptionSet, Hashable, Sendable {
        /// Apple's bits.
        public let rawValue: Int
        /// Makes a set of Apple's bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// In an item's menu.
        public static let menu = Availability(rawValue: 1 << 0)
        /// In the bar, while items are being chosen.
        public static let navigationBar = Availability(rawValue: 1 << 1)
    }

    /// Its name among others.
    public let identifier: String
    /// What people read.
    public let localizedTitle: String
    /// Where it can be found.
    public let availability: Availability
    /// The identifiers of the types whose items it can be done to.
    open var supportedContentTypes = ["public.item"]
    /// Whether it can be done to several items at once.
    open var supportsMultipleItems = true
    let handler: ([URL]) -> Void

    /// Makes an action.
    ///
    /// - Parameters:
    ///   - identifier: Its name among the browser's actions.
    ///   - localizedTitle: What people read.
    ///   - availability: Where it can be found.
    ///   - handler: Called on the main actor with the chosen documents.
    public init(
        identifier: String,
        localizedTitle: String,
        availability: Availability,
        handler: @escaping ([URL]) -> Void
    ) {
        self.identifier = identifier
        self.localizedTitle = localizedTitle
        self.availability = availability
        self.handler = handler
        super.init()
    }
}

/// What a browser refuses.
public struct UIDocumentBrowserError: Error, CustomNSError, LocalizedError, Sendable {
    /// Apple's codes.
    public enum Code: Int, Sendable {
        /// Something went wrong.
        case generic = 1
        /// The item is in no location that the browser shows.
        case noLocationAvailable = 2
    }

    /// What went wrong.
    public let code: Code
    private let item: URL

    init(_ code: Code, item: URL) {
        self.code = code
        self.item = item
    }

    /// Apple's domain.
    public static let errorDomain = "UIDocumentBrowserErrorDomain"
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The item and what is wrong with it.
    public var errorUserInfo: [String: Any] {
        [NSURLErrorKey: item, NSLocalizedDescriptionKey: errorDescription ?? ""]
    }
    /// The item and what is wrong with it.
    public var errorDescription: String? {
        switch code {
        case .generic: "“\(item.lastPathComponent)” could not be brought here."
        case .noLocationAvailable:
            "“\(item.lastPathComponent)” is not among the documents that are shown. Import it first."
        }
    }

    /// Something went wrong.
    public static var generic: Code { .generic }
    /// The item is in no location that the browser shows.
    public static var noLocationAvailable: Code { .noLocationAvailable }
}

/// Apple's domain of a browser's errors.
public let UIDocumentBrowserErrorDomain = UIDocumentBrowserError.errorDomain

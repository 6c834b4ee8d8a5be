import UIKit
import WebKit

/// Shows a picture and a text. The editor is a page: Resources/Editor.
class ScrapbookViewController: UIDocumentViewController, WKScriptMessageHandler,
    WKNavigationDelegate
{
    private lazy var webView: WKWebView = {
        let configuration = WKWebViewConfiguration()
        configuration.userContentController.add(self, name: "scrapbook")
        return WKWebView(frame: .zero, configuration: configuration)
    }()
    private var observers: [any NSObjectProtocol] = []
    private var isReady = false
    private var isOwnEdit = false
    /// Whether the editor lets one change something.
    private var isEditable = false
    /// Whether the editor has shown nothing of the document since it loaded.
    private var isFirstShow = true
    /// Whether the editor did not get the picture that it was shown last; a picture is not sent twice for nothing.
    private var isPictureLost = false

    /// In an activity: where the text's selection begins and ends, in UTF-16 code units.
    static let caretKey = "caret"
    /// The selection, as the editor told it last; while the editor loads, what it is to be.
    var caret: [Int]?

    /// What brings the document and the caret back after a restart.
    var restorationActivity: NSUserActivity? {
        let activity = document.flatMap(DocumentActivity.make)
        if let caret { activity?.addUserInfoEntries(from: [Self.caretKey: caret]) }
        return activity
    }

    override func loadView() {
        view = webView
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        webView.navigationDelegate = self
        let editor = Bundle.module.bundleURL.appendingPathComponent("Resources/Editor")
        webView.loadFileURL(editor.appendingPathComponent("index.html"), allowingReadAccessTo: editor)
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        observers.forEach(NotificationCenter.default.removeObserver)
        observers = []
        webView.configuration.userContentController.removeAllScriptMessageHandlers()
    }

    override func documentDidOpen() {
        let center = NotificationCenter.default
        observers += [
            center.addObserver(
                forName: ScrapbookDocument.contentsDidChangeNotification,
                object: document,
                queue: nil
            ) { [weak self] note in
                let part = note.userInfo?[ScrapbookDocument.partKey] as? ScrapbookDocument.Part ?? .everything
                MainActor.assumeIsolated { self?.show(part) }
            },
            center.addObserver(
                forName: UIDocument.stateChangedNotification,
                object: document,
                queue: nil
            ) { [weak self] _ in MainActor.assumeIsolated { self?.showWhetherOpen() } },
        ]
        show(.everything)
    }

    /// Whether there are contents to show. They stay when somebody's deletion has closed the document.
    private var hasOpened: Bool { !observers.isEmpty }

    private func show(_ part: ScrapbookDocument.Part) {
        // What this editor typed stands in it already.
        guard isReady, hasOpened, !isOwnEdit, let document = document as? ScrapbookDocument else { return }
        if part != .picture {
            call("showText(text)", ["text": document.text ?? ""])
            // A large picture takes a moment; one can write meanwhile.
            isEditable = !document.documentState.contains(.closed)
            call("setEditable(editable)", ["editable": isEditable])
        }
        if isFirstShow, let caret, caret.count == 2 {
            call("placeCaret(start, end)", ["start": caret[0], "end": caret[1]])
        }
        isFirstShow = false
        if part != .text { showPicture(of: document) }
    }

    /// What is changed in a closed document is kept by nobody.
    private func showWhetherOpen() {
        guard isReady, let document else { return }
        let isOpen = !document.documentState.contains(.closed)
        guard isOpen != isEditable else { return }
        isEditable = isOpen
        call("setEditable(editable)", ["editable": isOpen])
    }

    private func showPicture(of document: ScrapbookDocument) {
        isPictureLost = false
        webView.callAsyncJavaScript(
            "showImage(image)",
            arguments: ["image": Self.message(document.picture)],
            in: nil,
            in: .page
        ) { [weak self] result in
            if case .failure = result { self?.isPictureLost = true }
        }
    }

    /// The editor has loaded, or there is another way to it; what was said on the old one may not have arrived.
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        show(isPictureLost ? .everything : .text)
    }

    private static func message(_ picture: ScrapbookDocument.Picture?) -> Any {
        guard let picture else { return NSNull() }
        return ["type": picture.type, "data": picture.data.base64EncodedString()]
    }

    private func call(_ body: String, _ arguments: [String: Any]) {
        webView.callAsyncJavaScript(body, arguments: arguments, in: nil, in: .page)
    }

    func userContentController(
        _ userContentController: WKUserContentController,
        didReceive message: WKScriptMessage
    ) {
        guard let body = message.body as? [String: Any], let kind = body["kind"] as? String else { return }
        if kind == "ready" {
            isReady = true
            isFirstShow = true
            show(.everything)
            return
        }
        if kind == "again" {
            show(body["part"] as? String == "picture" ? .picture : .text)
            return
        }
        if kind == "caret" {
            if let start = body["start"] as? Int, let end = body["end"] as? Int { caret = [start, end] }
            return
        }
        guard let document = document as? ScrapbookDocument, !document.documentState.contains(.closed) else {
            return
        }
        isOwnEdit = true
        defer { isOwnEdit = false }
        switch kind {
        case "text":
            document.typeText(body["text"] as? String)
        case "endOfTyping":
            document.endTyping()
        case "image":
            guard let type = body["type"] as? String, ScrapbookDocument.canHold(pictureOfType: type),
                let data = (body["data"] as? String).flatMap({ Data(base64Encoded: $0) })
            else { return }
            document.setPicture(.init(type: type, data: data))
        case "removeImage":
            document.setPicture(nil)
        default:
            break
        }
    }
}

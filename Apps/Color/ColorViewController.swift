import UIKit
import WebKit

/// Shows a color and three sliders to change it. The editor is a page: Resources/Editor.
class ColorViewController: UIDocumentViewController, WKScriptMessageHandler, WKNavigationDelegate {
    private lazy var webView: WKWebView = {
        let configuration = WKWebViewConfiguration()
        configuration.userContentController.add(self, name: "color")
        return WKWebView(frame: .zero, configuration: configuration)
    }()
    private var observers: [any NSObjectProtocol] = []
    private var isReady = false
    /// Whether the editor lets one change something, as it does when it has loaded.
    private var isEditable = false
    private var isOwnEdit = false

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

    /// What brings the document back after a restart.
    var restorationActivity: NSUserActivity? { document.flatMap(DocumentActivity.make) }

    override func documentDidOpen() {
        let center = NotificationCenter.default
        observers += [
            center.addObserver(
                forName: ColorDocument.colorDidChangeNotification,
                object: document,
                queue: nil
            ) { [weak self] _ in MainActor.assumeIsolated { self?.show() } },
            center.addObserver(
                forName: UIDocument.stateChangedNotification,
                object: document,
                queue: nil
            ) { [weak self] _ in MainActor.assumeIsolated { self?.showWhetherOpen() } },
        ]
        show()
    }

    /// Whether there is a color to show. It stays when somebody's deletion has closed the document.
    private var hasOpened: Bool { !observers.isEmpty }

    private func show() {
        // What this editor changed stands in it already.
        guard isReady, hasOpened, !isOwnEdit, let document = document as? ColorDocument else { return }
        webView.callAsyncJavaScript(
            "show(color)",
            arguments: [
                "color": [
                    "red": document.color.red, "green": document.color.green, "blue": document.color.blue,
                ]
            ],
            in: nil,
            in: .page
        )
    }

    /// What is changed in a closed document is kept by nobody.
    private func showWhetherOpen() {
        guard isReady, hasOpened, let document else { return }
        let isOpen = !document.documentState.contains(.closed)
        guard isOpen != isEditable else { return }
        isEditable = isOpen
        webView.callAsyncJavaScript(
            "setEditable(editable)",
            arguments: ["editable": isOpen],
            in: nil,
            in: .page
        )
    }

    /// The editor has loaded, or there is another way to it; what was said on the old one may not have arrived.
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        show()
    }

    func userContentController(
        _ userContentController: WKUserContentController,
        didReceive message: WKScriptMessage
    ) {
        guard let body = message.body as? [String: Any] else { return }
        switch body["kind"] as? String {
        case "ready":
            isReady = true
            isEditable = true
            show()
            showWhetherOpen()
        case "again":
            show()
        case "change":
            guard let document = document as? ColorDocument, !document.documentState.contains(.closed),
                let red = body["red"] as? Int, let green = body["green"] as? Int,
                let blue = body["blue"] as? Int
            else { return }
            isOwnEdit = true
            defer { isOwnEdit = false }
            document.setColor(
                RGB(red: red, green: green, blue: blue),
                isFinal: body["final"] as? Bool ?? true
            )
        default:
            break
        }
    }
}

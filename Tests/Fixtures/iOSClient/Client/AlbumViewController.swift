import UIKit
import WebKit

/// Shows an album in a page.
class AlbumViewController: UIViewController, WKScriptMessageHandler, WKNavigationDelegate {
    private let document: AlbumDocument
    private var webView: WKWebView!
    private var observer: NSObjectProtocol?

    init(document: AlbumDocument) {
        self.document = document
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) {
        fatalError("init(coder:) has not been implemented")
    }

    override func loadView() {
        let configuration = WKWebViewConfiguration()
        configuration.userContentController.add(self, name: "album")
        webView = WKWebView(frame: .zero, configuration: configuration)
        webView.navigationDelegate = self
        view = webView
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        title = document.localizedName
        let page = Bundle.module.bundleURL.appendingPathComponent("Resources/editor.html")
        webView.loadFileURL(page, allowingReadAccessTo: page.deletingLastPathComponent())
        observer = NotificationCenter.default.addObserver(
            forName: UIDocument.stateChangedNotification,
            object: document,
            queue: .main
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.showState() }
        }
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        document.open { success in
            if success {
                self.showText()
            } else {
                self.showFailure()
            }
        }
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        if let observer = observer { NotificationCenter.default.removeObserver(observer) }
        document.close(completionHandler: nil)
    }

    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        showText()
    }

    func userContentController(
        _ userContentController: WKUserContentController,
        didReceive message: WKScriptMessage
    ) {
        guard let text = message.body as? String else { return }
        document.text = text
    }

    private func showText() {
        webView.evaluateJavaScript("document.querySelector('textarea').value = \"\(document.text)\"") {
            _,
            error in
            if let error = error { print(error) }
        }
    }

    private func showState() {
        if document.documentState.contains(.inConflict) { print("conflict") }
        navigationItem.rightBarButtonItem?.isEnabled = !document.documentState.contains(.editingDisabled)
    }

    private func showFailure() {
        let alert = UIAlertController(title: "Cannot Open", message: nil, preferredStyle: .alert)
        alert.addAction(
            UIAlertAction(title: "OK", style: .default) { [weak self] _ in
                self?.dismiss(animated: true, completion: nil)
            }
        )
        present(alert, animated: true)
    }
}

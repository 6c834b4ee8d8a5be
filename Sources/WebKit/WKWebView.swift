public import Foundation
public import UIKit

/// How a web view is made.
@MainActor @preconcurrency
open class WKWebViewConfiguration: NSObject {
    /// Its scripts and message handlers.
    open var userContentController = WKUserContentController()

    /// Makes a configuration without scripts and handlers.
    public override init() { super.init() }
}

/// One load of a page.
@MainActor @preconcurrency
open class WKNavigation: NSObject {}

/// What an app does when a web view has loaded. Every method has a default, as Apple's are optional.
@MainActor @preconcurrency
public protocol WKNavigationDelegate: NSObjectProtocol {
    /// Called on the main actor when the page's document has loaded, and again when a tab was reloaded.
    ///
    /// Differs from Darwin: also when the tab has another connection after one that was cut. The page is as it was
    /// then; scripts that were under way have failed, whether they were run or not. What it posted meanwhile comes
    /// after this, and is not to be shown away.
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!)
}

extension WKNavigationDelegate {
    /// Does nothing.
    public func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {}
}

/// A page inside the app: an editor made of HTML, CSS and JavaScript.
///
/// It runs in a sandboxed frame of the tab that shows it. It can post to its message handlers and be called;
/// it reaches neither the network nor the page around it.
///
/// Differs from Darwin: the page is loaded only while a tab shows the view, and anew in each tab; fill it when it
/// says that it is ready, or in `webView(_:didFinish:)`.
@MainActor @preconcurrency
open class WKWebView: UIView {
    /// How it was made.
    public let configuration: WKWebViewConfiguration
    /// Who is told of loads.
    open weak var navigationDelegate: (any WKNavigationDelegate)?
    /// What it shows.
    public private(set) var url: URL?

    private let editor = EditorFrame()
    private var navigation: WKNavigation?

    /// Makes a web view.
    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        self.configuration = configuration
        super.init(frame: frame)
        editorFrame = editor
        editor.onLoad = { [weak self] in
            guard let self else { return }
            navigationDelegate?.webView(self, didFinish: navigation)
        }
        editor.onMessage = { [weak self] handler, body, answer in
            guard let self else { return }
            let message = WKScriptMessage(body: body, name: handler, webView: self)
            self.configuration.userContentController.receive(message) { value, error in
                answer(error.map { .failure(EditorFrameError(message: $0)) } ?? .success(value))
            }
        }
    }

    /// Makes a web view without scripts and handlers.
    public override convenience init(frame: CGRect) {
        self.init(frame: frame, configuration: WKWebViewConfiguration())
    }

    private var scripts: [EditorScript] {
        configuration.userContentController.userScripts.map {
            EditorScript(source: $0.source, runsAtEnd: $0.injectionTime == .atDocumentEnd)
        }
    }

    /// Shows a file.
    ///
    /// - Parameters:
    ///   - URL: The file.
    ///   - readAccessURL: What the page may load: this file, or all in this folder.
    @discardableResult
    open func loadFileURL(_ URL: URL, allowingReadAccessTo readAccessURL: URL) -> WKNavigation? {
        let file = URL.standardizedFileURL
        let isFile = readAccessURL.standardizedFileURL == file
        let folder = isFile ? file.deletingLastPathComponent() : readAccessURL.standardizedFileURL
        let prefix = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        precondition(
            file.path.hasPrefix(prefix),
            "\(file.path) is not inside \(folder.path), which may be read"
        )
        url = URL
        editor.show(folder: folder, path: String(file.path.dropFirst(prefix.count)), scripts: scripts)
        return begin()
    }

    /// Shows a text of HTML.
    ///
    /// - Parameters:
    ///   - string: The text.
    ///   - baseURL: Has no effect: such a page loads no other files.
    @discardableResult
    open func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? {
        url = baseURL
        editor.show(html: string, scripts: scripts)
        return begin()
    }

    private func begin() -> WKNavigation {
        let begun = WKNavigation()
        navigation = begun
        return begun
    }

    /// Runs a script in the page.
    ///
    /// Before the page has loaded, the script waits for it.
    ///
    /// - Parameters:
    ///   - javaScriptString: The script.
    ///   - completionHandler: Called on the main actor with the script's value or its error.
    open func evaluateJavaScript(
        _ javaScriptString: String,
        completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
    ) {
        editor.evaluate(javaScriptString) { answer in
            switch answer {
            case .success(let value): completionHandler?(value, nil)
            case .failure(let error): completionHandler?(nil, error)
            }
        }
    }

    /// Runs a script in the page and gives its value; nil for none.
    @discardableResult
    open func evaluateJavaScript(_ javaScriptString: String) async throws -> Any? {
        try await withCheckedThrowingContinuation { continuation in
            editor.evaluate(javaScriptString) {
                continuation.resume(with: $0.map(Handed.init).mapError { $0 })
            }
        }.value
    }

    /// Runs the body of an asynchronous function in the page.
    ///
    /// - Parameters:
    ///   - functionBody: JavaScript that may await.
    ///   - arguments: JSON values that the body finds under these names.
    ///   - frame: Must be nil: there is one frame.
    ///   - contentWorld: There is one world.
    /// - Returns: What the body returns; nil for nothing.
    @discardableResult
    open func callAsyncJavaScript(
        _ functionBody: String,
        arguments: [String: Any] = [:],
        in frame: WKFrameInfo? = nil,
        contentWorld: WKContentWorld
    ) async throws -> Any? {
        try await withCheckedThrowingContinuation { continuation in
            editor.callAsync(functionBody, arguments: arguments) {
                continuation.resume(with: $0.map(Handed.init).mapError { $0 })
            }
        }.value
    }

    /// Runs the body of an asynchronous function in the page.
    ///
    /// - Parameters:
    ///   - functionBody: JavaScript that may await.
    ///   - arguments: JSON values that the body finds under these names.
    ///   - frame: Must be nil: there is one frame.
    ///   - contentWorld: There is one world.
    ///   - completionHandler: Called on the main actor with what the body returns or its error.
    open func callAsyncJavaScript(
        _ functionBody: String,
        arguments: [String: Any] = [:],
        in frame: WKFrameInfo? = nil,
        in contentWorld: WKContentWorld,
        completionHandler: (@MainActor @Sendable (Result<Any, any Error>) -> Void)? = nil
    ) {
        editor.callAsync(functionBody, arguments: arguments) { answer in
            completionHandler?(answer.map { $0 ?? NSNull() }.mapError { $0 })
        }
    }
}

/// A frame inside a page. Editors have none that can be named.
@MainActor @preconcurrency
open class WKFrameInfo: NSObject {}

/// A script's value on its way from the main actor to the main actor.
private struct Handed: @unchecked Sendable {
    // Sendable because both ends of the continuation are on the main actor.
    let value: Any?
}

public import Foundation

/// The scripts that run in a web view beside the page's own, and the names under which it can post messages.
@MainActor @preconcurrency
open class WKUserContentController: NSObject {
    /// The scripts, in the order in which they were added.
    public private(set) var userScripts: [WKUserScript] = []

    private var handlers: [String: any WKScriptMessageHandler] = [:]
    private var replyingHandlers: [String: any WKScriptMessageHandlerWithReply] = [:]

    /// Makes one without scripts and handlers.
    public override init() { super.init() }

    /// Adds a script; it runs in what is loaded from now on.
    open func addUserScript(_ userScript: WKUserScript) {
        userScripts.append(userScript)
    }

    /// Removes all scripts.
    open func removeAllUserScripts() {
        userScripts = []
    }

    /// Lets the page post to `window.webkit.messageHandlers.<name>`.
    ///
    /// - Parameters:
    ///   - scriptMessageHandler: Held until it is removed, as on iOS.
    ///   - name: No other handler may have it: that traps.
    open func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) {
        precondition(!isTaken(name), "There is a message handler named “\(name)” already")
        handlers[name] = scriptMessageHandler
    }

    /// Lets the page post to `window.webkit.messageHandlers.<name>` and await an answer.
    ///
    /// - Parameters:
    ///   - scriptMessageHandlerWithReply: Held until it is removed.
    ///   - contentWorld: Only the page's own world exists here.
    ///   - name: No other handler may have it: that traps.
    open func addScriptMessageHandler(
        _ scriptMessageHandlerWithReply: any WKScriptMessageHandlerWithReply,
        contentWorld: WKContentWorld,
        name: String
    ) {
        precondition(!isTaken(name), "There is a message handler named “\(name)” already")
        replyingHandlers[name] = scriptMessageHandlerWithReply
    }

    /// Takes a name back.
    open func removeScriptMessageHandler(forName name: String) {
        handlers[name] = nil
        replyingHandlers[name] = nil
    }

    /// Takes all names back.
    open func removeAllScriptMessageHandlers() {
        handlers = [:]
        replyingHandlers = [:]
    }

    private func isTaken(_ name: String) -> Bool {
        handlers[name] != nil || replyingHandlers[name] != nil
    }

    /// Hands a message to who wants it; the answer is a value or an error in words.
    func receive(_ message: WKScriptMessage, _ answer: @escaping (Any?, String?) -> Void) {
        if let handler = replyingHandlers[message.name] {
            handler.userContentController(self, didReceive: message, replyHandler: answer)
        } else if let handler = handlers[message.name] {
            handler.userContentController(self, didReceive: message)
            answer(nil, nil)
        } else {
            answer(nil, "There is no message handler named “\(message.name)”.")
        }
    }
}

/// Where a script runs. There is one world here: the page's.
@MainActor @preconcurrency
open class WKContentWorld: NSObject {
    /// The world of the page's own scripts.
    public static let page = WKContentWorld()

    private override init() { super.init() }
}

/// A script that runs in every page that a web view loads.
@MainActor @preconcurrency
open class WKUserScript: NSObject {
    /// The script.
    public let source: String
    /// When it runs.
    public let injectionTime: WKUserScriptInjectionTime
    /// Whether it leaves frames inside the page alone. An editor has none that are scripted.
    public let isForMainFrameOnly: Bool

    /// Makes a script.
    public init(source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool) {
        self.source = source
        self.injectionTime = injectionTime
        isForMainFrameOnly = forMainFrameOnly
        super.init()
    }
}

/// When a user script runs.
public enum WKUserScriptInjectionTime: Int, Sendable {
    /// Before anything of the page.
    case atDocumentStart = 0
    /// When the page's document has been parsed.
    case atDocumentEnd = 1
}

/// What a page posted.
@MainActor @preconcurrency
open class WKScriptMessage: NSObject {
    /// The value: text, number, array, dictionary, or `NSNull`.
    public let body: Any
    /// The handler that it was posted to.
    public let name: String
    /// The web view that the page is in.
    public private(set) weak var webView: WKWebView?

    init(body: Any, name: String, webView: WKWebView) {
        self.body = body
        self.name = name
        self.webView = webView
        super.init()
    }
}

/// Takes what a page posts.
@MainActor @preconcurrency
public protocol WKScriptMessageHandler: NSObjectProtocol {
    /// Called on the main actor for each message.
    func userContentController(
        _ userContentController: WKUserContentController,
        didReceive message: WKScriptMessage
    )
}

/// Takes what a page posts, and answers.
@MainActor @preconcurrency
public protocol WKScriptMessageHandlerWithReply: NSObjectProtocol {
    /// Called on the main actor for each message.
    ///
    /// - Parameters:
    ///   - userContentController: Whose page posted.
    ///   - message: What it posted.
    ///   - replyHandler: Takes a value, or nil and an error in words; call it once.
    func userContentController(
        _ userContentController: WKUserContentController,
        didReceive message: WKScriptMessage,
        replyHandler: @escaping (Any?, String?) -> Void
    )
}

internal import Foundation
internal import Locks

/// One editor in a tab: the files it is made of, and the way to it and back.
///
/// The editor runs in a sandboxed frame that can reach neither the page around it nor the network. Calls made
/// before its document has loaded wait for it; a tab that is reloaded loads it again.
@MainActor
package final class EditorFrame {
    /// What came of a call: the value, or what went wrong.
    package typealias Answer = Result<Any?, EditorFrameError>

    /// What the page calls this frame.
    package let identifier = UUID().uuidString
    /// The address of the frame's document, as the page loads it; nil while there is nothing to show.
    package var address: String? { path.map { EditorFiles.address(key, $0) } }

    /// Called when the editor posts to a handler; the last argument takes the answer, a value or an error.
    package var onMessage: ((_ handler: String, _ body: Any, _ answer: @escaping (Answer) -> Void) -> Void)?
    /// Called when the editor's document has loaded.
    package var onLoad: (() -> Void)?

    private var key = EditorFiles.newKey()
    /// The document's path below its folder, as it stands in an address.
    private var path: String?
    private var source: EditorFiles.Source?
    private var isLoaded = false
    private var waiting: [(message: [String: Any], answer: (Answer) -> Void)] = []
    private var calls: [Int: (Answer) -> Void] = [:]
    private var callsMade = 0
    private weak var tab: TabSession?

    package init() {
        EditorFrames.add(self)
    }

    isolated deinit {
        EditorFiles.remove(key)
        failCalls("The editor is gone.")
        for call in waiting { call.answer(.failure(EditorFrameError(message: "The editor is gone."))) }
    }

    /// Shows a file, and lets it load what else is in a folder.
    ///
    /// - Parameters:
    ///   - folder: What the editor may read: this folder and all in it.
    ///   - path: The file to show, below the folder.
    ///   - scripts: Run before the editor's own scripts, or after its document was parsed.
    package func show(folder: URL, path: String, scripts: [EditorScript]) {
        load(.folder(folder, scripts), EditorFiles.escaped(path))
    }

    /// Shows a text of HTML.
    package func show(html: String, scripts: [EditorScript]) {
        load(.document(html, scripts), "")
    }

    private func load(_ newSource: EditorFiles.Source, _ newPath: String) {
        EditorFiles.set(newSource, for: key)
        source = newSource
        isLoaded = false
        failCalls("The editor was loaded anew.")
        let isSame = path == newPath
        path = newPath
        if isSame { tab?.send(.web(identifier, ["do": "load"])) }
        SceneUpdates.request()
    }

    /// Runs a script and gives its value.
    package func evaluate(_ script: String, _ answer: @escaping (Answer) -> Void) {
        call(["do": "evaluate", "script": script], answer)
    }

    /// Runs the body of an asynchronous function with named arguments and gives what it returns.
    package func callAsync(_ body: String, arguments: [String: Any], _ answer: @escaping (Answer) -> Void) {
        call(["do": "callAsync", "body": body, "arguments": arguments], answer)
    }

    private func call(_ message: [String: Any], _ answer: @escaping (Answer) -> Void) {
        guard isLoaded, let tab else {
            waiting.append((message, answer))
            return
        }
        guard JSONSerialization.isValidJSONObject(message) else {
            answer(.failure(EditorFrameError(message: "The arguments of a script must be JSON values.")))
            return
        }
        callsMade += 1
        calls[callsMade] = answer
        var message = message
        message["call"] = callsMade
        if tab.send(.web(identifier, message)) { return }
        calls[callsMade] = nil
        answer(.failure(EditorFrameError(message: "A script and its arguments are too long for a tab.")))
    }

    // MARK: From the page

    /// The tab that shows the frame from now on; the document is loaded there anew.
    func attach(to newTab: TabSession) {
        guard tab !== newTab else { return }
        tab = newTab
        if let source, let path, let spare = newTab.takeSpare(of: path) {
            EditorFiles.remove(key)
            key = spare
            EditorFiles.set(source, for: key)
        }
        tabLost()
    }

    /// The tab is gone: what was asked of it is not answered any more.
    func tabLost() {
        isLoaded = false
        failCalls("The tab that showed the editor is gone.")
    }

    /// Answers what is not going to be answered by a page, in the order in which it was asked.
    private func failCalls(_ reason: String) {
        let lost = calls.sorted { $0.key < $1.key }
        calls = [:]
        for (_, answer) in lost { answer(.failure(EditorFrameError(message: reason))) }
    }

    func received(_ message: [String: Any]) {
        if message["event"] as? String == "loaded" {
            isLoaded = true
            if let path { tab?.holdSpare(of: path) }
            let queued = waiting
            waiting = []
            for (message, answer) in queued { self.call(message, answer) }
            // Last, so that what is said then is not overtaken by what was said before.
            onLoad?()
        } else if let call = message["call"] as? Int, let answer = calls.removeValue(forKey: call) {
            if let text = message["error"] as? String {
                answer(.failure(EditorFrameError(message: text)))
            } else {
                answer(.success(message["value"]))
            }
        } else if let handler = message["handler"] as? String {
            take(message, for: handler)
        }
    }

    private func take(_ message: [String: Any], for handler: String) {
        let reply = message["reply"] as? Int
        guard let onMessage else {
            self.reply(reply, ["error": "Nobody listens to this editor any more."])
            return
        }
        onMessage(handler, message["body"] ?? NSNull()) { [weak self] answer in
            switch answer {
            case .success(let value):
                let value: Any = value ?? NSNull()
                let isJSON = JSONSerialization.isValidJSONObject([value])
                self?.reply(reply, isJSON ? ["value": value] : ["error": "The reply is no JSON value."])
            case .failure(let error):
                self?.reply(reply, ["error": error.message])
            }
        }
    }

    private func reply(_ number: Int?, _ members: [String: Any]) {
        guard let number else { return }
        let message = members.merging(["do": "reply", "id": number]) { own, _ in own }
        tab?.answer(number, .web(identifier, message))
    }
}

/// What went wrong in an editor.
package struct EditorFrameError: Error, LocalizedError, Sendable {
    /// One sentence, or the script's own error.
    package var message: String
    package init(message: String) { self.message = message }
    package var errorDescription: String? { message }
}

/// A script that runs in an editor beside its own.
package struct EditorScript: Sendable, Hashable {
    package var source: String
    package var runsAtEnd: Bool
    package init(source: String, runsAtEnd: Bool) {
        self.source = source
        self.runsAtEnd = runsAtEnd
    }
}

/// The frames that exist, by what the page calls them.
@MainActor
enum EditorFrames {
    private final class Reference {
        weak var frame: EditorFrame?
        init(_ frame: EditorFrame) { self.frame = frame }
    }

    private static var references: [String: Reference] = [:]

    static func add(_ frame: EditorFrame) {
        references = references.filter { $0.value.frame != nil }
        references[frame.identifier] = Reference(frame)
    }

    static func frame(_ identifier: String) -> EditorFrame? {
        references[identifier]?.frame
    }
}

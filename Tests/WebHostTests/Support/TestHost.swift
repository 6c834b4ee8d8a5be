import Foundation
import Locks
import Testing

@testable import HTTPService
@testable import WebHost

/// A folder of its own for one test, removed with it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("webhost-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func write(_ text: String, to path: String) throws {
        let place = url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: place)
    }
}

/// What a host told its delegate.
enum News: Equatable, Sendable {
    case connected(String)
    case received(String, String)
    case disconnected(String)
    case refused(UInt32)
    case uploaded(batch: String, path: String, byteCount: UInt64)
}

/// A delegate that writes everything down, and waits for what a test expects.
final class RecordingDelegate: WebHostDelegate {
    private struct State {
        var news: [News] = []
        var tabs: [String: WebTab] = [:]
        var onMessage: (@Sendable (WebTab, String) -> Void)?
        var proofKey = ""
        var makePage: @Sendable () async -> WebResponse = { .html("<!doctype html><p>The page") }
    }
    private let state = Locked(State())
    private let changed = DispatchSemaphore(value: 0)
    let uploads: URL
    let editor: URL
    static let editorKey = "0123456789abcdef0123456789abcdef"

    init(uploads: URL, editor: URL) {
        self.uploads = uploads
        self.editor = editor
    }

    func page(for request: WebRequest, proofKey: String) async -> WebResponse {
        await state.withLock {
            $0.proofKey = proofKey
            return $0.makePage
        }()
    }

    func editorFile(key: String, path: String, request: WebRequest) async -> WebResponse {
        guard WebHost.isEqual(key, Self.editorKey) else { return .text("no", status: 404) }
        return .file(editor.appendingPathComponent(path))
    }

    func thumbnail(tab: String, item: String) async -> WebResponse {
        WebResponse(
            status: 200,
            headers: [
                WebHeader("Content-Type", "image/png"), WebHeader("Cache-Control", "private, no-cache"),
            ],
            body: .bytes(Data("\(tab) \(item)".utf8))
        )
    }

    func uploadDestination(tab: String, batch: String, path: String) throws -> URL {
        if batch == "refused" { throw CocoaError(.fileWriteNoPermission) }
        return uploads.appendingPathComponent(batch).appendingPathComponent(path)
    }

    func uploadFinished(_ upload: WebUpload) {
        note(.uploaded(batch: upload.batch, path: upload.path, byteCount: upload.byteCount))
    }

    func tabConnected(_ tab: WebTab) {
        state.withLock { $0.tabs[tab.id] = tab }
        note(.connected(tab.id))
    }

    func tab(_ tab: WebTab, received text: String) {
        state.withLock { $0.onMessage }?(tab, text)
        note(.received(tab.id, text))
    }

    func visitorRefused(ofUser user: UInt32) { note(.refused(user)) }

    func tabDisconnected(_ tab: WebTab) { note(.disconnected(tab.id)) }

    func setPage(_ make: @escaping @Sendable () async -> WebResponse) {
        state.withLock { $0.makePage = make }
    }
    func setOnMessage(_ act: @escaping @Sendable (WebTab, String) -> Void) {
        state.withLock { $0.onMessage = act }
    }
    func tab(_ id: String) -> WebTab? { state.withLock { $0.tabs[id] } }
    /// What the last page was given.
    var proofKey: String { state.withLock { $0.proofKey } }
    var news: [News] { state.withLock { $0.news } }

    /// Waits until the news satisfy a condition; false after 30 seconds, which only a failing test takes.
    func waitFor(_ condition: @escaping @Sendable ([News]) -> Bool) async throws -> Bool {
        try await offPool { [self] in
            while !condition(news) {
                if changed.wait(timeout: .now() + 30) == .timedOut { return condition(news) }
            }
            return true
        }
    }

    private func note(_ item: News) {
        state.withLock { $0.news.append(item) }
        changed.signal()
    }
}

/// A running host with a page, an editor and a place for uploads.
final class TestHost: Sendable {
    let folder: TemporaryFolder
    let delegate: RecordingDelegate
    let host: WebHost
    let link: URL
    let port: UInt16

    init(
        folder: TemporaryFolder? = nil,
        change: (inout WebHostConfiguration) -> Void = { _ in }
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        try folder.write("console.log('page')", to: "page/app.js")
        try folder.write("body {}", to: "page/styles/app.css")
        try folder.write("secret", to: "secret.txt")
        try folder.write("0123456789", to: "editor/digits.txt")
        try folder.write("<p>editor", to: "editor/index.html")
        delegate = RecordingDelegate(
            uploads: folder.url.appendingPathComponent("uploads"),
            editor: folder.url.appendingPathComponent("editor")
        )
        var configuration = WebHostConfiguration(
            pageDirectory: folder.url.appendingPathComponent("page"),
            stateDirectory: folder.url.appendingPathComponent("state")
        )
        change(&configuration)
        host = try WebHost(configuration: configuration, delegate: delegate)
        link = try host.start()
        port = UInt16(try #require(link.port))
    }

    var authority: String { "127.0.0.1:\(port)" }
    var origin: String { "http://\(authority)" }
    var token: String { link.query?.replacingOccurrences(of: "token=", with: "") ?? "" }

    /// Signs in as a browser would, and returns the cookie.
    func signIn() async throws -> String {
        let response = try await request("GET", "/?token=\(token)")
        let cookie = try #require(response.header("set-cookie"))
        return String(cookie.prefix { $0 != ";" })
    }

    /// One request on a connection of its own.
    func request(
        _ method: String,
        _ target: String,
        headers: [String: String] = [:],
        body: [UInt8] = []
    ) async throws -> RawResponse {
        let client = try RawClient(port: port)
        var all = ["Host": authority, "Connection": "close"]
        if !body.isEmpty { all["Content-Length"] = "\(body.count)" }
        all.merge(headers) { $1 }
        let head = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.joined()
        try await client.write(Array("\(method) \(target) HTTP/1.1\r\n\(head)\r\n".utf8) + body)
        return try await client.response(toHead: method == "HEAD")
    }

    /// A tab of the page.
    func openTab(_ id: String, cookie: String, challenge: String? = nil) async throws -> WebSocketClient {
        try await WebSocketClient(
            port: port,
            target: "/live?tab=\(id)" + (challenge.map { "&challenge=\($0)" } ?? ""),
            headers: ["Cookie": cookie, "Origin": origin]
        )
    }

    static func tabID(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

internal import Cryptography
internal import Dispatch
internal import Foundation
internal import HTTPService
internal import Locks

/// Decides what each request of a host comes to.
///
/// Its state, the tabs, is under one lock.
///
/// Every request passes the same gates in the same order: name of the machine, origin, then the address with
/// its own authorisation. Every answer gets its security headers in `secured`.
final class WebHostRouter: HTTPRequestHandler {
    private let access: AccessPolicy
    private let visitors: VisitorTokens
    private let proof: LineProof
    private let configuration: WebHostConfiguration
    private let files: PageFiles
    private let delegate: WeakDelegate
    private let loop: SocketLoop
    private let queue: DispatchQueue
    /// The latest connection of each tab id.
    ///
    /// Entered on the loop's thread, removed with the news of its end.
    private let tabs = Locked([String: WebTab]())

    /// Routes for one running host.
    init(
        access: AccessPolicy,
        visitors: VisitorTokens,
        proof: LineProof,
        configuration: WebHostConfiguration,
        files: PageFiles,
        delegate: WeakDelegate,
        loop: SocketLoop,
        queue: DispatchQueue
    ) {
        self.access = access
        self.visitors = visitors
        self.proof = proof
        self.configuration = configuration
        self.files = files
        self.delegate = delegate
        self.loop = loop
        self.queue = queue
    }

    func answer(to request: WebRequest) -> HTTPAnswer {
        guard let authority = access.authority(of: request) else {
            return refuse(421, "This server answers to 127.0.0.1 and localhost only.", authority: "127.0.0.1")
        }
        switch request.target.components.first {
        case nil: return answerRoot(request, authority)
        case "page": return answerPageFile(request, authority)
        case "web": return answerEditorFile(request, authority)
        case "thumbnail": return answerThumbnail(request, authority)
        case "upload": return answerUpload(request, authority)
        case "live": return answerLive(request, authority)
        default: return refuse(404, "There is nothing at this address.", authority: authority)
        }
    }

    // MARK: - The page

    private func answerRoot(_ request: WebRequest, _ authority: String) -> HTTPAnswer {
        if let refusal = gate(request, authority, methods: ["GET", "HEAD"], .oursIfSent) { return refusal }
        let isIn = access.hasSession(request)
        // Who is in already uses up a link for one all the same: its token was seen by others.
        if let token = request.target.value("token"), opens(token, request) || isIn {
            return .respond(SecurityHeaders.secured(welcome(request), authority: authority))
        }
        guard isIn else {
            return .respond(
                SecurityHeaders.secured(.html(Self.closedDoor, status: 401), authority: authority)
            )
        }
        return .wait { [delegate, proof] in
            let response =
                await delegate.object?.page(for: request, proofKey: proof.key) ?? Self.programGone
            return SecurityHeaders.secured(response, authority: authority)
        }
    }

    /// Gives a browser the session, and leads it to the page.
    ///
    /// Where another site's page or a file has led here, the browser leaves out the cookie of all that it is redirected to. What a
    /// page of ours leads to gets it.
    private func welcome(_ request: WebRequest) -> WebResponse {
        let site = request.header("Sec-Fetch-Site") ?? "none"
        let response =
            ["none", "same-origin"].contains(site)
            ? WebResponse(status: 303, headers: [WebHeader("Location", "/")]) : .html(Self.openDoor)
        return response.setting(access.sessionCookie.name, access.sessionCookie.value)
    }

    /// Whether a token lets its bearer in. One that does so once is not used up by who only looks what there is.
    private func opens(_ token: String, _ request: WebRequest) -> Bool {
        access.isToken(token) || request.method == "GET" && visitors.take(token)
    }

    private func answerPageFile(_ request: WebRequest, _ authority: String) -> HTTPAnswer {
        if let refusal = gate(request, authority, methods: ["GET", "HEAD"], .oursIfSent) { return refusal }
        guard access.hasSession(request) else { return unauthorised(authority) }
        let path = request.target.components.dropFirst().joined(separator: "/")
        guard !request.target.endsWithSlash, let response = files.response(at: path) else {
            return refuse(404, "The page has no such file.", authority: authority)
        }
        return .respond(SecurityHeaders.secured(response, authority: authority))
    }

    private func answerThumbnail(_ request: WebRequest, _ authority: String) -> HTTPAnswer {
        if let refusal = gate(request, authority, methods: ["GET", "HEAD"], .oursIfSent) { return refusal }
        guard access.hasSession(request) else { return unauthorised(authority) }
        guard request.target.components.count == 1,
            let tab = request.target.value("tab"), Hexadecimal.isDigits(tab, count: 32),
            let item = request.target.value("item")
        else { return refuse(400, "A picture is asked for by its tab and its item.", authority: authority) }
        return .wait { [delegate] in
            let response =
                await delegate.object?.thumbnail(tab: tab.lowercased(), item: item) ?? Self.programGone
            return SecurityHeaders.securedPicture(response)
        }
    }

    private func answerEditorFile(_ request: WebRequest, _ authority: String) -> HTTPAnswer {
        if let refusal = gate(request, authority, methods: ["GET", "HEAD"], .oursOrNullIfSent) {
            return refusal
        }
        let components = request.target.components
        guard components.count > 1, Hexadecimal.isDigits(components[1], count: 32) else {
            return refuse(404, "There is nothing at this address.", authority: authority)
        }
        let rest = components.dropFirst(2)
        let path = rest.joined(separator: "/") + (request.target.endsWithSlash && !rest.isEmpty ? "/" : "")
        return .wait { [delegate] in
            let response =
                await delegate.object?.editorFile(key: components[1], path: path, request: request)
                ?? Self.programGone
            return SecurityHeaders.securedEditor(response, authority: authority)
        }
    }

    // MARK: - Uploads

    private func answerUpload(_ request: WebRequest, _ authority: String) -> HTTPAnswer {
        if let refusal = gate(request, authority, methods: ["POST"], .ours) { return refusal }
        guard access.hasSession(request) else { return unauthorised(authority) }
        guard request.target.components.count == 1,
            let tab = request.target.value("tab"), Hexadecimal.isDigits(tab, count: 32),
            let batch = request.target.value("batch"), UploadPath.isBatch(batch),
            let path = request.target.value("path"), UploadPath.isAcceptable(path)
        else {
            return refuse(
                400,
                "An upload names its tab, its batch and a relative path.",
                authority: authority
            )
        }
        guard let program = delegate.object else {
            return .respond(SecurityHeaders.secured(Self.programGone, authority: authority))
        }
        do {
            let url = try program.uploadDestination(tab: tab, batch: batch, path: path)
            let receiver = try UploadReceiver(url: url) { [delegate, queue] byteCount in
                let upload = WebUpload(tab: tab, batch: batch, path: path, url: url, byteCount: byteCount)
                queue.async { delegate.object?.uploadFinished(upload) }
            }
            return .receive(
                SecuredReceiver(receiver: receiver, authority: authority),
                byteCountMax: configuration.uploadByteCountMax
            )
        } catch let failure as SystemCallFailure {
            return .respond(SecurityHeaders.secured(UploadReceiver.answer(to: failure), authority: authority))
        } catch {
            return refuse(500, "The upload was refused: \(error.localizedDescription)", authority: authority)
        }
    }

    // MARK: - Tabs

    private func answerLive(_ request: WebRequest, _ authority: String) -> HTTPAnswer {
        if let refusal = gate(request, authority, methods: ["GET"], .ours) { return refusal }
        guard access.hasSession(request) else { return unauthorised(authority) }
        guard request.target.components.count == 1, let id = request.target.value("tab"),
            Hexadecimal.isDigits(id, count: 32)
        else { return refuse(400, "A tab names itself with 32 hexadecimal digits.", authority: authority) }
        let greeting: String?
        do throws(CryptographyError) {
            let challenge = request.target.value("challenge")
            guard challenge.map(LineProof.isChallenge) ?? true else {
                return refuse(400, "A challenge is 32 hexadecimal digits.", authority: authority)
            }
            greeting = try challenge.map { text throws(CryptographyError) in
                try proof.message(challenge: text, authority: authority)
            }
        } catch {
            return refuse(500, "\(error)", authority: authority)
        }
        switch WebSocketHandshake.judge(request) {
        case .refuse(let status, let headers, let reason):
            let response = headers.reduce(WebResponse.text(reason, status: status)) { response, header in
                response.setting(header.name, header.value)
            }
            return .respond(SecurityHeaders.secured(response, authority: authority))
        case .accept(let headers):
            return .upgrade(headers) { [self] socket in
                loop.post { [self] loop in connect(id.lowercased(), socket, greeting, loop) }
            }
        }
    }

    /// On the loop's thread, so that the end of a tab's earlier connection comes before the start of its
    /// next. What the tab asked us to prove goes out before all else.
    private func connect(_ id: String, _ socket: UpgradedSocket, _ greeting: String?, _ loop: SocketLoop) {
        let connection = WebSocketConnection(loop: loop, limits: configuration.webSocketLimits)
        if let greeting { connection.send(greeting) }
        let tab = WebTab(id: id, connection: connection)
        let earlier = tabs.withLock { tabs in
            defer { tabs[id] = tab }
            return tabs[id]
        }
        if let earlier { loop.end(earlier.connection.id) }
        let events = WebSocketEvents(
            queue: queue,
            opened: { [delegate] in delegate.object?.tabConnected(tab) },
            received: { [delegate] text in delegate.object?.tab(tab, received: text) },
            ended: { [delegate, tabs] in
                tabs.withLock { tabs in
                    if tabs[id] === tab { tabs[id] = nil }
                }
                delegate.object?.tabDisconnected(tab)
            }
        )
        loop.open(connection, on: socket, events: events)
    }

    // MARK: - Refusals

    private func gate(
        _ request: WebRequest,
        _ authority: String,
        methods: [String],
        _ rule: AccessPolicy.OriginRule
    ) -> HTTPAnswer? {
        guard methods.contains(request.method) else {
            let response = WebResponse.text(
                "This address takes \(methods.joined(separator: ", ")).",
                status: 405
            )
            .setting("Allow", methods.joined(separator: ", "))
            return .respond(SecurityHeaders.secured(response, authority: authority))
        }
        guard access.admitsOrigin(of: request, authority: authority, rule) else {
            return refuse(403, "Requests from other sites are not answered.", authority: authority)
        }
        return nil
    }

    private func unauthorised(_ authority: String) -> HTTPAnswer {
        refuse(401, "Open the link that the program printed when it started.", authority: authority)
    }

    private func refuse(_ status: Int, _ text: String, authority: String) -> HTTPAnswer {
        .respond(SecurityHeaders.secured(.text(text + "\n", status: status), authority: authority))
    }

    private static let programGone = WebResponse.text("The program is shutting down.\n", status: 503)

    private static let openDoor = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta http-equiv="refresh" content="0; url=/">
        <title>Documents</title>
        <p><a href="/">Go on to the documents</a></p>
        </html>

        """

    private static let closedDoor = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Open the printed link</title>
        <h1>Open the link that the program printed</h1>
        <p>When it started, the program printed a link to this page. Open that link once in this browser;
        afterwards this address works by itself.</p>
        </html>

        """
}

/// An upload's receiver whose answers carry the security headers.
private final class SecuredReceiver: HTTPBodyReceiver {
    private let receiver: UploadReceiver
    private let authority: String

    init(receiver: UploadReceiver, authority: String) {
        self.receiver = receiver
        self.authority = authority
    }

    func receive(_ bytes: UnsafeRawBufferPointer) { receiver.receive(bytes) }
    func finish() -> HTTPOutcome {
        .respond(SecurityHeaders.secured(receiver.finish(), authority: authority))
    }
    func abandon() { receiver.abandon() }
}

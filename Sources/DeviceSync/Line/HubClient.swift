internal import Dispatch
package import Foundation
internal import HTTPClient
package import HubProtocol
internal import Locks

/// A hub, asked over HTTP. Every call blocks, on any thread.
package final class HubClient: Sendable {
    private let http: HTTPClient
    private let token: Locked<String?>
    /// Nil for a client whose calls fail at once.
    private let losses: Locked<LinePatience?>
    /// Ends a call's wait for the line.
    private let closing = DispatchSemaphore(value: 0)

    /// What a call does while there is no line.
    package enum Losses: Sendable {
        /// It fails.
        case told
        /// It goes on trying for a minute. For who has an invitation that works once, and would not get another for an answer that
        /// was lost: all that a client asks is the same when it is asked twice.
        case borne
        /// So, once the hub has answered: where none is, that is said at once.
        case borneOnceReached
    }

    /// - Parameters:
    ///   - address: Where the hub is.
    ///   - token: What the hub gave this device when it was registered; nil before that.
    ///   - losses: What a call does while there is no line.
    /// - Throws: `LineFailure` for what is no address of a hub.
    package init(_ address: URL, token: String? = nil, losses: Losses = .told) throws {
        do { http = try HTTPClient(address) } catch { throw LineFailure(error.description) }
        self.token = Locked(token)
        self.losses = Locked(losses == .told ? nil : LinePatience(wasThere: losses == .borne))
    }

    /// Ends the calls that wait, and all later ones.
    package func close() {
        http.close()
        closing.signal()
    }

    /// How a hub answers who has no token.
    package struct Health: Sendable {
        package var roundTripSeconds: Double
        /// By how much its clock is ahead of this device's, to a second or so; nil where it does not say.
        package var clockAheadSeconds: Double?
    }

    /// - Throws: `LineFailure`, also where something else answers; `HubFailure`.
    package func health() throws -> Health {
        let begun = Date()
        let answer = try send("GET", .health, patience: .whole(seconds: 10))
        let now = Date()
        let health: HubHealth = try Self.read(answer, of: .health)
        guard health.status == "ok" else { throw LineFailure(notOfHub: answer.status, to: .health) }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let said = answer.headers["date"].flatMap(formatter.date)
        let roundTrip = now.timeIntervalSince(begun)
        // The header has whole seconds: half a one is added.
        let ahead = said.map { $0.timeIntervalSince(begun) + 0.5 - roundTrip / 2 }
        return Health(roundTripSeconds: roundTrip, clockAheadSeconds: ahead)
    }

    // MARK: The account

    /// Makes this device one of the hub's account, and uses the token from now on.
    package func register(_ registration: DeviceRegistration) throws -> DeviceCredentials {
        let credentials: DeviceCredentials = try ask("POST", .devices, registration)
        token.withLock { $0 = credentials.token }
        return credentials
    }

    package func devices() throws -> [DeviceListing] {
        let answer: DeviceListings = try ask("GET", .devices, nil as String?)
        return answer.devices
    }

    package func revoke(_ device: DeviceName) throws {
        let route = HubRoute.device(device)
        try Self.readNothing(try send("DELETE", route), of: route)
    }

    package func invite() throws -> Invitation { try ask("POST", .invitations, nil as String?) }

    package func makeContainer(_ container: ContainerName) throws {
        let made: ContainerListing = try ask("PUT", .container(container), nil as String?)
        guard made.container == container else {
            throw LineFailure(notOfHub: 200, to: .container(container))
        }
    }

    package func containers() throws -> [ContainerListing] {
        let answer: ContainerListings = try ask("GET", .containers, nil as String?)
        return answer.containers
    }

    package func putKeys(_ keys: WrappedKeys, for device: DeviceName, in container: ContainerName) throws {
        let route = HubRoute.keys(container, device)
        try Self.readNothing(try send("PUT", route, try HubMessage.encoded(keys)), of: route)
    }

    package func keys(for device: DeviceName, in container: ContainerName) throws -> [WrappedKeys] {
        let answer: WrappedKeysList = try ask("GET", .keys(container, device), nil as String?)
        return answer.generations
    }

    // MARK: Pairing

    func beginPairing() throws -> PairingStarted { try ask("POST", .pairings, nil as String?) }

    func say(_ message: PairingMessage, in pairing: String) throws {
        let _: PairingReceipt = try ask("POST", .pairingMessages(pairing), message)
    }

    func messages(of pairing: String, after number: Int, waitSeconds: Int) throws -> [NumberedPairingMessage]
    {
        let answer: PairingMessages = try ask(
            "GET",
            .pairingMessages(pairing),
            query: "?after=\(number)&wait=\(waitSeconds)",
            nil as String?,
            patience: .quiet(seconds: waitSeconds + 30)
        )
        return answer.messages
    }

    // MARK: Asking

    /// What a hub says takes no more: a page of the log has 8 MiB of records, which are a third more in JSON. Reading JSON takes some
    /// dozen times its bytes, and a hub is not trusted.
    static let messageByteCountMax = 16 << 20
    private static let refusalByteCountMax = 64 << 10

    /// Of silence alone: over a slow line a thousand entries take long, and begun anew they would take as long again.
    static let usualPatience = HTTPRequest.Patience.quiet(seconds: 60)

    /// Whether an address is one of this machine alone.
    package static func isOnThisMachine(_ address: URL) -> Bool { HTTPClient.isOnThisMachine(address) }

    /// Whether two addresses are one, however they are written.
    package static func isSame(_ one: URL, _ other: URL) -> Bool { parts(of: one) == parts(of: other) }

    private static func parts(of address: URL) -> [String] {
        let scheme = address.scheme?.lowercased() ?? ""
        let port = address.port ?? (scheme == "https" ? 443 : 80)
        let path = address.path.split(separator: "/").joined(separator: "/")
        return [scheme, address.host?.lowercased() ?? "", "\(port)", path]
    }

    func ask<Answer: Decodable>(
        _ method: String,
        _ route: HubRoute,
        query: String = "",
        _ question: (some Encodable)?,
        patience: HTTPRequest.Patience = usualPatience
    ) throws -> Answer {
        let body = try question.map { try HubMessage.encoded($0) }
        return try Self.read(try send(method, route, query: query, body, patience: patience), of: route)
    }

    /// What a hub has answered. That something has is no word of a hub's: a proxy that has lost its hub for a moment answers 200 to
    /// all, and so does the page by which a network lets people in.
    ///
    /// - Throws: `LineFailure` where it is no answer of a hub's.
    static func read<Answer: Decodable>(_ answer: HTTPAnswer, of route: HubRoute) throws -> Answer {
        do { return try HubMessage.decoded(Answer.self, from: answer.body) } catch {
            throw LineFailure(notOfHub: answer.status, to: route)
        }
    }

    /// That a hub has done what it says no more of.
    ///
    /// - Throws: `LineFailure` where it is no answer of a hub's.
    private static func readNothing(_ answer: HTTPAnswer, of route: HubRoute) throws {
        guard answer.status == 204, answer.body.isEmpty else {
            throw LineFailure(notOfHub: answer.status, to: route)
        }
    }

    /// - Returns: An answer that is no refusal. Whether it is a hub's has to be seen by what it says.
    func send(
        _ method: String,
        _ route: HubRoute,
        query: String = "",
        _ body: Data? = nil,
        type: String = "application/json",
        patience: HTTPRequest.Patience = usualPatience,
        answerByteCountMax: Int = messageByteCountMax
    ) throws -> HTTPAnswer {
        var headers = body == nil ? [:] : ["Content-Type": type]
        if let token = token.withLock({ $0 }) { headers["Authorization"] = "Bearer \(token)" }
        let request = HTTPRequest(
            method,
            route.path + query,
            headers: headers,
            body: body ?? (["POST", "PUT"].contains(method) ? Data() : nil),
            patience: patience,
            answerByteCountMax: answerByteCountMax
        )
        while true {
            do {
                let answer = try self.answer(to: request, route)
                losses.withLock { $0?.regain() }
                return answer
            } catch let failure as LineFailure {
                guard let seconds = losses.withLock({ $0?.pause(after: failure) }),
                    closing.wait(timeout: .now() + seconds) == .timedOut
                else { throw failure }
            }
        }
    }

    private func answer(to request: HTTPRequest, _ route: HubRoute) throws -> HTTPAnswer {
        let answer: HTTPAnswer
        do { answer = try http.send(request) } catch { throw LineFailure(error) }
        guard (200..<300).contains(answer.status) else {
            // What does not speak as a hub does is something else, such as a proxy.
            if answer.body.count <= Self.refusalByteCountMax,
                let failure = try? JSONDecoder().decode(HubFailure.self, from: answer.body)
            {
                throw failure
            }
            throw LineFailure(notOfHub: answer.status, to: route)
        }
        return answer
    }
}

extension LineFailure {
    /// What is broken may be whole again in a moment: then nobody has to do anything. A certificate stays as it is.
    init(_ error: HTTPClientError) {
        if error.kind == .untrusted {
            self.init(error.why, remedy: error.remedy)
        } else {
            self.init(error.description)
        }
    }

    /// - Parameter status: What came, with nothing that a hub says.
    init(notOfHub status: Int, to route: HubRoute) {
        self.init(
            """
            Something between this device and the hub answers in its place, such as a proxy, or a network that people have to sign in \
            to first: \(status), and not as a hub does, to \(route.path)
            """,
            remedy: Self.remedy(status),
            status: status
        )
    }

    /// What helps where something on the way refuses what the hub has never seen.
    private static func remedy(_ status: Int) -> String? {
        switch status {
        case 413:
            """
            What stands before the hub takes no request of this size. Have whoever runs it give it more room, such as nginx's \
            client_max_body_size 64m (see Docs/hub.md); then it goes on by itself.
            """
        case 403:
            """
            Sign in to this network, if it asks for that; else have whoever runs what stands before the hub let its requests through \
            (see Docs/hub.md). Then it goes on by itself.
            """
        default: nil
        }
    }
}

/// One container at a hub that is asked over HTTP.
package struct HubContainer: ContainerHub {
    private let client: HubClient
    private let container: ContainerName
    private let pages = LogPages()
    private let afterWait: @Sendable () -> Void

    /// - Parameter afterWait: Called when a request for the log has waited and nothing has come, by who has asked.
    package init(
        _ container: ContainerName,
        at client: HubClient,
        afterWait: @escaping @Sendable () -> Void = {}
    ) {
        (self.container, self.client, self.afterWait) = (container, client, afterWait)
    }

    package func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers {
        try client.ask("POST", .commits(container), CommitOffer(commits))
    }

    package func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
        let answer = try client.send(
            "GET",
            .log(container),
            query: pages.query(after: position, waitSeconds: waitSeconds),
            patience: .quiet(seconds: waitSeconds + 30)
        )
        let page = try pages.read(answer.body) { _ in try HubClient.read(answer, of: .log(container)) }
        if waitSeconds > 0, page.entries.isEmpty { afterWait() }
        return page
    }

    package func missing(_ names: [BlobName]) throws -> [BlobName] {
        let answer: MissingBlobs = try client.ask("POST", .missingBlobs(container), BlobNames(names))
        return answer.missing
    }

    /// One blob comes whatever it takes.
    private static let framesByteCountMax = HubLimits.blobByteCountMax + (1 << 10)
    /// Contents take as long as the line does; a hub may have to wait for its disk.
    private static let blobPatience = HTTPRequest.Patience.quiet(seconds: 120)

    package func store(_ frames: Data) throws {
        let answer = try client.send(
            "POST",
            .blobs(container),
            frames,
            type: BlobFrames.mediaType,
            patience: Self.blobPatience
        )
        let _: StoredBlobs = try HubClient.read(answer, of: .blobs(container))
    }

    package func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
        let question = try HubMessage.encoded(BlobNames(names))
        let answer = try client.send(
            "POST",
            .readBlobs(container),
            question,
            patience: Self.blobPatience,
            answerByteCountMax: Self.framesByteCountMax
        )
        guard answer.headers["content-type"] == BlobFrames.mediaType else {
            throw LineFailure(notOfHub: answer.status, to: .readBlobs(container))
        }
        // That it has none of them is told of a hub as its fault: nobody else is to have said so.
        if answer.body.isEmpty { _ = try missing(names) }
        return try BlobFrames.read(answer.body)
    }

    package func release(_ names: [BlobName], asOf head: LogHead) throws -> ReleasedBlobs {
        try client.ask("POST", .releasedBlobs(container), BlobRelease(names, asOf: head))
    }

    package func registrations() throws -> [DeviceListing] { try client.devices() }

    package func refuse(_ device: DeviceName) throws { try client.revoke(device) }

    package func keep(_ keys: WrappedKeys, for device: DeviceName) throws {
        try client.putKeys(keys, for: device, in: container)
    }

    package func keys(for device: DeviceName) throws -> [WrappedKeys] {
        try client.keys(for: device, in: container)
    }

    package func close() { client.close() }
}

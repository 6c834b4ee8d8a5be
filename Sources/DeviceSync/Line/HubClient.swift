package import Foundation
internal import HTTPClient
package import HubProtocol
internal import Locks

/// A hub, asked over HTTP. Every call blocks, on any thread.
package final class HubClient: Sendable {
    private let http: HTTPClient
    private let token: Locked<String?>

    /// - Parameters:
    ///   - address: Where the hub is.
    ///   - token: What the hub gave this device when it was registered; nil before that.
    /// - Throws: `LineFailure` for what is no address of a hub.
    package init(_ address: URL, token: String? = nil) throws {
        do { http = try HTTPClient(address) } catch { throw LineFailure(error.description) }
        self.token = Locked(token)
    }

    /// Ends the calls that wait, and all later ones.
    package func close() { http.close() }

    /// How a hub answers who has no token.
    package struct Health: Sendable {
        package var roundTripSeconds: Double
        /// By how much its clock is ahead of this device's, to a second or so; nil where it does not say.
        package var clockAheadSeconds: Double?
    }

    /// - Throws: `LineFailure`; `HubFailure`.
    package func health() throws -> Health {
        let begun = Date()
        let answer = try send("GET", .health, patience: .whole(seconds: 10))
        let now = Date()
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

    package func revoke(_ device: DeviceName) throws { _ = try send("DELETE", .device(device)) }

    package func invite() throws -> Invitation { try ask("POST", .invitations, nil as String?) }

    package func makeContainer(_ container: ContainerName) throws {
        _ = try send("PUT", .container(container))
    }

    package func containers() throws -> [ContainerListing] {
        let answer: ContainerListings = try ask("GET", .containers, nil as String?)
        return answer.containers
    }

    package func putKeys(_ keys: WrappedKeys, for device: DeviceName, in container: ContainerName) throws {
        _ = try send("PUT", .keys(container, device), try HubMessage.encoded(keys))
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

    /// Of silence alone: over a slow line a thousand entries take long, and begun anew they would take as long again.
    static let usualPatience = HTTPRequest.Patience.quiet(seconds: 60)

    /// Whether an address is one of this machine alone.
    package static func isOnThisMachine(_ address: URL) -> Bool { HTTPClient.isOnThisMachine(address) }

    func ask<Answer: Decodable>(
        _ method: String,
        _ route: HubRoute,
        query: String = "",
        _ question: (some Encodable)?,
        patience: HTTPRequest.Patience = usualPatience
    ) throws -> Answer {
        let body = try question.map { try HubMessage.encoded($0) }
        return try Self.read(
            try send(method, route, query: query, body, patience: patience).body,
            of: route
        )
    }

    /// What a hub has answered.
    static func read<Answer: Decodable>(_ body: Data, of route: HubRoute) throws -> Answer {
        do { return try HubMessage.decoded(Answer.self, from: body) } catch {
            throw LineFailure("What answers for \(route.path) does not speak as a hub does: \(error)")
        }
    }

    func send(
        _ method: String,
        _ route: HubRoute,
        query: String = "",
        _ body: Data? = nil,
        type: String = "application/json",
        patience: HTTPRequest.Patience = usualPatience
    ) throws -> HTTPAnswer {
        var headers = body == nil ? [:] : ["Content-Type": type]
        if let token = token.withLock({ $0 }) { headers["Authorization"] = "Bearer \(token)" }
        let request = HTTPRequest(
            method,
            route.path + query,
            headers: headers,
            body: body ?? (["POST", "PUT"].contains(method) ? Data() : nil),
            patience: patience
        )
        let answer: HTTPAnswer
        do { answer = try http.send(request) } catch { throw LineFailure(error.description) }
        guard (200..<300).contains(answer.status) else {
            // What does not speak as a hub does is something else, such as a proxy.
            if let failure = try? JSONDecoder().decode(HubFailure.self, from: answer.body) { throw failure }
            throw LineFailure("The hub's address answered \(answer.status) and no word of a hub's.")
        }
        return answer
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
        let page: LogPage = try pages.read(answer.body) { try HubClient.read($0, of: .log(container)) }
        if waitSeconds > 0, page.entries.isEmpty { afterWait() }
        return page
    }

    package func missing(_ names: [BlobName]) throws -> [BlobName] {
        let answer: MissingBlobs = try client.ask("POST", .missingBlobs(container), BlobNames(names))
        return answer.missing
    }

    /// Contents take as long as the line does; a hub may have to wait for its disk.
    private static let blobPatience = HTTPRequest.Patience.quiet(seconds: 120)

    package func store(_ frames: Data) throws {
        _ = try client.send(
            "POST",
            .blobs(container),
            frames,
            type: BlobFrames.mediaType,
            patience: Self.blobPatience
        )
    }

    package func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
        let question = try HubMessage.encoded(BlobNames(names))
        let answer = try client.send("POST", .readBlobs(container), question, patience: Self.blobPatience)
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

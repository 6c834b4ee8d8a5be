internal import Foundation
package import HTTPService
internal import HubProtocol
internal import Locks

/// What a hub answers: requests in, the stores asked, answers out.
///
/// Nothing in it is kept but what a client can do again, and what may differ between processes over the same stores: rates,
/// and who waits. How far those have read who wait is for the records to know.
package final class HubService: HTTPRequestHandler {
    let records: any RecordStore
    let blobs: any BlobStore
    let settings: HubSettings
    let clock: HubClock
    let room: WaitingRoom
    let gate: RequestGate
    let budget = BodyBudget()
    /// What answers take that have not been sent.
    let answers: BodyBudget
    let desk = AnswerDesk()
    let pages = PageCache()
    let brokenOff = BrokenOffBodies()
    /// Whether something found no room on the volume, and nothing was written since.
    private let isVolumeFull = Locked(false)
    private let log: @Sendable (String) -> Void

    /// - Parameter log: Told of faults of the hub's own, in a line without a secret.
    package init(
        records: any RecordStore,
        blobs: any BlobStore,
        settings: HubSettings = HubSettings(),
        clock: HubClock = .system,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.records, self.blobs, self.settings) = (records, blobs, settings)
        (self.clock, self.log) = (clock, log)
        let room = WaitingRoom(seconds: { Int(clock.uptime()) })
        self.room = room
        gate = RequestGate(settings, clock)
        answers = BodyBudget(byteCountMax: settings.answerByteCountMax)
        blobs.observeFaults(log)
        records.observe { news in
            switch news {
            case .entries(let container), .removed(let container): room.wake(.log(container))
            case .revoked(let device): room.revoke(device)
            case .pairing(let name): room.wake(.pairing(name))
            }
        }
    }

    /// Answers those who wait for news; none will wait from now on.
    package func close() { room.close() }

    /// Returns when what came of bodies that broke off is kept; of later ones nothing is.
    func endKeeping() async { await brokenOff.end() }

    package func answer(to request: WebRequest) -> HTTPAnswer {
        do {
            guard let route = HubRoute(components: request.target.components), !request.target.endsWithSlash
            else { throw HubRefusal(404, .notFound, "There is nothing at this address.") }
            return try answer(to: request, route)
        } catch {
            return .respond(response(to: error))
        }
    }

    package func answer(to failure: HTTPFailure) -> WebResponse {
        switch failure {
        case .badTarget: response(to: HubRefusal.malformed("The address is not well formed."))
        case .tooLarge, .unwantedBody:
            response(to: HubRefusal.tooLarge("The body is longer than this request may have."))
        case .shuttingDown:
            response(to: HubRefusal(503, .unavailable, "The hub is ending. Try again in a moment."))
        }
    }

    private func answer(to request: WebRequest, _ route: HubRoute) throws -> HTTPAnswer {
        try route.check(request.method)
        // Before it counts: any page that somebody looks at could use up what this machine's own may ask.
        guard !request.isOfPage else {
            throw HubRefusal.malformed("A page in a browser asks this. Only devices ask a hub.")
        }
        switch route {
        case .health: return .respond(.json(HubHealth(status: "ok")))
        case .devices where request.method == "POST":
            try gate.admitAnonymous(request)
            return try receiveJSON(request, of: nil, byteCountMax: 16 << 10) { service, registration in
                try await service.register(registration)
            }
        case .pairingMessages(let name):
            // The first device may say who it is, and is then not counted among those who may be guessing.
            if request.hasHeader("Authorization") {
                try gate.admit(try caller(of: request).device)
            } else {
                try gate.admitAnonymous(request)
            }
            return try answerPairing(request, name)
        default:
            let caller = try caller(of: request)
            try gate.admit(caller.device)
            return try answer(to: request, route, caller)
        }
    }

    func caller(of request: WebRequest) throws -> HubCaller {
        if let value = request.header("Authorization"), value.hasPrefix("Bearer ") {
            let hash = try Secrets.hash(String(value.dropFirst("Bearer ".count)))
            if let caller = records.caller(tokenHash: hash) { return caller }
            // Guessing costs.
            try gate.admitAnonymous(request)
            if records.isRevoked(tokenHash: hash) { throw HubRefusal.revoked }
        }
        throw HubRefusal(
            401,
            .unauthorized,
            "No device has this token. Register the device with an invitation."
        )
    }

    private func answer(
        to request: WebRequest,
        _ route: HubRoute,
        _ caller: HubCaller
    ) throws -> HTTPAnswer {
        switch route {
        case .devices:
            return wait { service in
                try await service.largeAnswer(for: caller.account) { try await service.devices(of: caller) }
            }
        case .device(let device): return wait { try await $0.revoke(device, caller) }
        case .invitations: return wait { try await $0.invite(caller) }
        case .containers:
            return wait { service in
                try await service.largeAnswer(for: caller.account) {
                    try await .json(ContainerListings(service.records.containers(of: caller.account)))
                }
            }
        case .container(let container): return wait { try await $0.make(container, caller) }
        case .keys(let container, let device):
            try check(container, caller)
            return try answerKeys(request, container, device, caller)
        case .commits(let container):
            try check(container, caller)
            return try receiveJSON(request, of: caller.account, byteCountMax: HubLimits.jsonByteCountMax) {
                service,
                offer in
                try await service.commit(offer, to: container, caller)
            }
        case .log(let container):
            try check(container, caller)
            return try answerLog(request, container, caller)
        case .blobs(let container), .missingBlobs(let container), .readBlobs(let container),
            .releasedBlobs(let container), .blob(let container, _):
            try check(container, caller)
            return try answerBlobs(request, route, BlobOwner(container, caller.account))
        case .pairings: return wait { try await $0.beginPairing(caller) }
        case .health, .pairingMessages: throw HubRefusal(404, .notFound, "There is nothing at this address.")
        }
    }

    private func check(_ container: ContainerName, _ caller: HubCaller) throws {
        guard records.head(of: container, for: caller.account) != nil else { throw absent(container, caller) }
    }

    /// What is said of a container that is not there.
    func absent(_ container: ContainerName, _ caller: HubCaller) -> HubRefusal {
        records.isRemoved(container, of: caller.account) ? .removed(container) : .notFound("container")
    }

    /// Answers when it is known how; no thread waits for it.
    func wait(_ produce: @escaping @Sendable (HubService) async throws -> WebResponse) -> HTTPAnswer {
        .wait { await self.outcome(produce) }
    }

    func outcome(_ produce: (HubService) async throws -> WebResponse) async -> WebResponse {
        do { return try await produce(self) } catch { return response(to: error) }
    }

    /// What a client is told of an error.
    func response(to error: any Error) -> WebResponse {
        if error is QuotaExceeded { return .refusal(.quota(settings.quotaByteCount)) }
        let refusal = HubRefusal(any: error)
        // What is no fault of the client's is told to the hub's owner, in full; that there is no room, once until there is.
        if refusal.status >= 500, !(error is HubRefusal), refusal != .volumeFull || isVolumeNewlyFull() {
            log("\(error)")
        }
        return .refusal(refusal)
    }

    private func isVolumeNewlyFull() -> Bool {
        isVolumeFull.withLock { isFull in
            defer { isFull = true }
            return !isFull
        }
    }

    /// Something was written: the next that finds no room is news.
    func noteWritten() { isVolumeFull.withLock { $0 = false } }
}

/// What time it is: handed in, so that tests have a clock of their own.
package struct HubClock: Sendable {
    /// Seconds since 1970.
    package var now: @Sendable () -> Int
    /// Seconds by a clock that never goes back.
    package var uptime: @Sendable () -> Double

    package init(now: @escaping @Sendable () -> Int, uptime: @escaping @Sendable () -> Double) {
        (self.now, self.uptime) = (now, uptime)
    }

    /// The machine's.
    package static let system = HubClock(
        now: { Int(Date().timeIntervalSince1970) },
        uptime: { ProcessInfo.processInfo.systemUptime }
    )
}

extension HubRoute {
    /// Refuses a method that an address does not take.
    func check(_ method: String) throws {
        guard !methods.contains(method) else { return }
        var refusal = HubRefusal(
            405,
            .methodNotAllowed,
            "This address takes \(methods.joined(separator: ", ")), not \(method)."
        )
        refusal.methods = methods
        throw refusal
    }

    var methods: [String] {
        switch self {
        case .health, .log: ["GET", "HEAD"]
        case .containers: ["GET", "HEAD"]
        case .devices: ["GET", "HEAD", "POST"]
        case .device: ["DELETE"]
        case .container: ["PUT"]
        case .keys: ["GET", "HEAD", "PUT"]
        case .invitations, .commits, .blobs, .missingBlobs, .readBlobs, .releasedBlobs, .pairings: ["POST"]
        case .blob: ["GET", "HEAD", "PUT"]
        case .pairingMessages: ["GET", "HEAD", "POST"]
        }
    }
}

extension WebRequest {
    /// Whether a page that a browser shows has asked, and not a device: the browser says so.
    fileprivate var isOfPage: Bool {
        hasHeader("Origin") || ["cross-site", "same-site"].contains(header("Sec-Fetch-Site") ?? "")
    }
}

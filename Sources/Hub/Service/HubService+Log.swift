internal import Foundation
internal import HTTPService
internal import HubProtocol

extension HubService {
    func make(_ container: ContainerName, _ caller: HubCaller) async throws -> WebResponse {
        let isNew = try await records.makeContainer(container, for: caller.account)
        guard let head = records.head(of: container, for: caller.account) else {
            throw absent(container, caller)
        }
        return .json(ContainerListing(container, head: head), status: isNew ? 201 : 200)
    }

    func answerKeys(
        _ request: WebRequest,
        _ container: ContainerName,
        _ device: DeviceName,
        _ caller: HubCaller
    ) throws -> HTTPAnswer {
        guard request.method == "PUT" else {
            return wait { service in
                try await service.largeAnswer(for: caller.account) {
                    try await .json(service.records.keys(for: device, in: container))
                }
            }
        }
        return try receiveJSON(request, of: caller.account, byteCountMax: 16 << 10) { service, keys in
            try await service.put(keys, for: device, in: container, caller)
        }
    }

    private func put(
        _ keys: WrappedKeys,
        for device: DeviceName,
        in container: ContainerName,
        _ caller: HubCaller
    ) async throws -> WebResponse {
        guard !keys.keys.isEmpty else { throw HubRefusal.malformed("Wrapped keys have a byte at least.") }
        guard keys.keys.count <= HubLimits.wrappedKeyByteCountMax else {
            throw HubRefusal.tooLarge("Wrapped keys have \(HubLimits.wrappedKeyByteCountMax) bytes at most.")
        }
        let isTaken = try await records.putKeys(
            keys,
            for: device,
            in: container,
            by: caller,
            byteCountMax: recordByteCountMax(caller)
        )
        guard isTaken else {
            throw HubRefusal(
                409,
                .conflict,
                "Other keys are there for this device under generation \(keys.generation). Read them first."
            )
        }
        noteWritten()
        return WebResponse(status: 204)
    }

    func commit(
        _ offer: CommitOffer,
        to container: ContainerName,
        _ caller: HubCaller
    ) async throws -> WebResponse {
        guard offer.commits.count <= HubLimits.commitCountMax else {
            throw HubRefusal.tooLarge("A request has \(HubLimits.commitCountMax) commits at most.")
        }
        for commit in offer.commits where commit.record.count > HubLimits.recordByteCountMax {
            throw HubRefusal.tooLarge("A record has \(HubLimits.recordByteCountMax) bytes at most.")
        }
        let before = records.head(of: container, for: caller.account)?.position
        let answers = try await records.commit(
            offer.commits,
            to: container,
            by: caller,
            byteCountMax: recordByteCountMax(caller)
        )
        // What is refused, or there already, needs no room.
        if let before, answers.head.position > before { noteWritten() }
        return .json(answers)
    }

    /// What an account's records may come to: what its blobs leave, and a little more.
    private func recordByteCountMax(_ caller: HubCaller) -> Int {
        settings.quotaByteCount + settings.spareByteCount - blobs.byteCount(of: caller.account)
    }

    func answerLog(
        _ request: WebRequest,
        _ container: ContainerName,
        _ caller: HubCaller
    ) throws -> HTTPAnswer {
        let after = try number("after", request, max: Int.max) ?? 0
        let limit = try number("limit", request, max: HubLimits.entryCountMax) ?? HubLimits.entryCountMax
        let seconds = try number("wait", request, max: HubLimits.waitSecondsMax) ?? 0
        if seconds > 0, room.count(of: caller.device) >= settings.waitingCountMax {
            throw HubRefusal.tooMany("requests of this device that wait", retrySeconds: 5)
        }
        return wait { service in
            let ticket = service.room.enter(.log(container), device: caller.device)
            defer { service.room.leave(ticket) }
            // Who was revoked before entering would not be told so.
            _ = try service.caller(of: request)
            return try await service.log(
                container,
                caller,
                ticket,
                after: UInt64(after),
                limit: limit,
                waitSeconds: seconds
            )
        }
    }

    private func page(
        of container: ContainerName,
        _ key: PageCache.Key,
        _ caller: HubCaller
    ) async throws -> WebResponse {
        if let body = pages.body(of: container, key) { return .json(encoded: body) }
        return try await largeAnswer(for: caller.account) {
            let page = try await records.page(of: container, after: key.after, limit: key.limit)
            let response = WebResponse.json(page)
            // What was read may be of a later moment than the head that it was asked for.
            let read = PageCache.Key(after: key.after, limit: key.limit, head: page.head)
            if case .bytes(let body) = response.body { pages.keep(body, of: container, read) }
            return response
        }
    }

    /// Devices at rest are answered so again and again, and see by the bytes that it is the same.
    private func nothing(after head: LogHead) -> WebResponse {
        .json(LogPage([], head: head), isSteady: true)
    }

    private func log(
        _ container: ContainerName,
        _ caller: HubCaller,
        _ ticket: WaitingRoom.Ticket,
        after: UInt64,
        limit: Int,
        waitSeconds: Int
    ) async throws -> WebResponse {
        let deadline = Int(clock.uptime()) + waitSeconds
        var isNoted = waitSeconds == 0
        while true {
            guard let head = records.head(of: container, for: caller.account) else {
                throw absent(container, caller)
            }
            // Who waits after the end has read another log.
            if !isNoted, head.position >= after {
                records.note(ReadPosition(container, to: after, asked: clock.now()), of: caller.device)
            }
            isNoted = true
            if head.position > after, limit > 0 {
                let key = PageCache.Key(after: after, limit: limit, head: head)
                return try await page(of: container, key, caller)
            }
            // A device that knows of more than there is should hear so at once: the hub was put back.
            if waitSeconds == 0 || head.position < after || limit == 0 {
                return nothing(after: head)
            }
            switch await room.wait(ticket, until: deadline) {
            case .news: continue
            case .timeout, .ending: return nothing(after: head)
            case .revoked: throw HubRefusal.revoked
            }
        }
    }
}

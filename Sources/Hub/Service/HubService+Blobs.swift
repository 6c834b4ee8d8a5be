internal import Foundation
internal import HTTPService
internal import HubProtocol
internal import Locks

extension HubService {
    func answerBlobs(_ request: WebRequest, _ route: HubRoute, _ owner: BlobOwner) throws -> HTTPAnswer {
        switch route {
        case .blobs: return try receiveFrames(request, owner)
        case .missingBlobs:
            return try receiveNames(request, owner) { service, names in
                .json(MissingBlobs(try await service.blobs.missing(names, of: owner)))
            }
        case .readBlobs:
            return try receiveNames(request, owner) { service, names in
                let list = try await service.blobs.frames(of: names, of: owner)
                return WebResponse(
                    status: 200,
                    headers: [WebHeader("Content-Type", BlobFrames.mediaType)],
                    body: .stream(list.source, byteCount: UInt64(list.byteCount))
                )
            }
        case .releasedBlobs:
            return try receiveJSON(request, of: owner.account, byteCountMax: 1 << 20) {
                (service, release: BlobRelease) in
                try await service.release(release, owner)
            }
        case .blob(_, let name): return try answerBlob(request, name, owner)
        default: throw HubRefusal(404, .notFound, "There is nothing at this address.")
        }
    }

    private func release(_ release: BlobRelease, _ owner: BlobOwner) async throws -> WebResponse {
        try Self.checkCount(of: release.names)
        // What is committed after this was asked for shortly before, and is spared.
        guard records.head(of: owner.container, for: owner.account) == release.head else {
            throw HubRefusal(409, .conflict, "The log has another end by now. Read it first.")
        }
        let (count, spared) = try await blobs.release(release.names, of: owner)
        let seconds = settings.retentionSeconds
        return .json(ReleasedBlobs(released: count, keptSeconds: seconds, spared: spared))
    }

    /// How much of a request's blobs a store may have in memory, in bytes.
    private static let gatheredByteCount = 2 << 20

    private func receiveNames(
        _ request: WebRequest,
        _ owner: BlobOwner,
        _ produce: @escaping @Sendable (HubService, [BlobName]) async throws -> WebResponse
    ) throws -> HTTPAnswer {
        try receiveJSON(request, of: owner.account, byteCountMax: 1 << 20) { (service, names: BlobNames) in
            try Self.checkCount(of: names.names)
            return try await produce(service, names.names)
        }
    }

    private static func checkCount(of names: [BlobName]) throws {
        guard names.count <= HubLimits.blobNameCountMax else {
            throw HubRefusal.tooLarge("A request has \(HubLimits.blobNameCountMax) names at most.")
        }
    }

    private func receiveFrames(_ request: WebRequest, _ owner: BlobOwner) throws -> HTTPAnswer {
        let byteCount = try declaredByteCount(request, max: HubLimits.framesByteCountMax)
        let batch = try begin(byteCount, owner)
        let share = try budget.share(Self.gatheredByteCount, of: owner.account)
        let reader = Locked(FrameReader())
        let receiver = StreamReceiver { bytes in
            try reader.withLock { reader in
                try reader.read(bytes) { event in
                    switch event {
                    case .begin(let name, let byteCount): try batch.begin(name, byteCount: byteCount)
                    case .bytes(let bytes): try batch.append(bytes)
                    }
                }
            }
        } drop: { failure in
            guard failure == nil else { return batch.abandon() }
            self.keepWhole(of: batch, share)
        } end: { failure in
            await self.outcome { _ in
                if let failure { throw failure }
                guard reader.withLock({ $0.isBetweenFrames }) else {
                    batch.abandon()
                    throw BlobFrameError.cutOff
                }
                defer { withExtendedLifetime(share) {} }
                let stored = try await batch.commit()
                if stored > 0 { self.noteWritten() }
                return .json(StoredBlobs(stored: stored))
            }
        }
        return .receive(receiver, byteCountMax: UInt64(byteCount))
    }

    /// Keeps the blobs of a body that has broken off which came whole: over a line that breaks often a device would never get
    /// through what takes several requests.
    private func keepWhole(of batch: any BlobBatch, _ share: BodyBudget.Share) {
        guard batch.dropUnfinished() else { return batch.abandon() }
        let isKept = brokenOff.keep {
            defer { withExtendedLifetime(share) {} }
            // The device asks what is missing, and sends that.
            do { _ = try await batch.commit() } catch { _ = self.response(to: error) }
        }
        if !isKept { batch.abandon() }
    }

    /// Begins to take blobs, if the account has room for them beside all else that it has and that is on its way.
    private func begin(_ byteCount: Int, _ owner: BlobOwner) throws -> any BlobBatch {
        try blobs.begin(for: owner, byteCount: byteCount, byteCountMax: blobByteCountMax(owner))
    }

    /// What an account's blobs may come to: what its records leave.
    private func blobByteCountMax(_ owner: BlobOwner) -> Int {
        settings.quotaByteCount - records.byteCount(of: owner.account)
    }

    private func answerBlob(
        _ request: WebRequest,
        _ name: BlobName,
        _ owner: BlobOwner
    ) throws -> HTTPAnswer {
        guard request.method == "PUT" else {
            return wait { service in
                let response = try await service.read(name, owner, isHead: request.method == "HEAD")
                return try service.counted(response, for: owner.account)
            }
        }
        let byteCount = try declaredByteCount(request, max: HubLimits.blobByteCountMax)
        guard let text = request.header("Content-Range") else {
            guard !request.hasHeader("Content-Range") else {
                throw HubRefusal.malformed("One Content-Range, please.")
            }
            return try receiveWhole(name, owner, byteCount: byteCount)
        }
        guard let range = PieceRange(text), range.byteCount == byteCount else {
            throw HubRefusal.malformed(
                "Content-Range is to be “bytes FIRST-LAST/TOTAL” and to agree with Content-Length."
            )
        }
        guard range.total <= HubLimits.blobByteCountMax else {
            throw HubRefusal.tooLarge("A blob has \(HubLimits.blobByteCountMax) bytes at most.")
        }
        return try receivePiece(name, owner, range)
    }

    private func receiveWhole(
        _ name: BlobName,
        _ owner: BlobOwner,
        byteCount: Int
    ) throws -> HTTPAnswer {
        let batch = try begin(byteCount, owner)
        let share = try budget.share(min(byteCount, Self.gatheredByteCount), of: owner.account)
        try batch.begin(name, byteCount: byteCount)
        let receiver = StreamReceiver { bytes in
            try batch.append(bytes)
        } drop: { _ in
            batch.abandon()
        } end: { failure in
            await self.outcome { _ in
                if let failure { throw failure }
                defer { withExtendedLifetime(share) {} }
                let isNew = try await batch.commit() == 1
                if isNew { self.noteWritten() }
                return WebResponse(status: isNew ? 201 : 200)
                    .setting(HubHeader.uploadOffset, "\(byteCount)")
            }
        }
        return .receive(receiver, byteCountMax: UInt64(byteCount))
    }

    private func receivePiece(
        _ name: BlobName,
        _ owner: BlobOwner,
        _ range: PieceRange
    ) throws -> HTTPAnswer {
        let piece = try blobs.beginPiece(name, of: owner, range, byteCountMax: blobByteCountMax(owner))
        let receiver = StreamReceiver { bytes in
            try piece.append(bytes)
        } drop: { _ in
            piece.abandon()
        } end: { failure in
            await self.outcome { _ in
                if let failure { throw failure }
                let offset = try await piece.commit()
                self.noteWritten()
                return WebResponse(status: offset == range.total ? 201 : 202)
                    .setting(HubHeader.uploadOffset, "\(offset)")
            }
        }
        return .receive(receiver, byteCountMax: UInt64(range.byteCount))
    }

    private func read(_ name: BlobName, _ owner: BlobOwner, isHead: Bool) async throws -> WebResponse {
        // In this order: one that is ended between the two looks is whole at the second.
        var begun: Int?
        if isHead { begun = await blobs.uploadOffset(of: name, of: owner) }
        if let body = try await blobs.body(of: name, of: owner) {
            return WebResponse(
                status: 200,
                headers: [
                    WebHeader("Content-Type", BlobFrames.mediaType), WebHeader("ETag", "\"\(name)\""),
                ],
                body: body
            )
        }
        guard let offset = begun else { throw HubRefusal.notFound("blob") }
        return WebResponse(status: 204, headers: [WebHeader(HubHeader.uploadOffset, "\(offset)")])
    }
}

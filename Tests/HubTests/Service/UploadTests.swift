import Foundation
import HubHarness
import HubProtocol
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

@Suite("Uploads to a hub", .onOwnThreads, .timeLimit(.minutes(3)))
struct UploadTests {
    private let folder: HubFolder
    private let records: SQLiteRecordStore
    private let blobs: SegmentedBlobStore
    private let owner = BlobOwner(.test, .first)
    /// What a blob counts beside its bytes.
    private let row = BlobSchema.rowByteCount

    init() async throws {
        folder = try HubFolder()
        records = try SQLiteRecordStore(in: try folder.open())
        blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        _ = try await records.prepare(token: try Secrets.hash("token"))
    }

    private func service(_ settings: HubSettings = HubSettings()) -> HubService {
        let clock = HubClock(now: { 50 }, uptime: { ProcessInfo.processInfo.systemUptime })
        return HubService(records: records, blobs: blobs, settings: settings, clock: clock)
    }

    /// Sends the bytes of a blob; its `Content-Length` says what they are not, if it is told so.
    private func put(
        _ number: Int,
        _ body: Data,
        saying byteCount: Int? = nil,
        _ headers: [WebHeader] = [],
        to service: HubService
    ) async throws -> WebResponse {
        let place = "/v1/containers/\(ContainerName.test)/blobs/\(BlobName.numbered(number))"
        let request = WebRequest(
            method: "PUT",
            target: try #require(RequestTarget(place)),
            version: "HTTP/1.1",
            headers: headers + [
                WebHeader("Authorization", "Bearer token"),
                WebHeader("Content-Length", "\(byteCount ?? body.count)"),
            ]
        )
        switch service.answer(to: request) {
        case .respond(let response): return response
        case .wait(let answer): return await answer()
        case .receive(let receiver, _):
            body.withUnsafeBytes { receiver.receive($0) }
            switch receiver.finish() {
            case .respond(let response): return response
            case .wait(let answer): return await answer()
            }
        case .upgrade: throw CancellationError()
        }
    }

    /// Begins a request with frames of so many bytes.
    private func begin(_ byteCount: Int, at service: HubService) throws -> any HTTPBodyReceiver {
        let request = WebRequest(
            method: "POST",
            target: try #require(RequestTarget("/v1/containers/\(ContainerName.test)/blobs")),
            version: "HTTP/1.1",
            headers: [
                WebHeader("Authorization", "Bearer token"),
                WebHeader("Content-Length", "\(byteCount)"),
            ]
        )
        guard case .receive(let receiver, _) = service.answer(to: request) else {
            throw CancellationError()
        }
        return receiver
    }

    @Test("A request has so many frames, however small they are, and leaves nothing where it has more")
    func manyFrames() async throws {
        let service = service()
        func send(_ count: Int) async throws -> WebResponse {
            var frames = Data()
            for number in 0..<count { BlobFrames.append(.numbered(number), [], to: &frames) }
            let receiver = try begin(frames.count, at: service)
            frames.withUnsafeBytes { receiver.receive($0) }
            guard case .wait(let answer) = receiver.finish() else { throw CancellationError() }
            return await answer()
        }
        let most = HubLimits.blobNameCountMax
        let refused = try await send(most + 1)
        #expect(refused.status == 413)
        guard case .bytes(let body) = refused.body else { throw CancellationError() }
        #expect(try JSONDecoder().decode(HubFailure.self, from: body).error.code == .tooLarge)
        let names = (0..<most).map(BlobName.numbered)
        #expect(try await blobs.missing(names, of: owner).count == most)
        #expect(try await send(most).status == 200)
        #expect(try await blobs.missing(names, of: owner) == [])
    }

    @Test(
        "Of a body that breaks off what came whole is kept, and nothing else",
        arguments: [(1000, 1), (1000, 1000), (2 << 20, 1), (2 << 20, 3 << 20 - 7)]
    )
    func brokenOff(lastByteCount: Int, missing: Int) async throws {
        let service = service()
        let whole = [
            Data([1, 2, 3]), Data(repeating: 2, count: 3 << 20), Data(), Data(repeating: 4, count: 70_000),
        ]
        var frames = Data()
        for (number, blob) in whole.enumerated() { BlobFrames.append(.numbered(number), blob, to: &frames) }
        let wholeByteCount = frames.count
        BlobFrames.append(.numbered(9), Data(repeating: 9, count: lastByteCount), to: &frames)
        // All that is missing is of the last one, be it its head too.
        let sent = frames.prefix(max(wholeByteCount, frames.count - missing))
        let receiver = try begin(frames.count, at: service)
        sent.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
                let end = min(start + 1 << 20, bytes.count)
                receiver.receive(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            }
        }
        receiver.abandon()
        await service.endKeeping()
        let names = [0, 1, 2, 3, 9].map(BlobName.numbered)
        #expect(try await blobs.missing(names, of: owner) == [.numbered(9)])
        #expect(blobs.byteCount(of: .first) == whole.reduce(0) { $0 + $1.count + BlobSchema.rowByteCount })
        let list = try await blobs.frames(of: Array(names.dropLast()), of: owner)
        #expect(try BlobFrames.read(list.bytes()).map(\.blob) == whole)
        // Once it is over nothing is kept any more, nor counts.
        let late = try begin(frames.count, at: service)
        var other = Data()
        BlobFrames.append(.numbered(20), Data([1]), to: &other)
        other.withUnsafeBytes { late.receive($0) }
        late.abandon()
        #expect(try await blobs.missing([.numbered(20)], of: owner).count == 1)
        #expect(blobs.byteCount(of: .first) == whole.reduce(0) { $0 + $1.count + BlobSchema.rowByteCount })
    }

    @Test("A body that breaks off before any blob was whole leaves nothing, nor does one that was refused")
    func brokenOffEarly() async throws {
        let service = service()
        let owner = owner
        for isWrong in [false, true] {
            let batch = try blobs.begin(for: owner, byteCount: 100, byteCountMax: 1000)
            try batch.begin(.numbered(1), byteCount: 2)
            try [UInt8(1)].withUnsafeBytes { try batch.append($0) }
            if isWrong { #expect(throws: HubRefusal.self) { try batch.begin(.numbered(2), byteCount: 1) } }
            #expect(!batch.dropUnfinished())
            batch.abandon()
        }
        await service.endKeeping()
        #expect(try await blobs.missing([.numbered(1)], of: owner).count == 1)
        #expect(blobs.byteCount(of: .first) == 0)
    }

    @Test("A body that is longer or shorter than it says becomes no blob, however it is sent")
    func otherLength() async throws {
        let service = service()
        #expect(try await put(1, Data([1, 2, 3]), to: service).status == 201)
        let chunked = [WebHeader("Transfer-Encoding", "chunked")]
        #expect(try await put(2, Data([1]), saying: 1 << 20, chunked, to: service).status == 411)
        #expect(try await put(2, Data([1]), chunked, to: service).status == 411)
        for byteCount in [0, 2, 1 << 20, 3 << 20] {
            #expect(try await put(2, Data([1]), saying: byteCount, to: service).status == 400)
        }
        #expect(try await put(3, Data([3, 3]), to: service).status == 201)
        let missing = try await blobs.missing((1...3).map(BlobName.numbered), of: owner)
        #expect(missing == [.numbered(2)] && blobs.byteCount(of: .first) == 5 + 2 * row)
        let list = try await blobs.frames(of: [.numbered(1), .numbered(3)], of: owner)
        let found = try BlobFrames.read(list.bytes()).map(\.blob)
        #expect(found == [Data([1, 2, 3]), Data([3, 3])])
    }

    // MARK: Uploads that are under way at once

    private func service(quota byteCount: Int) -> HubService {
        var settings = HubSettings()
        settings.quotaByteCount = byteCount
        return service(settings)
    }

    /// A blob that is let in, and of which nothing has come yet.
    private struct Begun {
        var receiver: any HTTPBodyReceiver
        var body: Data

        /// - Returns: The answer's status.
        func finish() async -> Int {
            body.withUnsafeBytes { receiver.receive($0) }
            switch receiver.finish() {
            case .respond(let response): return response.status
            case .wait(let answer): return await answer().status
            }
        }
    }

    /// Sends the head of a request whose body has so many bytes.
    ///
    /// - Returns: nil where it is refused, as it should be, for the quota.
    private func begin(
        _ number: Int,
        _ byteCount: Int,
        isFrame: Bool,
        to service: HubService
    ) throws -> Begun? {
        var body = Data(count: byteCount)
        if isFrame {
            body = Data()
            let blob = Data(count: byteCount - BlobFrames.headByteCount)
            BlobFrames.append(.numbered(number), blob, to: &body)
        }
        let place = isFrame ? "blobs" : "blobs/\(BlobName.numbered(number))"
        let request = WebRequest(
            method: isFrame ? "POST" : "PUT",
            target: try #require(RequestTarget("/v1/containers/\(ContainerName.test)/\(place)")),
            version: "HTTP/1.1",
            headers: [
                WebHeader("Authorization", "Bearer token"), WebHeader("Content-Length", "\(byteCount)"),
            ]
        )
        switch service.answer(to: request) {
        case .receive(let receiver, _): return Begun(receiver: receiver, body: body)
        case .respond(let response):
            #expect(response.status == 507)
            return nil
        default: throw CancellationError()
        }
    }

    private func isLetIn(
        _ number: Int,
        _ byteCount: Int,
        isFrame: Bool,
        to service: HubService
    ) throws -> Bool {
        try begin(number, byteCount, isFrame: isFrame, to: service) != nil
    }

    @Test(
        "What is under way counts from its head on, until it is there or nothing comes of it",
        arguments: [false, true]
    )
    func atOnce(isFrame: Bool) async throws {
        let service = service(quota: 1000 + 2 * row)
        let first = try #require(try begin(1, 600, isFrame: isFrame, to: service))
        #expect(blobs.byteCount(of: .first) == 600 + row)
        #expect(try !isLetIn(2, 600, isFrame: isFrame, to: service))
        #expect(try !isLetIn(2, 600, isFrame: !isFrame, to: service))
        #expect(try await putPiece(0..<1, of: 3, total: 600, to: service) == 507)
        // What is left there is room for; what nobody has any longer leaves its own.
        for _ in 0..<3 { #expect(try isLetIn(2, 400, isFrame: isFrame, to: service)) }
        // The connection breaks, which is told twice.
        Data(count: 10).withUnsafeBytes { first.receiver.receive($0) }
        first.receiver.abandon()
        first.receiver.abandon()
        #expect(blobs.byteCount(of: .first) == 0)
        let second = try #require(try begin(2, 600, isFrame: isFrame, to: service))
        #expect(try !isLetIn(3, 600, isFrame: isFrame, to: service))
        #expect([200, 201].contains(await second.finish()))
        let kept = row + (isFrame ? 600 - BlobFrames.headByteCount : 600)
        #expect(blobs.byteCount(of: .first) == kept)
        // Known by now: it counts while it comes, and not after that. One that is refused does not either.
        let again = try #require(try begin(2, 400, isFrame: isFrame, to: service))
        #expect(blobs.byteCount(of: .first) == kept + 400 + row)
        #expect(await again.finish() == 200)
        var short = try #require(try begin(4, 400, isFrame: isFrame, to: service))
        short.body.removeLast()
        #expect(await short.finish() == 400)
        #expect(blobs.byteCount(of: .first) == kept)
        #expect(try !isLetIn(5, 1001 + row - kept, isFrame: isFrame, to: service))
        #expect(try isLetIn(5, 1000 + row - kept, isFrame: isFrame, to: service))
    }

    @Test("What blobs count beside their bytes counts from their heads on, however many come in one request")
    func rows() async throws {
        let batch = try blobs.begin(for: owner, byteCount: 30, byteCountMax: 30 + 3 * row)
        for number in 0..<3 { try batch.add(.numbered(number), []) }
        #expect(blobs.byteCount(of: .first) == 30 + 3 * row)
        #expect(throws: QuotaExceeded.self) { try batch.add(.numbered(3), []) }
        batch.abandon()
        #expect(blobs.byteCount(of: .first) == 0)
        let again = try blobs.begin(for: owner, byteCount: 30, byteCountMax: 30 + 3 * row)
        for number in 0..<3 { try again.add(.numbered(number), []) }
        #expect(try await again.commit() == 3)
        #expect(blobs.byteCount(of: .first) == 3 * row)
        #expect(throws: QuotaExceeded.self) {
            _ = try blobs.begin(for: owner, byteCount: 1, byteCountMax: 4 * row)
        }
    }

    @Test("A blob sent whole has its share of the memory for bodies, until it is there or given up")
    func share() throws {
        let service = service()
        let byteCount = 1 << 20
        var (held, refusal): ([any HTTPBodyReceiver], WebResponse?) = ([], nil)
        while refusal == nil, held.count < 1000 {
            let place = "/v1/containers/\(ContainerName.test)/blobs/\(BlobName.numbered(held.count))"
            let request = WebRequest(
                method: "PUT",
                target: try #require(RequestTarget(place)),
                version: "HTTP/1.1",
                headers: [
                    WebHeader("Authorization", "Bearer token"), WebHeader("Content-Length", "\(byteCount)"),
                ]
            )
            switch service.answer(to: request) {
            case .receive(let receiver, _): held.append(receiver)
            case .respond(let response): refusal = response
            default: throw CancellationError()
            }
        }
        #expect(held.count == BodyBudget.byteCountMax / 2 / byteCount)
        #expect(refusal?.status == 503 && refusal?.header("Retry-After") == "1")
        held.removeAll()
        #expect(try isLetIn(0, byteCount, isFrame: false, to: service))
        #expect(blobs.byteCount(of: .first) == 0)
    }

    // MARK: Unfinished blobs

    /// - Returns: The answer's status.
    private func putPiece(
        _ range: Range<Int>,
        of number: Int,
        total: Int,
        to service: HubService
    ) async throws -> Int {
        let text = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
        let header = WebHeader("Content-Range", text)
        return try await put(number, Data(count: range.count), [header], to: service).status
    }

    @Test("A blob that is not ended counts as a whole, until it is ended, or begun anew, or forgotten")
    func unfinished() async throws {
        let service = service(quota: 1000 + 2 * row)
        #expect(try await putPiece(0..<1, of: 1, total: 600, to: service) == 202)
        #expect(try await putPiece(0..<1, of: 2, total: 600, to: service) == 507)
        #expect(try await put(3, Data(count: 600), to: service).status == 507)
        let again = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        #expect(again.byteCount(of: .first) == 600 + row)
        // It is not in its own way, nor in that of what there is room for.
        #expect(try await putPiece(1..<300, of: 1, total: 600, to: service) == 202)
        #expect(try await putPiece(0..<1, of: 2, total: 400, to: service) == 202)
        #expect(try await put(3, Data(count: 1), to: service).status == 507)
        #expect(try await putPiece(0..<1, of: 1, total: 300, to: service) == 202)
        // There is room for its bytes, and none for what it counts beside them.
        #expect(try await put(3, Data(count: 301 - row), to: service).status == 507)
        #expect(try await put(3, Data(count: 100), to: service).status == 201)
        #expect(try await putPiece(1..<300, of: 1, total: 300, to: service) == 201)
        #expect(blobs.byteCount(of: .first) == 800 + 3 * row)
        #expect(try await putPiece(0..<1, of: 4, total: 600, to: service) == 507)
        // Its clock leaps.
        try await blobs.sweep(retentionSeconds: 3600, uploadSeconds: 3600)
        #expect(blobs.byteCount(of: .first) == 400 + 2 * row)
        #expect(try await putPiece(0..<1, of: 4, total: 601 - row, to: service) == 507)
        #expect(try await putPiece(0..<1, of: 4, total: 600 - row, to: service) == 202)
    }

    @Test("An account has so many unfinished blobs and no more, and may end those")
    func unfinishedCount() async throws {
        let service = service()
        for number in 0..<UnfinishedBlobs.countMax {
            #expect(try await putPiece(0..<1, of: number, total: 2, to: service) == 202)
        }
        #expect(try await putPiece(0..<1, of: 1000, total: 2, to: service) == 507)
        #expect(try await put(2000, Data(count: 2), to: service).status == 201)
        #expect(try await putPiece(0..<1, of: 0, total: 2, to: service) == 202)
        #expect(try await putPiece(1..<2, of: 0, total: 2, to: service) == 201)
        #expect(try await putPiece(0..<1, of: 1000, total: 2, to: service) == 202)
    }
}

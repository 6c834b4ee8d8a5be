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

    @Test("A request has so many frames, however small they are, and leaves nothing where it has more")
    func manyFrames() async throws {
        let service = service()
        func send(_ count: Int) async throws -> WebResponse {
            var frames = Data()
            for number in 0..<count { BlobFrames.append(.numbered(number), [], to: &frames) }
            let request = WebRequest(
                method: "POST",
                target: try #require(RequestTarget("/v1/containers/\(ContainerName.test)/blobs")),
                version: "HTTP/1.1",
                headers: [
                    WebHeader("Authorization", "Bearer token"),
                    WebHeader("Content-Length", "\(frames.count)"),
                ]
            )
            guard case .receive(let receiver, _) = service.answer(to: request) else {
                throw CancellationError()
            }
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
        #expect(missing == [.numbered(2)] && blobs.byteCount(of: .first) == 5)
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
        let service = service(quota: 1000)
        let first = try #require(try begin(1, 600, isFrame: isFrame, to: service))
        #expect(blobs.byteCount(of: .first) == 600)
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
        let kept = isFrame ? 600 - BlobFrames.headByteCount : 600
        #expect(blobs.byteCount(of: .first) == kept)
        // Known by now: it counts while it comes, and not after that. One that is refused does not either.
        let again = try #require(try begin(2, 400, isFrame: isFrame, to: service))
        #expect(blobs.byteCount(of: .first) == kept + 400)
        #expect(await again.finish() == 200)
        var short = try #require(try begin(4, 400, isFrame: isFrame, to: service))
        short.body.removeLast()
        #expect(await short.finish() == 400)
        #expect(blobs.byteCount(of: .first) == kept)
        #expect(try !isLetIn(5, 1001 - kept, isFrame: isFrame, to: service))
        #expect(try isLetIn(5, 1000 - kept, isFrame: isFrame, to: service))
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
        let service = service(quota: 1000)
        #expect(try await putPiece(0..<1, of: 1, total: 600, to: service) == 202)
        #expect(try await putPiece(0..<1, of: 2, total: 600, to: service) == 507)
        #expect(try await put(3, Data(count: 600), to: service).status == 507)
        let again = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        #expect(again.byteCount(of: .first) == 600)
        // It is not in its own way, nor in that of what there is room for.
        #expect(try await putPiece(1..<300, of: 1, total: 600, to: service) == 202)
        #expect(try await putPiece(0..<1, of: 2, total: 400, to: service) == 202)
        #expect(try await put(3, Data(count: 1), to: service).status == 507)
        #expect(try await putPiece(0..<1, of: 1, total: 300, to: service) == 202)
        #expect(try await put(3, Data(count: 100), to: service).status == 201)
        #expect(try await putPiece(1..<300, of: 1, total: 300, to: service) == 201)
        #expect(blobs.byteCount(of: .first) == 800)
        #expect(try await putPiece(0..<1, of: 4, total: 600, to: service) == 507)
        // Its clock leaps.
        try await blobs.sweep(retentionSeconds: 3600, uploadSeconds: 3600)
        #expect(blobs.byteCount(of: .first) == 400)
        #expect(try await putPiece(0..<1, of: 4, total: 600, to: service) == 202)
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

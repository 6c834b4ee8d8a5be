internal import FileSystem
internal import Foundation
internal import Hub
internal import HubProtocol

/// What a hub's stores are asked for, one thing after the other and some at once, each told when it was promised.
package struct HubStory: Sendable {
    /// What has been promised.
    package enum Promise: Hashable, Sendable {
        case container
        case commit(String, at: UInt64)
        case blob(Int)
        /// So many bytes of the upload.
        case upload(Int)
        case revoked

        package var line: String {
            switch self {
            case .container: "container"
            case .commit(let id, let position): "commit \(id) \(position)"
            case .blob(let number): "blob \(number)"
            case .upload(let byteCount): "upload \(byteCount)"
            case .revoked: "revoked"
            }
        }

        package init?(line: String) {
            let words = line.split(separator: " ")
            switch (words.first, words.count) {
            case ("container", 1): self = .container
            case ("revoked", 1): self = .revoked
            case ("commit", 3):
                guard let position = UInt64(words[2]) else { return nil }
                self = .commit(String(words[1]), at: position)
            case ("blob", 2): self = .blob(Int(words[1]) ?? 0)
            case ("upload", 2): self = .upload(Int(words[1]) ?? 0)
            default: return nil
            }
        }
    }

    static let container = ContainerName(unchecked: Array(repeating: 7, count: 16))
    static let owner = BlobOwner(container, .first)
    static let uploadName = blobName(999)
    static let uploadByteCount = 9000
    static let tokens: [[UInt8]] = [[1], [2]]
    /// Blobs that are released and deleted: nothing is promised of them any longer.
    static let deleted = 100..<110

    private let folder: String
    private let promise: @Sendable (Promise) -> Void
    /// Whether promises are made before they hold, which a harness must find out.
    private let promisesTooEarly: Bool

    package init(
        in folder: String,
        promisesTooEarly: Bool = false,
        promise: @escaping @Sendable (Promise) -> Void
    ) {
        (self.folder, self.promisesTooEarly, self.promise) = (folder, promisesTooEarly, promise)
    }

    static func blobName(_ number: Int) -> BlobName {
        BlobName(
            unchecked: Array(repeating: 0, count: 24) + withUnsafeBytes(of: number.bigEndian, Array.init)
        )
    }

    /// What is in a blob; every seventeenth is a large one.
    static func blob(_ number: Int) -> [UInt8] {
        let byteCount = number % 17 == 16 ? 1 << 20 + 5 : 100 + number * 37
        return (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
    }

    static func commit(_ number: Int, base: UInt64 = 0) throws -> OfferedCommit {
        guard let id = CommitName(String(number, radix: 16)) else {
            preconditionFailure("a number is no name")
        }
        let item = withUnsafeBytes(of: number.bigEndian, Array.init)
        return OfferedCommit(
            item: ItemName(unchecked: item + item),
            base: base,
            id: id,
            record: Data(repeating: UInt8(truncatingIfNeeded: number), count: 50 + number)
        )
    }

    static func device(_ token: [UInt8]) -> NewDevice {
        let key = PublicKeyBytes(unchecked: Array(repeating: 3, count: 32))
        return NewDevice(
            device: DeviceName(unchecked: Array(repeating: token[0], count: 8)),
            tokenHash: token,
            name: "Phone",
            signingKey: key,
            agreementKey: key
        )
    }

    /// Tells it.
    package func run() async throws {
        try await begin()
        try await goOn()
    }

    private func begin() async throws {
        let place = try StorageFolder(at: FilePath(folder))
        let records = try SQLiteRecordStore(in: place)
        let blobs = try SegmentedBlobStore(in: place, clock: { 1000 }, uptime: LeapingClock.make())
        for token in Self.tokens {
            try await records.addInvitation(hash: [9] + token, to: .first, until: 100)
            _ = try await records.register(Self.device(token), invitationHash: [9] + token, now: 1)
        }
        _ = try await keep([.container]) { try await records.makeContainer(Self.container, for: .first) }
        try await rounds(0..<2, records, blobs)
    }

    /// Tells what comes when the hub is started anew, which brings the databases' logs in.
    private func goOn() async throws {
        let place = try StorageFolder(at: FilePath(folder))
        let records = try SQLiteRecordStore(in: place)
        let blobs = try SegmentedBlobStore(in: place, clock: { 1000 }, uptime: LeapingClock.make())
        try await rounds(2..<4, records, blobs)
        try await put(Self.deleted, in: blobs, isPromised: false)
        _ = try await blobs.release(Self.deleted.map(Self.blobName), of: Self.owner, now: 5)
        try await blobs.sweep(releasedBefore: 6, touchedBefore: 0, now: 10)
        try await blobs.sweep(releasedBefore: 6, touchedBefore: 0, now: 10_000)
        _ = try await keep([.revoked]) {
            try await records.revoke(Self.device(Self.tokens[1]).device, of: .first)
        }
    }

    private func rounds(
        _ rounds: Range<Int>,
        _ records: SQLiteRecordStore,
        _ blobs: SegmentedBlobStore
    ) async throws {
        for round in rounds {
            async let first: Void = commit(round * 10..<round * 10 + 5, to: records)
            async let second: Void = commit(round * 10 + 5..<round * 10 + 8, to: records)
            async let third: Void = put(round * 10..<round * 10 + 6, in: blobs)
            _ = try await (first, second, third)
            try await upload(round, to: blobs)
        }
    }

    private func keep<Value>(_ promises: [Promise], _ body: () async throws -> Value) async throws -> Value {
        if promisesTooEarly { for said in promises { promise(said) } }
        let value = try await body()
        if !promisesTooEarly { for said in promises { promise(said) } }
        return value
    }

    private func commit(_ numbers: Range<Int>, to records: SQLiteRecordStore) async throws {
        let caller = HubCaller(device: Self.device(Self.tokens[0]).device, account: .first)
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 2) {
            let batch = try (start..<min(start + 2, numbers.upperBound)).map { try Self.commit($0) }
            if promisesTooEarly { promise(.commit(batch[0].id.text, at: 1)) }
            let answers = try await records.commit(
                batch,
                to: Self.container,
                by: caller,
                byteCountMax: 1 << 30
            )
            for (commit, answer) in zip(batch, answers.answers) {
                if case .accepted(let position) = answer { promise(.commit(commit.id.text, at: position)) }
            }
        }
    }

    private func put(
        _ numbers: Range<Int>,
        in blobs: SegmentedBlobStore,
        isPromised: Bool = true
    ) async throws {
        let batch = blobs.begin(for: Self.owner)
        for number in numbers {
            let bytes = Self.blob(number)
            try batch.begin(Self.blobName(number), byteCount: bytes.count)
            try bytes.withUnsafeBytes { try batch.append($0) }
        }
        _ = try await keep(isPromised ? numbers.map { .blob($0) } : []) { try await batch.commit() }
    }

    private func upload(_ round: Int, to blobs: SegmentedBlobStore) async throws {
        let pieceByteCount = Self.uploadByteCount / 3
        guard round < 3 else { return }
        let first = round * pieceByteCount
        let range = PieceRange(first: first, byteCount: pieceByteCount, total: Self.uploadByteCount)
        let piece = try blobs.beginPiece(Self.uploadName, of: Self.owner, range)
        try Self.blob(999)[first..<first + pieceByteCount].withUnsafeBytes { try piece.append($0) }
        _ = try await keep([.upload(first + pieceByteCount)]) { try await piece.commit() }
    }
}

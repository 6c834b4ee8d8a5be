internal import FileSystem
internal import Foundation
internal import Hub
internal import HubProtocol
internal import SeededNumbers

/// What a hub's stores are asked for, one thing after the other and some at once, each told when it was promised.
package struct HubStory: Sendable {
    /// What has been promised.
    package enum Promise: Hashable, Sendable {
        /// A device is registered.
        case device(Int)
        case container
        case commit(String, at: UInt64)
        case blob(Int)
        /// So many bytes of the upload.
        case upload(Int)
        /// Keys of a generation are there, wrapped for a device.
        case keys(Int, for: Int)
        case revoked

        package var line: String {
            switch self {
            case .device(let number): "device \(number)"
            case .container: "container"
            case .commit(let id, let position): "commit \(id) \(position)"
            case .blob(let number): "blob \(number)"
            case .upload(let byteCount): "upload \(byteCount)"
            case .keys(let generation, let device): "keys \(generation) \(device)"
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
            case ("device", 2): self = .device(Int(words[1]) ?? 0)
            case ("keys", 3): self = .keys(Int(words[1]) ?? 0, for: Int(words[2]) ?? 0)
            default: return nil
            }
        }
    }

    /// What is promised before it holds, which a harness must find out.
    package enum Early: String, Sendable {
        case all = "early"
        case keys = "early-keys"
        case devices = "early-devices"
    }

    private struct Refused: Error {}

    static let container = ContainerName(unchecked: Array(repeating: 7, count: 16))
    static let owner = BlobOwner(container, .first)
    static let uploadName = blobName(999)
    static let uploadByteCount = 9000
    /// The device that commits, and the one that is shut out; both are there from the beginning.
    static let author = 1
    static let shutOut = 2
    /// When devices are registered.
    static let registered = 1
    /// Blobs that are released and deleted: nothing is promised of them any longer.
    static let deleted = 100..<110

    private let folder: String
    private let promise: @Sendable (Promise) -> Void
    private let early: Early?

    package init(
        in folder: String,
        early: Early? = nil,
        promise: @escaping @Sendable (Promise) -> Void
    ) {
        (self.folder, self.early, self.promise) = (folder, early, promise)
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

    static func device(_ number: Int) -> NewDevice {
        func key(_ start: Int) -> PublicKeyBytes {
            PublicKeyBytes(unchecked: (0..<32).map { UInt8(truncatingIfNeeded: start + number * 7 + $0) })
        }
        return NewDevice(
            device: deviceName(number),
            tokenHash: [UInt8(truncatingIfNeeded: number)],
            name: "Phone \(number)",
            signingKey: key(0),
            agreementKey: key(100)
        )
    }

    static func deviceName(_ number: Int) -> DeviceName {
        DeviceName(unchecked: withUnsafeBytes(of: number.bigEndian, Array.init))
    }

    /// The hash of the invitation that a device is registered with.
    static func invitation(_ number: Int) -> [UInt8] { [9, UInt8(truncatingIfNeeded: number)] }

    /// A generation of the container's keys, as wrapped for a device.
    static func keys(_ generation: Int, for device: Int) -> WrappedKeys {
        let byteCount = 1 + (device * 977 + generation * 613) % HubLimits.wrappedKeyByteCountMax
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ device &* 5 &+ generation) }
        return WrappedKeys(generation: UInt32(generation), keys: Data(bytes))
    }

    /// Tells it.
    package func run() async throws {
        try await begin()
        try await goOn()
    }

    private func begin() async throws {
        let place = try StorageFolder(at: FilePath(folder))
        let records = try SQLiteRecordStore(in: place)
        let blobs = try SegmentedBlobStore(in: place, uptime: LeapingClock.make())
        for number in [Self.author, Self.shutOut] { try await register(number, at: records) }
        _ = try await keep([.container]) { try await records.makeContainer(Self.container, for: .first) }
        try await rounds(0..<2, records, blobs)
    }

    /// Tells what comes when the hub is started anew, which brings the databases' logs in.
    private func goOn() async throws {
        let place = try StorageFolder(at: FilePath(folder))
        let records = try SQLiteRecordStore(in: place)
        let blobs = try SegmentedBlobStore(in: place, uptime: LeapingClock.make())
        try await rounds(2..<4, records, blobs)
        try await put(Self.deleted, in: blobs, isPromised: false)
        _ = try await blobs.release(Self.deleted.map(Self.blobName), of: Self.owner)
        // The clock leaps, so each of them is hours after what came before.
        for _ in 0..<2 { try await blobs.sweep(retentionSeconds: 3600, uploadSeconds: 365 * 86400) }
        _ = try await keep([.revoked]) {
            try await records.revoke(Self.deviceName(Self.shutOut), of: .first)
        }
        // Who is shut out is not to read what comes: all others get another key.
        try await put(keys: 100, for: Self.author, at: records)
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
            async let fourth: Void = person(10 + 2 * round, at: records)
            async let fifth: Void = person(11 + 2 * round, at: records)
            _ = try await (first, second, third, fourth, fifth)
            try await upload(round, to: blobs)
            await noteReadings(round, at: records)
        }
    }

    private func keep<Value>(_ promises: [Promise], _ body: () async throws -> Value) async throws -> Value {
        for said in promises where isEarly(said) { promise(said) }
        let value = try await body()
        for said in promises where !isEarly(said) { promise(said) }
        return value
    }

    private func isEarly(_ promise: Promise) -> Bool {
        switch (early, promise) {
        case (.all, _), (.keys, .keys), (.devices, .device): true
        default: false
        }
    }

    private func commit(_ numbers: Range<Int>, to records: SQLiteRecordStore) async throws {
        let caller = HubCaller(device: Self.deviceName(Self.author), account: .first)
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 2) {
            let batch = try (start..<min(start + 2, numbers.upperBound)).map { try Self.commit($0) }
            if early == .all { promise(.commit(batch[0].id.text, at: 1)) }
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
        let batch = try blobs.begin(for: Self.owner)
        for number in numbers {
            let bytes = Self.blob(number)
            try batch.begin(Self.blobName(number), byteCount: bytes.count)
            try bytes.withUnsafeBytes { try batch.append($0) }
        }
        _ = try await keep(isPromised ? numbers.map { .blob($0) } : []) { try await batch.commit() }
    }

    /// Somebody registers a device and wraps keys: for it, for others, or for a name that is no device's.
    private func person(_ number: Int, at records: SQLiteRecordStore) async throws {
        try await register(number, at: records)
        var random = SplitMix64(seed: UInt64(number))
        for generation in 1...2 {
            let others = [number, Self.author, Self.shutOut, 200]
            try await put(keys: generation, for: others[random.below(others.count)], at: records)
        }
    }

    private func register(_ number: Int, at records: SQLiteRecordStore) async throws {
        try await records.addInvitation(hash: Self.invitation(number), to: .first, by: nil, until: 100)
        let account = try await keep([.device(number)]) {
            try await records.register(
                Self.device(number),
                invitationHash: Self.invitation(number),
                now: Self.registered
            )
        }
        guard account == .first else { throw Refused() }
    }

    private func put(keys generation: Int, for device: Int, at records: SQLiteRecordStore) async throws {
        let isTaken = try await keep([.keys(generation, for: device)]) {
            try await records.putKeys(
                Self.keys(generation, for: device),
                for: Self.deviceName(device),
                in: Self.container,
                by: HubCaller(device: Self.deviceName(Self.author), account: .first),
                byteCountMax: 1 << 30
            )
        }
        guard isTaken else { throw Refused() }
    }

    /// Notes who has read what, which is no promise.
    private func noteReadings(_ round: Int, at records: SQLiteRecordStore) async {
        guard let head = records.head(of: Self.container, for: .first) else { return }
        for device in [Self.author, 10 + 2 * round] {
            let place = ReadPosition(Self.container, to: head.position, asked: round)
            records.note(place, of: Self.deviceName(device))
        }
        await records.writeReadings()
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

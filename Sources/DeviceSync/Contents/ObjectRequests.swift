internal import Dispatch
internal import Foundation
internal import HubProtocol
internal import Locks
internal import Sealing
internal import SyncMessages
internal import Vault

/// Asks the hub for objects, for the next ones while those before are opened and stored. For one thread at a time.
///
/// How many are asked for at a time follows from how large those before were, and how many requests are under way from how long
/// was waited for others.
final class ObjectRequests {
    private struct Request {
        var objects: [BlobName: VaultObject]
        var answer: Promised<[(name: BlobName, blob: Data)]>
    }

    private let hub: any ContainerHub
    private let opener: BlobSealer
    private let others: [VaultObject]
    private let former: () -> [VaultObject]
    private var pace: AnswerPace
    private let line: Locked<LinePace>
    /// For what is put nowhere else.
    private var room: [UInt8] = []
    /// Those whose answers have not been worked on, in the order in which they were sent.
    private var underWay: [Request] = []

    /// - Parameters:
    ///   - pace: How many are asked for at a time at first.
    ///   - line: Learns how long the line is.
    ///   - others: What the hub may give in the place of something else, beside what is asked for.
    ///   - former: Finds the objects of what the documents were before, as far as they are here.
    init(
        to hub: any ContainerHub,
        _ opener: BlobSealer,
        pace: AnswerPace,
        line: Locked<LinePace>,
        others: [VaultObject] = [],
        former: @escaping () -> [VaultObject]
    ) {
        (self.hub, self.opener, self.pace, self.line) = (hub, opener, pace, line)
        (self.others, self.former) = (others, former)
    }

    /// Gets some objects.
    ///
    /// - Parameters:
    ///   - wanted: All that have not come, those first that have been asked for.
    ///   - room: Where the stored bytes of each are best put.
    ///   - show: Shown each of those that have come. The next one comes to the same place.
    ///   - come: Told before that how many there are, and how many sealed bytes they have.
    /// - Throws: `FalseBlob` when the hub gives something else, or nothing; `UnknownKey`; what the hub and `show` throw.
    func next(
        of wanted: ArraySlice<VaultObject>,
        room: Vault.Room,
        _ show: (VaultObject, ShownObject) throws -> Void,
        come: (_ byteCount: Int, _ objectCount: Int) -> Void = { _, _ in }
    ) throws {
        let wasAsked = !underWay.isEmpty
        try ask(for: wanted, countMax: 1 + line.withLock(\.aheadCount))
        guard !underWay.isEmpty else { return }
        let request = underWay.removeFirst()
        let begun = ContinuousClock.now
        let blobs: [(name: BlobName, blob: Data)]
        do { blobs = try request.answer.value } catch let failure as LineFailure {
            if !failure.isOfRequest { line.withLock { $0.noteBreak() } }
            throw failure
        }
        line.withLock { $0.noteAnswer(after: wasAsked ? .now - begun : .zero) }
        let objects = blobs.compactMap { name, blob in request.objects[name].map { ($0, name, blob) } }
        if objects.isEmpty, let blob = request.objects.keys.min(by: { $0.description < $1.description }) {
            throw FalseBlob(kind: .leftOut, blob: blob)
        }
        pace.note(objects.map { object, _, blob in (object.kind, blob.count) })
        come(blobs.reduce(0) { $0 + $1.blob.count }, objects.count)
        for (object, name, blob) in objects {
            do {
                try withRoom(for: object, blob, room) { room in
                    try show(object, try opened(blob, as: object, into: room))
                }
            } catch let error as SealingError {
                throw meaning(of: error, blob, name, among: wanted)
            }
        }
    }

    /// Asks for what has not been asked for, until so many requests are under way.
    private func ask(for wanted: ArraySlice<VaultObject>, countMax: Int) throws {
        guard underWay.count < countMax else { return }
        var asked = Set(underWay.flatMap(\.objects.values))
        pace.wantedByteCount = line.withLock(\.byteCount)
        while underWay.count < countMax {
            let some = pace.first(of: wanted.lazy.filter { !asked.contains($0) })
            guard !some.isEmpty else { return }
            underWay.append(try request(some))
            asked.formUnion(some)
        }
    }

    private func request(_ wanted: [VaultObject]) throws -> Request {
        var objects: [BlobName: VaultObject] = [:]
        var names: [BlobName] = []
        for object in wanted {
            let name = try opener.address(of: object.name.bytes)
            if objects.updateValue(object, forKey: name) == nil { names.append(name) }
        }
        let answer = Promised<[(name: BlobName, blob: Data)]>()
        let queue = DispatchQueue(label: "sheaf.objects", qos: .userInitiated)
        queue.async { [hub, names] in
            answer.keep { try hub.read(names) }
        }
        return Request(objects: objects, answer: answer)
    }

    /// Finds room for what a blob has in it.
    ///
    /// - Parameter best: Where that is best put.
    private func withRoom(
        for object: VaultObject,
        _ blob: Data,
        _ best: Vault.Room,
        _ body: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        let byteCount = try blob.withUnsafeBytes { try BlobSealer.storedByteCount(in: $0) }
        if let room = best(object, byteCount) { return try body(room) }
        if room.count < byteCount { room = [UInt8](repeating: 0, count: byteCount) }
        try room.withUnsafeMutableBytes { room in
            try body(UnsafeMutableRawBufferPointer(rebasing: room[..<byteCount]))
        }
    }

    private func opened(
        _ blob: Data,
        as object: VaultObject,
        into room: UnsafeMutableRawBufferPointer
    ) throws -> ShownObject {
        let contents = try blob.withUnsafeBytes { blob in
            try object.name.bytes.withUnsafeBytes { name in
                try opener.open(blob, kind: object.kind.rawValue, name: name, into: room)
            }
        }
        return ShownObject(
            isPressed: contents.encoding == .zstd,
            plainByteCount: contents.plainByteCount,
            bytes: UnsafeRawBufferPointer(room)
        )
    }

    private func meaning(
        of error: SealingError,
        _ blob: Data,
        _ name: BlobName,
        among wanted: ArraySlice<VaultObject>
    ) -> any Error {
        switch error.code {
        case .damagedOrExchanged:
            Self.falseBlob(blob, as: name, opener, others: wanted.prefix(1000) + others, former: former())
        case .generationUnknown: UnknownKey(blob: name, error: error)
        default: error
        }
    }
}

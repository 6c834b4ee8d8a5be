internal import Dispatch
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import SyncMessages
internal import Vault

/// Asks the hub for objects, for the next ones while those before are opened and stored. For one thread at a time.
///
/// How many are asked for at a time follows from how large those before were.
final class ObjectRequests {
    private struct Request {
        var objects: [BlobName: VaultObject]
        var answer: Promised<[(name: BlobName, blob: Data)]>
    }

    private let hub: any ContainerHub
    private let opener: BlobSealer
    private let answerByteCount: Int
    private let others: [VaultObject]
    private let former: () -> [VaultObject]
    private var pace = firstPace
    private var ahead: Request?

    /// So many objects are asked for at first.
    private static let firstPace = 32

    /// - Parameters:
    ///   - answerByteCount: How many bytes are to come with an answer.
    ///   - others: What the hub may give in the place of something else, beside what is asked for.
    ///   - former: Finds the objects of what the documents were before, as far as they are here.
    init(
        to hub: any ContainerHub,
        _ opener: BlobSealer,
        answerByteCount: Int,
        others: [VaultObject] = [],
        former: @escaping () -> [VaultObject]
    ) {
        (self.hub, self.opener, self.answerByteCount) = (hub, opener, answerByteCount)
        (self.others, self.former) = (others, former)
    }

    /// Gets some objects.
    ///
    /// - Parameter wanted: All that have not come, those first that have been asked for.
    /// - Returns: Some of them, and how many sealed bytes these have.
    /// - Throws: `FalseBlob` when the hub gives something else, or nothing; `UnknownKey`; what the hub throws.
    func next(
        of wanted: ArraySlice<VaultObject>
    ) throws -> (objects: [(object: VaultObject, stored: StoredObject)], byteCount: Int) {
        let request = try ahead ?? self.request(wanted.prefix(pace))
        ahead = nil
        let blobs = try request.answer.value
        if blobs.isEmpty, let blob = request.objects.keys.min(by: { $0.description < $1.description }) {
            throw FalseBlob(kind: .leftOut, blob: blob)
        }
        let byteCount = blobs.reduce(0) { $0 + $1.blob.count }
        note(byteCount)
        let asked = Set(request.objects.values)
        let rest = wanted.lazy.filter { !asked.contains($0) }.prefix(pace)
        if !rest.isEmpty { ahead = try self.request(rest) }
        let objects = try blobs.compactMap { name, blob in
            try request.objects[name].map { ($0, try checked(blob, name, as: $0, among: wanted)) }
        }
        return (objects, byteCount)
    }

    private func note(_ byteCount: Int) {
        if byteCount > answerByteCount {
            pace = max(1, pace / 2)
        } else if byteCount < answerByteCount / 2 {
            pace = min(2 * pace, HubLimits.blobNameCountMax)
        }
    }

    private func request(_ wanted: some Sequence<VaultObject>) throws -> Request {
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

    private func checked(
        _ blob: Data,
        _ name: BlobName,
        as object: VaultObject,
        among wanted: ArraySlice<VaultObject>
    ) throws -> StoredObject {
        do { return try opened(blob, as: object) } catch let error as SealingError {
            switch error.code {
            case .damagedOrExchanged:
                throw Self.falseBlob(
                    blob,
                    as: name,
                    opener,
                    others: wanted.prefix(1000) + others,
                    former: former()
                )
            case .generationUnknown: throw UnknownKey(blob: name, error: error)
            default: throw error
            }
        }
    }

    private func opened(_ blob: Data, as object: VaultObject) throws -> StoredObject {
        let opened = try blob.withUnsafeBytes {
            try opener.open($0, kind: object.kind.rawValue, name: object.name.bytes)
        }
        return StoredObject(
            isPressed: opened.contents.encoding == .zstd,
            plainByteCount: opened.contents.plainByteCount,
            bytes: opened.stored
        )
    }
}

internal import Foundation
internal import HubProtocol
internal import Sealing
internal import SyncMessages
internal import Vault

/// What the hub gives for a part of contents is not that part. Nothing of it was stored.
struct FalseBlob: Error, Hashable, Sendable, CustomStringConvertible {
    let kind: HubDeed.Kind
    /// What the hub calls the part.
    let blob: BlobName

    var description: String {
        let part = "part \(blob.description.prefix(12))… of these contents"
        return switch kind {
        case .exchanged: "The hub gives another part in the place of \(part)."
        case .replayed: "The hub gives a part of an older state in the place of \(part)."
        case .leftOut: "The hub has lost \(part), or withholds it."
        case .altered, .forked, .rolledBack:
            "The hub has altered \(part), or cut it short: it is not what a device has sent."
        }
    }

    var next: String {
        switch kind {
        case .leftOut:
            """
            It is asked for again by itself, less and less often. A device that has the document sends it anew once it is edited \
            there; or have whoever runs the hub put it back to a backup that has it.
            """
        default:
            """
            Nothing of it was taken over. It is asked for again by itself, less and less often. Have whoever runs the hub put it \
            back to a backup from before that; or edit the document on a device that has it.
            """
        }
    }
}

/// A blob says that it is sealed under a key that this device has not got.
struct UnknownKey: Error {
    let blob: BlobName
    let error: SealingError

    var asFalse: FalseBlob { FalseBlob(kind: .altered, blob: blob) }
}

extension ObjectRequests {
    /// What to make of a blob that does not open as the object that was asked for.
    ///
    /// - Parameters:
    ///   - others: Objects whose blobs may be there instead.
    ///   - former: Those of what the document was before.
    static func falseBlob(
        _ blob: Data,
        as name: BlobName,
        _ opener: BlobSealer,
        others: some Sequence<VaultObject>,
        former: some Sequence<VaultObject>
    ) -> FalseBlob {
        func isOne(of objects: some Sequence<VaultObject>) -> Bool {
            objects.contains { object in
                blob.withUnsafeBytes { bytes in
                    // That it does not open as this one is the answer.
                    (try? opener.open(bytes, kind: object.kind.rawValue, name: object.name.bytes)) != nil
                }
            }
        }
        if blob.count < BlobFormat.overheadByteCount { return FalseBlob(kind: .leftOut, blob: name) }
        if isOne(of: others) { return FalseBlob(kind: .exchanged, blob: name) }
        return FalseBlob(kind: isOne(of: former) ? .replayed : .altered, blob: name)
    }
}

internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync
internal import SyncMessages
internal import Vault

// What the hub has of contents that may not be here.
extension ContentStore {
    /// Shows the names at the hub of all that belongs to contents. What leads to the rest and is not here is had from the hub,
    /// and not stored.
    ///
    /// - Throws: `FalseBlob`; what the hub or the vault throws.
    func blobs(
        of names: [ContentName],
        at hub: any ContainerHub,
        _ opener: BlobSealer,
        _ body: (BlobName, VaultObject) throws -> Void
    ) throws {
        let pace = AnswerPace(answerByteCount: Self.answerByteCount)
        let requests = ObjectRequests(to: hub, opener, pace: pace, line: line) { [] }
        try vault.walk(try names.map(Self.contents)) { wanted, room, show in
            try requests.next(of: wanted, room: room, show)
        } _: { object in
            try body(try opener.address(of: object.name.bytes), object)
        }
    }

    /// Has the hub keep contents that are not here, as it has them.
    ///
    /// - Throws: `FalseBlob` where it has them no more; what the hub or the vault throws.
    func keep(_ name: ContentName, at hub: any ContainerHub, _ opener: BlobSealer) throws {
        var all: [BlobName] = []
        try blobs(of: [name], at: hub, opener) { blob, _ in all.append(blob) }
        for start in stride(from: 0, to: all.count, by: HubLimits.blobNameCountMax) {
            let some = Array(all[start..<min(start + HubLimits.blobNameCountMax, all.count)])
            if let blob = try hub.missing(some).first { throw FalseBlob(kind: .leftOut, blob: blob) }
        }
    }
}

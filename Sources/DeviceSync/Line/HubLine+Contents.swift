internal import Foundation
internal import HubProtocol
internal import Locks
internal import Sync
internal import SyncMessages
internal import Vault

// Contents that are sent and got, a batch at a time; where a batch fails for another reason than the line, each by itself.
extension HubLine {
    func upload(_ wanted: [ContentStore.Upload]) {
        let (begun, up) = (Self.seconds, upCount)
        attempt {
            try contents.upload(wanted, to: hub, try desk.blobSealer()) {
                [receiver] in receiver(.sent($0, $1))
            }
        } then: {
            for upload in wanted { note(upload, askedAt: begun, since: up) }
            noteSent(wanted.map(\.name))
        } or: { error in
            if Self.isShortage(error) {
                // Whatever else fails, to send each by itself fails for, too.
                attempt {
                    try noteLacking(of: wanted)
                } then: {
                } or: { _ in
                }
            }
            let uploads = Dictionary(wanted.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            retrySingly(wanted.map(\.name), needing: neededByteCount) { name in
                let upload = uploads[name] ?? ContentStore.Upload(name)
                let (begun, up) = (Self.seconds, upCount)
                try sendOrKeep(upload)
                note(upload, askedAt: begun, since: up)
            } then: {
                noteSent([$0])
            }
        }
    }

    private func noteSent(_ names: [ContentName]) {
        lackingByteCounts.withLock { counts in
            for name in names { counts[name] = nil }
        }
        receiver(.uploaded(names))
    }

    func fetch(_ all: [Fetch]) {
        let wanted = withRoom(all)
        guard !wanted.isEmpty else { return }
        let pairs = wanted.map { ($0.name, $0.item) }
        attempt {
            try contents.fetch(
                pairs,
                from: hub,
                try desk.blobOpener(),
                progress: { [receiver] arrival in
                    // Of several nobody could say which.
                    if wanted.count == 1 { receiver(.progress(wanted[0].name, arrival)) }
                }
            )
        } then: {
            noteFetched(wanted.map(\.name))
        } or: { _ in
            let items = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            var room: Int?
            let short = retrySingly(wanted.map(\.name)) { name in
                room = nil
                try contents.fetch(
                    [(name, items[name] ?? .root)],
                    beside: wanted.map(\.name),
                    from: hub,
                    try desk.blobOpener(),
                    noRoom: { room = $0 }
                )
            } then: {
                noteFetched([$0])
            }
            if let short { note(short.why, of: short.names, with: room) }
        }
    }

    func download(_ all: [Fetch]) {
        for fetch in withRoom(all) {
            var room: Int?
            attempt {
                try contents.fetch(
                    [(fetch.name, fetch.item)],
                    from: hub,
                    try desk.blobOpener(),
                    noRoom: { room = $0 },
                    progress: { [receiver] in receiver(.progress(fetch.name, $0)) }
                )
            } then: {
                noteFetched([fetch.name])
            } or: { error in
                if Self.isShortage(error) { note(Self.refusal(error), of: [fetch.name], with: room) }
                receiver(Self.failed(fetch.name, error))
            }
        }
    }

    /// One of several may be what is wrong: each by itself, that which needs least room first. For want of room none that needs more
    /// has any.
    ///
    /// - Parameter byteCount: How many bytes each is to have room for.
    /// - Returns: Those for which there was no room.
    @discardableResult
    private func retrySingly(
        _ names: [ContentName],
        needing byteCount: (ContentName) -> Int = HubLine.byteCount,
        _ body: (ContentName) throws -> Void,
        then done: (ContentName) -> Void
    ) -> (names: [ContentName], why: SyncRefusal)? {
        let names = names.map { (name: $0, byteCount: byteCount($0)) }
            .sorted { $0.byteCount < $1.byteCount }.map(\.name)
        for (index, name) in names.enumerated() {
            var why: SyncRefusal?
            attempt {
                try body(name)
            } then: {
                done(name)
            } or: { error in
                if (error as? VaultError)?.code == .damaged { receiver(.lacking([name])) }
                if Self.isShortage(error) {
                    why = Self.refusal(error)
                } else {
                    receiver(Self.failed(name, error))
                }
            }
            if let why {
                receiver(.failed(Array(names[index...]), why, nil))
                return (Array(names[index...]), why)
            }
        }
        return nil
    }

    static func failed(_ name: ContentName, _ error: any Error) -> News {
        .failed([name], refusal(error), error as? FalseBlob)
    }

    /// What an error that is not the line's says for a person, and what helps.
    static func refusal(_ error: any Error) -> SyncRefusal {
        let code = (error as? HubFailure)?.error.code
        let isHubFull = code == .quota || code == .volumeFull
        let failure = error as? LineFailure
        var refusal = SyncRefusal(isHubFull ? .quota : .failed, failure?.why ?? "\(error)")
        refusal.hubDeed = (error as? FalseBlob)?.kind
        // What is no hub's fault may be this device's disk's, or that of what is on the way.
        refusal.remedy = code.map(remedy) ?? failure?.remedy ?? DiskRefusal(error).remedy
        return refusal
    }

    /// What helps against a hub that has no room; nil for what else it refuses.
    private static func remedy(_ code: HubFailureCode) -> String? {
        switch code {
        case .quota:
            """
            Have whoever runs the hub give a larger quota; then it goes on by itself. What is removed leaves room only when the hub has \
            kept it for its time, 30 days mostly.
            """
        case .volumeFull:
            "Have whoever runs the hub free some space on its volume; then it goes on by itself."
        default: nil
        }
    }
}

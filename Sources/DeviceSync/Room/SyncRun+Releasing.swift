internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync
internal import Vault

/// Tells the hub which blobs only former states of items need, as of one moment in which all was in step. ARCHITECTURE.md says
/// why nothing is lost by it.
struct Releasing: Sendable {
    let hub: any ContainerHub
    let desk: LogDesk
    let contents: ContentStore
    /// Where the device remembers the log.
    let memory: FilePath
    /// How far that was read.
    let head: LogHead
    /// Up to where former states were released before.
    let releasedTo: LogPosition
    /// Contents that this device has sent, and of which the log does not speak, as far as it was read.
    var uncommitted: Set<ContentName> = []

    /// What has come of it.
    struct Outcome: Sendable {
        /// Up to where former states are released now.
        var releasedTo: LogPosition
        /// Contents that were sent and not committed, and of which nothing is to be said any more.
        var uncommitted: Set<ContentName> = []
        var count = 0
        var keptSeconds = 0
    }

    /// Does it. It may take long.
    ///
    /// - Throws: What the hub or the vault throws, `FalseBlob`, and `HubFailure` with code `conflict` when the log has grown
    ///   meanwhile. Nothing that somebody needs is released then.
    func run() throws -> Outcome {
        var log = FormerContents(after: releasedTo)
        let memory = try DeviceMemory(beside: try StorageFolder(at: memory))
        try memory.forEachEntry(upTo: head.position) { log.read($0) }
        var outcome = Outcome(releasedTo: head.position)
        let (blobs, sent) = try unneededBlobs(log)
        var spared: Set<BlobName> = []
        let names = blobs.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        for start in stride(from: 0, to: names.count, by: HubLimits.blobNameCountMax) {
            let some = Array(names[start..<min(start + HubLimits.blobNameCountMax, names.count)])
            let answer = try hub.release(some, asOf: head)
            // Whatever the hub says, it is no more than it was asked to.
            outcome.count += min(max(answer.released, 0), some.count)
            outcome.keptSeconds = answer.keptSeconds
            // What was spared is looked at again the next time.
            for name in answer.spared {
                outcome.releasedTo = min(outcome.releasedTo, (blobs[name] ?? 1) - 1)
            }
            spared.formUnion(answer.spared)
        }
        outcome.uncommitted = uncommitted.filter { spared.isDisjoint(with: sent[$0] ?? []) }
        return outcome
    }

    /// What nothing needs any more, and after which entry that is so; and what of it belongs to contents that were not committed,
    /// which is so whatever the log says.
    private func unneededBlobs(
        _ log: FormerContents
    ) throws -> (blobs: [BlobName: LogPosition], sent: [ContentName: Set<BlobName>]) {
        let opener = try desk.blobOpener()
        let needed = log.needed
        var blobs: [BlobName: LogPosition] = [:]
        var sent: [ContentName: Set<BlobName>] = [:]
        var unneeded = log.unneeded
        for content in uncommitted where !needed.contains(content) && unneeded[content] == nil {
            unneeded[content] = head.position + 1
        }
        for (content, position) in unneeded {
            do {
                try contents.blobs(of: [content], at: hub, opener) { blob, _ in
                    blobs[blob] = min(blobs[blob] ?? .max, position)
                    if uncommitted.contains(content) { sent[content, default: []].insert(blob) }
                }
            } catch is FalseBlob {
                // What leads to the rest is not at the hub any more: nobody can say what that was.
            } catch let error as VaultError where error.code == .damaged {
                // Nor here.
            }
        }
        guard !blobs.isEmpty else { return ([:], [:]) }
        // Equal contents have equal names: what is former here is present there. Of this all is to be known.
        try contents.blobs(of: Array(needed), at: hub, opener) { blob, _ in blobs[blob] = nil }
        return (blobs, sent)
    }
}

// The room that former states take at the hub: given back when this device gives back that in its own vault.
extension SyncRun {
    private static let releasedKey = "released"

    /// What it takes to release what is former now; nil while the log is not known to its end.
    ///
    /// Something may be on its way, here as on other devices: no commit goes out without the hub having been asked for all that it
    /// needs. Of what was sent and not committed nothing is told where that may still be.
    func releasing() throws -> Releasing? {
        guard !isStopped, isLogRead else { return nil }
        return Releasing(
            hub: hub,
            desk: desk,
            contents: contents,
            memory: place.memory,
            head: desk.head,
            releasedTo: try releasedTo(),
            uncommitted: uncommitted.subtracting(comingToLog)
        )
    }

    /// What the log may speak of yet: it is being sent, or an item has it.
    var comingToLog: Set<ContentName> {
        guard !uncommitted.isEmpty, !engine.isAtRest || !isFolderKnown else { return [] }
        var coming = uncommitted.filter(engine.isSending)
        for item in engine.differing.union(unkept.keys).union(paused.keys) {
            for state in [table[item]?.state, engine.disk[item]] {
                state?.forEachContent { coming.insert($0) }
            }
            coming.formUnion(engine.comingContents(of: item))
        }
        return coming
    }

    /// Whether the hub was told of all that is former.
    var isReleased: Bool {
        // What cannot be read is done once more.
        uncommitted.isEmpty && (try? releasedTo()) == desk.head.position
    }

    /// Up to where former states were released.
    private func releasedTo() throws -> LogPosition {
        try memory.value(Self.releasedKey).map { bytes in
            try bytes.withUnsafeBytes { bytes in
                var reader = StateReader(bytes)
                return try reader.integer()
            }
        } ?? 0
    }

    /// Notes up to where former states are released.
    func noteReleased(to position: LogPosition) throws {
        var writer = StateWriter()
        writer.integer(position)
        try memory.remember(Self.releasedKey, writer.bytes)
    }

    /// - Parameter head: How far the log had been read. What was former in one that the hub has no more need not be so now.
    func note(_ outcome: Releasing.Outcome, asOf head: LogHead) {
        guard !isStopped, desk.has(head) else { return }
        do {
            try noteReleased(to: outcome.releasedTo)
            try noteReleased(uncommitted: outcome.uncommitted)
        } catch {
            // It is done once more.
            report(.failed(path: "what this device remembers", why: "\(error)"))
        }
        if outcome.count > 0 {
            report(.released(partCount: outcome.count, keptSeconds: outcome.keptSeconds))
        }
    }
}

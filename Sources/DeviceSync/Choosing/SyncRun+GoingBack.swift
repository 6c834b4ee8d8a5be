internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync
internal import SyncMessages
internal import Vault

// Back to what was before a large change that has gone on. What it has removed or replaced is had from this device's vault or from
// the hub, which keeps for 30 days what nobody needs any more.
extension SyncRun {
    /// So long it is said that one can go back.
    private static let keptSeconds = 30 * 86_400.0

    /// The last large change, while one can go back.
    var toldChange: SyncStatus.LargeChange? {
        guard let change = engine.largeChange else { return nil }
        if let changeSeconds, abs(place.now().timeIntervalSince1970 - changeSeconds) > Self.keptSeconds {
            return nil
        }
        return SyncStatus.LargeChange(itemCount: change.items.count, restorePoint: change.restorePoint)
    }

    /// The last large change.
    ///
    /// - Throws: `SyncRefusal` when there is none, or a person is to decide something else first.
    private func lastChange() throws -> LargeChange {
        try refuseWhileAsked()
        guard let change = engine.largeChange else {
            throw SyncRefusal(.absent, "No large change has gone on here that one could go back from.")
        }
        if let unremembered {
            throw SyncRefusal(.failed, "What this device remembers cannot be written: \(unremembered.why)")
        }
        return change
    }

    private func refuseWhileAsked() throws {
        // What is being undone waits for nobody, and is not over.
        guard engine.isAsking else { return }
        throw SyncRefusal(
            .busy,
            "A large change waits for you: say first whether it goes on. See: sheaf status"
        )
    }

    /// What the last large change has taken, and which contents of it are not here.
    func searchBack() throws -> BackSearch {
        let change = try lastChange()
        let formers = change.formers(in: try memory.log().lazy.map(\.entry))
        var missing: Set<ContentName> = []
        for (item, former) in formers where engine.isToComeBack(item, former) {
            guard let content = former.state.content, !missing.contains(content) else { continue }
            if try !contents.has(content) { missing.insert(content) }
        }
        return BackSearch(
            formers: formers,
            restorePoint: change.restorePoint,
            missing: missing,
            hub: hub,
            desk: desk
        )
    }

    func goBack(_ search: BackSearch, without lost: Set<ContentName>) throws -> SyncMessages.WayBack {
        try refuseWhileAsked()
        var back: [ItemID: LargeChange.Former] = [:]
        var (newer, gone): ([String], [String]) = ([], [])
        for (item, former) in search.formers {
            let content = former.state.content
            guard engine.isToComeBack(item, former) else {
                if let ours = engine.disk[item], ours.content != content { newer.append(path(of: item)) }
                continue
            }
            if let content, lost.contains(content) {
                gone.append(path(of: item))
            } else {
                back[item] = former
            }
        }
        // Folders alone are not what anybody misses.
        let count = back.values.count { $0.state.kind == .document }
        take([.wantedBack(back)])
        return SyncMessages.WayBack(
            itemCount: count == 0 ? back.count : count,
            newer: newer.sorted(),
            lost: gone.sorted(),
            restorePoint: search.restorePoint
        )
    }
}

/// What is to come back, and what of it only the hub may have.
struct BackSearch: Sendable {
    let formers: [ItemID: LargeChange.Former]
    let restorePoint: LogPosition
    let missing: Set<ContentName>
    let hub: any ContainerHub
    let desk: LogDesk

    /// The contents that the hub does not have either. Blocks; any thread.
    ///
    /// - Throws: `SyncRefusal` when it does not answer.
    func lost() throws -> Set<ContentName> {
        guard !missing.isEmpty else { return [] }
        let sealer = try desk.blobSealer()
        var wanted: [BlobName: [ContentName]] = [:]
        for name in missing {
            // What has no object of its own is in its name.
            guard let root = Vault.root(of: try ContentStore.contents(name)) else { continue }
            wanted[try sealer.address(of: root.name.bytes), default: []].append(name)
        }
        var lost: Set<ContentName> = []
        let blobs = wanted.keys.sorted()
        for start in stride(from: 0, to: blobs.count, by: HubLimits.blobNameCountMax) {
            let some = Array(blobs[start..<min(start + HubLimits.blobNameCountMax, blobs.count)])
            do { for blob in try hub.missing(some) { lost.formUnion(wanted[blob] ?? []) } } catch {
                throw SyncRefusal(
                    .unreachable,
                    "Contents of \(missing.count) documents are not on this device, and the hub does not answer: \(error)"
                )
            }
        }
        return lost
    }
}

internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync

/// What opens a container with its key on paper: kept by each device as it is at the hub. A new hub, or one that was put back to a
/// backup from before the paper was made, is given it again. Without the paper it opens nothing.
struct RecoveryKits: Sendable {
    /// What is this device's of the container.
    let folder: FilePath
    let container: ContainerName

    private static let fileName = "recovery-kits"
    /// Whoever has a device's token may leave at the hub what looks like one.
    private static let countMax = 8

    /// Has the hub have what this device has kept for a paper, and keeps what the hub has.
    ///
    /// - Throws: What the hub, the line or this device's disk refuse.
    func see(to paper: PublicIdentity, among papers: [PublicIdentity], at hub: any ContainerHub) throws {
        let boxes = try hub.keys(for: DeviceName(of: paper.id)).map { [UInt8]($0.keys) }
        let there = boxes.filter { isKit($0, of: paper) }
        let all = try kept()
        let kept = all[Self.name(of: paper), default: []].map { [UInt8]($0) }
        for kit in kept where !there.contains(kit) { try hub.leave(kit, for: paper.id) }
        let new = there.filter { !kept.contains($0) }.prefix(max(0, Self.countMax - kept.count))
        guard !new.isEmpty else { return }
        // Of those that were replaced nothing is needed.
        var next = all.filter { name, _ in papers.contains { Self.name(of: $0) == name } }
        next[Self.name(of: paper)] = (kept + new).map { Data($0) }
        try keep(next)
    }

    /// Whether it is no box of keys, which others seal for the paper later.
    private func isKit(_ box: [UInt8], of paper: PublicIdentity) -> Bool {
        guard RecoveryKit(encoded: box).isMeant(for: container) else { return false }
        // What cannot be read as a box is none.
        return (try? Sealing.WrappedKeys(encoded: box))?.receiver != paper.id
    }

    private static func name(of paper: PublicIdentity) -> String { HexadecimalText.text(of: paper.id.bytes) }

    private func kept() throws -> [String: [Data]] {
        do {
            let bytes = try FileReading.contents(of: folder.appending(Self.fileName))
            return try JSONDecoder().decode([String: [Data]].self, from: bytes)
        } catch let error as SystemError where error.isAbsent {
            return [:]
        }
    }

    private func keep(_ kits: [String: [Data]]) throws {
        let save = try StagedSave(item: folder.appending(Self.fileName), followsSymbolicLink: false)
        try save.write(try JSONEncoder().encode(kits))
        try save.commit(MemberAttributes(permissions: 0o600))
    }
}

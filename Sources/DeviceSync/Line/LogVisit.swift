internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync

/// A container's log as a command reads it: from its beginning to its end, without keeping anything of it but keys.
///
/// For one thread at a time.
final class LogVisit {
    let desk: LogDesk
    private let hub: any ContainerHub
    private let identity: DeviceIdentity
    private let session = UInt64.random(in: 1...UInt64.max)
    private var commitCount: UInt64 = 0

    /// How often a statement is made anew because others were faster.
    private static let attemptCountMax = 10

    init(_ keys: KeyRing, by identity: DeviceIdentity, at hub: any ContainerHub) throws {
        desk = try LogDesk(keys, by: identity, known: [])
        (self.hub, self.identity) = (hub, identity)
    }

    /// Who shares the container, as of what has been read.
    var devices: DeviceList { desk.devices }

    /// Reads to the end of the log; fetches keys that it needs. Where the reader has been shut out it ends at once.
    ///
    /// - Throws: `SyncFailure` with code `hubChanged` when the log is not what it should be, `keyMissing`; `HubFailure`,
    ///   `LineFailure`.
    func catchUp() throws {
        while true {
            let page = try hub.log(after: desk.head.position, waitSeconds: 0)
            let reading = try desk.read(page)
            if desk.shutOut != nil { return }
            if let finding = reading.finding {
                guard case .keysMissing = finding else {
                    throw SyncFailure.hubChanged(finding.description)
                }
                try desk.fetchKeys(from: hub)
            } else if desk.head.position >= page.head.position {
                try checkGeneration()
                return desk.holdsKey ? () : try desk.fetchKeys(from: hub)
            }
        }
    }

    /// That the log speaks of all revocations that this device knows keys of: a hub that was put back has forgotten the newer
    /// ones, and who was shut out by them would be given the next key.
    private func checkGeneration() throws {
        guard desk.devices.generation >= desk.newestGeneration else {
            throw SyncFailure.hubChanged(
                """
                The hub has forgotten that a device was shut out: it was put back to before that, or deceives. Nothing is said to \
                it. Have whoever runs it put it forward again, or begin a new container.
                """
            )
        }
    }

    /// Says something about devices.
    ///
    /// - Parameter statement: Seals it, as of the log that was read to its end; nil when nothing is to be said.
    /// - Returns: Where in the log it stands, or how far that was read.
    func say(_ statement: (Commit.ID) throws -> OfferedCommit?) throws -> LogPosition {
        for _ in 0..<Self.attemptCountMax {
            try catchUp()
            commitCount += 1
            let id = Commit.ID(identity.id, session: session, commitCount)
            guard let offered = try statement(id) else { return desk.head.position }
            if case .accepted(let position) = try hub.offer([offered]).answers.first { return position }
        }
        throw SyncFailure.hubChanged("Other devices were faster each time. Try again.")
    }
}

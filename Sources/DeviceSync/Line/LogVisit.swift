internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync

/// A container's log as a command reads it: to its end, without keeping anything of it but keys. It begins where this device has
/// got to, as far as that is remembered, so that the log has to go on from there: a hub that was put back since, or shows another
/// log, is told nothing that holds for this one alone.
///
/// For one thread at a time.
final class LogVisit {
    let desk: LogDesk
    private let hub: any ContainerHub
    private let identity: DeviceIdentity
    private let session = UInt64.random(in: 1...UInt64.max)
    private var commitCount: UInt64 = 0
    /// What of this visit's own has been read in the log.
    private var stands: [Commit.ID: LogPosition] = [:]
    /// A key that this device has made, and may have announced: where the hub has no room for it, nobody else has it for this one.
    var madeKey: ContainerKey?

    /// How often a statement is made anew because others were faster.
    private static let attemptCountMax = 10

    /// - Parameter folder: What is this device's of the container; nil for who has read nothing of it.
    init(
        _ keys: KeyRing,
        by identity: DeviceIdentity,
        at hub: any ContainerHub,
        remembered folder: FilePath? = nil
    ) throws {
        desk = try Self.remembered(folder, keys, identity) ?? LogDesk(keys, by: identity, known: [])
        (self.hub, self.identity) = (hub, identity)
    }

    init(_ desk: LogDesk, by identity: DeviceIdentity, at hub: any ContainerHub) {
        (self.desk, self.hub, self.identity) = (desk, hub, identity)
    }

    /// Nil where nothing is remembered. A memory that cannot be read is as none: it keeps nobody from being shut out.
    private static func remembered(
        _ folder: FilePath?,
        _ keys: KeyRing,
        _ identity: DeviceIdentity
    ) -> LogDesk? {
        guard let folder, let memory = try? DeviceMemory.beside(folder), let known = try? memory.log(),
            !known.isEmpty
        else { return nil }
        return try? LogDesk(keys, by: identity, known: known, barred: memory.barredDevices())
    }

    /// Who shares the container, as of what has been read.
    var devices: DeviceList { desk.devices }

    /// Reads to the end of the log; fetches keys that it needs. Where the reader has been shut out it ends at once.
    ///
    /// The log has to speak of all revocations that this device knows keys of: a hub that was put back has forgotten the newer
    /// ones, and who was shut out by them would be given the next key.
    ///
    /// - Throws: `SyncFailure` with code `hubChanged` when the log is not what it should be, `keyMissing`; `HubFailure`,
    ///   `LineFailure`. What could be read has been read then.
    func catchUp() throws {
        var unannounced: UInt32?
        while true {
            let page = try hub.log(after: desk.head.position, waitSeconds: 0)
            let reading = try desk.read(page)
            for entry in reading.heard.map(\.entry) where entry.commit.id.session == session {
                stands[entry.commit.id] = entry.position
            }
            if desk.shutOut != nil { return }
            if let finding = reading.finding {
                guard case .keysMissing = finding else { throw Self.failure(finding) }
                try fetchKeys()
            } else if desk.head.position >= page.head.position {
                let newest = desk.newestGeneration
                guard !desk.speaksOfHeldKeys else {
                    return desk.holdsKey ? () : try fetchKeys()
                }
                // Another part of this process may have taken it since the page was asked for; the next one has a word of it then.
                guard unannounced != newest else {
                    throw SyncFailure.hubChanged(LogFinding.revocationForgotten(last: desk.head).description)
                }
                unannounced = newest
            }
        }
    }

    private func fetchKeys() throws {
        if let madeKey, try desk.take(madeKey) { return }
        try desk.fetchKeys(from: hub)
    }

    /// Reads as far as this can be with the keys that are held: none that the log announces are taken.
    func readHeld() throws {
        while true {
            let page = try hub.log(after: desk.head.position, waitSeconds: 0)
            let isToGoOn = try desk.read(page).finding == nil
            guard isToGoOn, desk.head.position < page.head.position else { return }
        }
    }

    private static func failure(_ finding: LogFinding) -> SyncFailure {
        switch finding {
        case .rolledBack, .forked: .hubChanged("\(finding.description) \(meet)")
        default: .hubChanged(finding.description)
        }
    }

    /// It goes back in the log, and sends again what the hub lacks.
    private static let meet = """
        If somebody has put the hub back to a backup, start sheaf up here, and say this again once it has a line; if nobody has, \
        do not trust the hub.
        """

    /// Reads on in the log as far as it can be read: who shares the container is known as of there.
    ///
    /// - Returns: What keeps it from being read to its end; nil where it was.
    /// - Throws: What is wrong with the line, or what the hub refuses.
    @discardableResult
    func readOn() throws -> (any Error)? {
        do { try catchUp() } catch  where Self.isOfLog(error) { return error }
        return nil
    }

    /// Whether it is the log, or the keys, that something is wrong with, and not the line or the hub's willingness.
    static func isOfLog(_ error: any Error) -> Bool {
        switch error {
        case let failure as SyncFailure: failure.code == .hubChanged || failure.code == .keyMissing
        case let error as SealingError: error.code != .outOfMemory
        default: false
        }
    }

    /// Says something about devices, and reads in the log that it has been said: that the hub says so is no proof, and
    /// others go on as before while it is not.
    ///
    /// - Parameter statement: Seals it, as of the log that was read to its end; nil when nothing is to be said.
    /// - Returns: Where in the log it stands, or how far that was read.
    func say(_ statement: (Commit.ID) throws -> OfferedCommit?) throws -> LogPosition {
        for _ in 0..<Self.attemptCountMax {
            try catchUp()
            commitCount += 1
            let id = Commit.ID(identity.id, session: session, commitCount)
            guard let offered = try statement(id) else { return desk.head.position }
            guard case .accepted(let position) = try hub.offer([offered]).answers.first else { continue }
            try catchUp()
            guard stands[id] == position else { throw Self.isUnsaid(position) }
            return position
        }
        throw SyncFailure.hubChanged("Other devices were faster each time. Try again.")
    }

    /// Offers once more that a device was shut out, as of what has been read, though the log has forgotten the newest key.
    ///
    /// - Returns: Whether the hub says that it has taken all of it; the next visit reads whether it stands.
    func offerForgotten(_ plan: PlannedRevocation, of device: PublicIdentity) throws -> Bool {
        commitCount += 2
        let offered = try desk.sealForgotten(
            plan,
            of: device,
            as: (
                Commit.ID(identity.id, session: session, commitCount - 1),
                Commit.ID(identity.id, session: session, commitCount)
            )
        )
        guard !offered.isEmpty else { return false }
        return try hub.offer(offered).answers.allSatisfy { if case .accepted = $0 { true } else { false } }
    }

    private static func isUnsaid(_ position: LogPosition) -> SyncFailure {
        .hubChanged(
            """
            The hub says that it has taken what this device has to say to the others as entry \(position) of its log, and does not \
            have it there. If somebody has just put the hub back to a backup, start sheaf up here, and say this again once it has \
            a line; if nobody has, do not trust the hub.
            """
        )
    }
}

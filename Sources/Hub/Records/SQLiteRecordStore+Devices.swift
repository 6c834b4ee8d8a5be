internal import FileSystem
internal import Foundation
package import HubProtocol
internal import Locks
internal import SQLite

extension SQLiteRecordStore {
    /// How many devices of an account may stand that were invited by other devices, and how many may ever have been registered so:
    /// whoever is to have one refused is given a list of all. The hub's own invitations work whatever there is, so that nobody
    /// keeps an account's owner out.
    static let deviceCountMax = 1000
    static let registrationCountMax = 20_000

    /// How many invitations of an account there are at a time that devices have asked for and nobody has used.
    static let invitationCountMax = 100

    package func addInvitation(
        hash: [UInt8],
        to account: AccountID,
        by inviter: DeviceName?,
        until: Int,
        uptime: Double?
    ) async throws {
        if let uptime { ownInvitations.withLock { $0.add(hash, uptime: uptime) } }
        try await database.writer.perform { [ownInvitations] connection in
            try Self.forgetInvitations(
                endedBefore: until - 2 * HubLimits.invitationSeconds,
                except: { hash in ownInvitations.withLock { $0.contains(hash) } },
                connection
            )
            if inviter != nil { try Self.checkInvitations(of: account, until: until, connection) }
            let add = try connection.statement("INSERT INTO invitations VALUES(?, ?, ?, 0, nullif(?, x''))")
            add.bind(1, hash)
            add.bind(2, account.number)
            add.bind(3, until)
            add.bind(4, inviter?.bytes ?? [])
            try add.run()
        }
    }

    /// An invitation that this process has left in a file is as any that it has made.
    func noteOwnInvitation(hash: [UInt8], uptime: Double) {
        ownInvitations.withLock { $0.add(hash, uptime: uptime) }
    }

    /// Forgets what nobody can use any longer, and is not needed to know that it was used.
    private static func forgetInvitations(
        endedBefore time: Int,
        except isGood: ([UInt8]) -> Bool,
        _ connection: SQLiteConnection
    ) throws {
        let select = try connection.statement("SELECT hash FROM invitations WHERE until < ?")
        select.bind(1, time)
        var hashes: [[UInt8]] = []
        while try select.step() { hashes.append(select.blob(0)) }
        let forget = try connection.statement("DELETE FROM invitations WHERE hash = ?")
        for hash in hashes where !isGood(hash) {
            forget.bind(1, hash)
            try forget.run()
        }
    }

    private static func checkInvitations(
        of account: AccountID,
        until: Int,
        _ connection: SQLiteConnection
    ) throws {
        let select = try connection.statement(
            "SELECT count(*) FROM invitations WHERE account = ? AND used = 0 AND until > ?"
        )
        select.bind(1, account.number)
        select.bind(2, until - HubLimits.invitationSeconds)
        defer { select.reset() }
        guard try select.step(), select.integer(0) >= invitationCountMax else { return }
        throw HubRefusal.tooMany(
            "invitations of this account that nobody has used",
            retrySeconds: HubLimits.invitationSeconds
        )
    }

    package func register(
        _ device: NewDevice,
        invitationHash: [UInt8],
        now: Int,
        uptime: Double?
    ) async throws -> AccountID? {
        let time = ownInvitations.withLock { $0.time(for: invitationHash, now: now, uptime: uptime) }
        // One that the command left for us is used up in the database, so that it cannot be used twice.
        let left = try InvitationFiles.invitation(hash: invitationHash, in: invitations)
        let account = try await database.writer.perform { connection in
            try Self.use(invitationHash, left: left, after: time, connection).map { account in
                try Self.checkCount(of: account, invitationHash, connection)
                try Self.insert(device, account, invitationHash, now: now, connection)
                return account
            }
        } whenDurable: { [memory] account in
            guard let account else { return }
            let caller = HubCaller(device: device.device, account: account)
            memory.withLock { $0.callers[device.tokenHash] = caller }
        }
        if left != nil { try InvitationFiles.remove(hash: invitationHash, in: invitations) }
        return account
    }

    /// Uses an invitation up.
    ///
    /// One of a device that has been revoked is none, also where it was asked for before that and comes after it.
    ///
    /// - Parameter time: When it has to end, to be good, after which.
    /// - Returns: Whose it is; nil when it is none, too old or used.
    private static func use(
        _ hash: [UInt8],
        left: InvitationFiles.Invitation?,
        after time: Int,
        _ connection: SQLiteConnection
    ) throws -> AccountID? {
        if let left, left.until > time {
            let take = try connection.statement("INSERT OR IGNORE INTO invitations VALUES(?, ?, ?, 0, NULL)")
            take.bind(1, hash)
            take.bind(2, (left.account ?? .first).number)
            take.bind(3, left.until)
            try take.run()
            // Taken before, it has its account already, and is used.
            if left.account == nil, connection.changedRowCount > 0 { try makeAccount(for: hash, connection) }
        }
        let use = try connection.statement(
            """
            UPDATE invitations SET used = 1 WHERE hash = ? AND used = 0 AND until > ? AND NOT EXISTS
                (SELECT 1 FROM devices WHERE devices.device = invitations.inviter AND devices.revoked = 1)
            RETURNING account
            """
        )
        use.bind(1, hash)
        use.bind(2, time)
        defer { use.reset() }
        let account = try use.step() ? AccountID(use.integer(0)) : nil
        return account
    }

    private static func makeAccount(for hash: [UInt8], _ connection: SQLiteConnection) throws {
        try connection.statement("INSERT INTO accounts(bytes) VALUES(0)").run()
        let give = try connection.statement(
            "UPDATE invitations SET account = (SELECT max(account) FROM accounts) WHERE hash = ?"
        )
        give.bind(1, hash)
        try give.run()
    }

    /// Refuses a device that another one has invited, where the account has too many of those.
    private static func checkCount(
        of account: AccountID,
        _ invitationHash: [UInt8],
        _ connection: SQLiteConnection
    ) throws {
        let select = try connection.statement(
            """
            SELECT count(*), ifnull(sum(revoked = 0), 0) FROM devices WHERE account = ? AND inviter IS NOT NULL
                AND (SELECT inviter FROM invitations WHERE hash = ?) IS NOT NULL
            """
        )
        select.bind(1, account.number)
        select.bind(2, invitationHash)
        defer { select.reset() }
        guard try select.step() else { return }
        guard select.integer(0) < registrationCountMax, select.integer(1) < deviceCountMax else {
            throw HubRefusal(
                507,
                .quota,
                "The account has had as many devices invited by others as it may. Shut out those that nobody uses, or "
                    + "have “sheaf hub invite” print an invitation at the hub."
            )
        }
    }

    private static func insert(
        _ device: NewDevice,
        _ account: AccountID,
        _ invitationHash: [UInt8],
        now: Int,
        _ connection: SQLiteConnection
    ) throws {
        let insert = try connection.statement(
            """
            INSERT INTO devices VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0,
                (SELECT inviter FROM invitations WHERE hash = ?8), ?8)
            """
        )
        insert.bind(1, device.device.bytes)
        insert.bind(2, account.number)
        insert.bind(3, device.tokenHash)
        insert.bind(4, Array(device.name.utf8))
        insert.bind(5, device.signingKey.bytes)
        insert.bind(6, device.agreementKey.bytes)
        insert.bind(7, now)
        insert.bind(8, invitationHash)
        try insert.run()
    }

    package func registerAgain(
        _ device: NewDevice,
        invitationHash: [UInt8],
        now: Int,
        uptime: Double?
    ) async throws -> HubCaller? {
        let time = ownInvitations.withLock { $0.time(for: invitationHash, now: now, uptime: uptime) }
        return try await database.writer.perform { connection -> (caller: HubCaller, token: [UInt8])? in
            let known = try Self.registered(device, by: invitationHash, after: time, connection)
            guard let known else { return nil }
            let replace = try connection.statement("UPDATE devices SET token = ? WHERE device = ?")
            replace.bind(1, device.tokenHash)
            replace.bind(2, known.caller.device.bytes)
            try replace.run()
            return known
        } whenDurable: { [memory] known in
            guard let known else { return }
            memory.withLock { memory in
                memory.callers[known.token] = nil
                memory.callers[device.tokenHash] = known.caller
            }
        }?.caller
    }

    /// The device that was registered by an invitation that is still good, if it is this one, with the hash of its token.
    private static func registered(
        _ device: NewDevice,
        by invitationHash: [UInt8],
        after time: Int,
        _ connection: SQLiteConnection
    ) throws -> (caller: HubCaller, token: [UInt8])? {
        let select = try connection.statement(
            """
            SELECT device, devices.account, token FROM devices JOIN invitations ON hash = invitation
            WHERE invitation = ? AND name = ? AND signing = ? AND agreement = ? AND revoked = 0 AND until > ?
                AND NOT EXISTS (
                    SELECT 1 FROM devices AS others WHERE others.device = invitations.inviter AND others.revoked = 1)
            """
        )
        select.bind(1, invitationHash)
        select.bind(2, Array(device.name.utf8))
        select.bind(3, device.signingKey.bytes)
        select.bind(4, device.agreementKey.bytes)
        select.bind(5, time)
        defer { select.reset() }
        guard try select.step() else { return nil }
        let name = DeviceName(unchecked: select.blob(0))
        return (HubCaller(device: name, account: AccountID(select.integer(1))), select.blob(2))
    }

    package func devices(for caller: HubCaller) async throws -> [DeviceListing] {
        let known = readings.withLock { $0.places(of: caller.device, with: []) }.map(\.container)
        let numbers = memory.withLock { memory in known.compactMap { memory.containers[$0]?.number } }
        let (devices, written) = try await database.readers.perform { connection in
            let select = try connection.statement(
                """
                SELECT device, name, signing, agreement, registered, revoked, inviter FROM devices
                WHERE account = ? ORDER BY registered, device
                """
            )
            select.bind(1, caller.account.number)
            var devices: [DeviceListing] = []
            while try select.step() {
                var device = DeviceListing(
                    device: DeviceName(unchecked: select.blob(0)),
                    name: String(decoding: select.blob(1), as: UTF8.self),
                    signingKey: PublicKeyBytes(unchecked: select.blob(2)),
                    agreementKey: PublicKeyBytes(unchecked: select.blob(3)),
                    registered: select.integer(4),
                    isRevoked: select.integer(5) != 0
                )
                device.inviter = select.isNull(6) ? nil : DeviceName(unchecked: select.blob(6))
                devices.append(device)
            }
            return (devices, try Self.readings(for: caller, beside: numbers, connection))
        }
        let own = Set(known).union((written[caller.device] ?? []).map(\.container))
        return devices.map { device in
            var device = device
            let rows = written[device.device] ?? []
            device.reads = readings.withLock { $0.places(of: device.device, with: rows) }
                .filter { own.contains($0.container) }
            return device
        }
    }

    package func revoke(_ device: DeviceName, of account: AccountID) async throws -> Bool {
        let isThere =
            try await database.writer.perform { connection -> (token: [UInt8], byteCount: Int)? in
                guard let token = try Self.revoke(device, of: account, connection) else { return nil }
                try Self.deleteInvitations(of: device, account, connection)
                let byteCount = try Self.deleteKeys(of: device, connection)
                try Self.add(-byteCount, to: account, connection)
                return (token, try Self.byteCount(of: account, connection))
            } whenDurable: { [memory] revoked in
                guard let revoked else { return }
                memory.withLock { memory in
                    memory.callers[revoked.token] = nil
                    memory.revokedTokens.insert(revoked.token)
                    memory.byteCounts[account] = revoked.byteCount
                }
            } != nil
        if isThere { tell(.revoked(device)) }
        return isThere
    }

    /// What it has invited with is worth nothing any longer, and is not to be in the way of others'.
    private static func deleteInvitations(
        of device: DeviceName,
        _ account: AccountID,
        _ connection: SQLiteConnection
    ) throws {
        let delete = try connection.statement(
            "DELETE FROM invitations WHERE account = ? AND used = 0 AND inviter = ?"
        )
        delete.bind(1, account.number)
        delete.bind(2, device.bytes)
        try delete.run()
    }

    /// - Returns: The hash of its token; nil where there is no such device.
    private static func revoke(
        _ device: DeviceName,
        of account: AccountID,
        _ connection: SQLiteConnection
    ) throws -> [UInt8]? {
        let revoke = try connection.statement(
            "UPDATE devices SET revoked = 1 WHERE device = ? AND account = ? RETURNING token"
        )
        revoke.bind(1, device.bytes)
        revoke.bind(2, account.number)
        defer { revoke.reset() }
        let token = try revoke.step() ? revoke.blob(0) : nil
        return token
    }
}

extension SQLiteRecordStore {
    /// All accounts of a store that another process may have open; nothing is written.
    static func accounts(at place: FilePath) throws -> [HubProcess.Account] {
        let connection = try SQLiteConnection(path: place.string)
        let kept =
            try connection.formatVersion() >= RecordSchema.removalsVersion ? " AND removed IS NULL" : ""
        let select = try connection.statement(
            """
            SELECT account, (SELECT count(*) FROM containers WHERE containers.account = accounts.account\(kept))
            FROM accounts ORDER BY account
            """
        )
        var found: [(id: AccountID, containerCount: Int)] = []
        while try select.step() { found.append((AccountID(select.integer(0)), select.integer(1))) }
        return try found.map { id, containerCount in
            let devices = try connection.statement(
                "SELECT name FROM devices WHERE account = ? AND revoked = 0 ORDER BY registered, name"
            )
            devices.bind(1, id.number)
            var names: [String] = []
            while try devices.step() { names.append(String(decoding: devices.blob(0), as: UTF8.self)) }
            return HubProcess.Account(id: id, deviceNames: names, containerCount: containerCount)
        }
    }
}

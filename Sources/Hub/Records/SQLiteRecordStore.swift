package import FileSystem
internal import Foundation
package import HubProtocol
internal import Locks
internal import SQLite

/// The records of a hub in one SQLite database: the default, in one process.
///
/// What every request needs (tokens, containers and their heads, sums of bytes) is in memory too, in one struct under
/// one lock, which is brought up to date after each transaction and before those who waited for it go on.
package final class SQLiteRecordStore: RecordStore {
    struct ContainerState: Hashable, Sendable {
        var number: Int
        var account: AccountID
        var head: LogHead
    }
    struct Memory {
        var callers: [[UInt8]: HubCaller] = [:]
        /// Hashes of tokens that were worth something once.
        var revokedTokens: Set<[UInt8]> = []
        var containers: [ContainerName: ContainerState] = [:]
        /// Those that were removed, and whose they were.
        var removed: [ContainerName: AccountID] = [:]
        var byteCounts: [AccountID: Int] = [:]
        var observers: [@Sendable (HubNews) -> Void] = []
    }

    let database: HubDatabase
    let memory: Locked<Memory>
    let pairings = Locked(Pairings())
    let readings = Locked(Readings())
    let ownInvitations = Locked(OwnInvitations())
    /// Where `sheaf hub invite` leaves invitations.
    let invitations: StorageFolder

    /// Opens the store in a folder, made where it is missing.
    ///
    /// - Throws: `SystemError`, `SQLiteError`.
    package init(in folder: StorageFolder) throws {
        if try folder.status(of: Self.fileName) == nil {
            _ = try folder.create(Self.fileName)
            try folder.sync()
        }
        invitations = try folder.subfolder(InvitationFiles.folderName)
        var found = Memory()
        database = try HubDatabase(path: folder.path.appending(Self.fileName).string) { connection in
            try RecordSchema.prepare(connection)
            found = try Self.remembered(connection)
        }
        memory = Locked(found)
    }

    static let fileName = "records.db"

    package func observe(_ observer: @escaping @Sendable (HubNews) -> Void) {
        memory.withLock { $0.observers.append(observer) }
    }

    package func caller(tokenHash: [UInt8]) -> HubCaller? {
        memory.withLock { $0.callers[tokenHash] }
    }

    package func isRevoked(tokenHash: [UInt8]) -> Bool {
        memory.withLock { $0.revokedTokens.contains(tokenHash) }
    }

    package func head(of container: ContainerName, for account: AccountID) -> LogHead? {
        memory.withLock { memory in
            guard let state = memory.containers[container], state.account == account else { return nil }
            return state.head
        }
    }

    package func isRemoved(_ container: ContainerName, of account: AccountID) -> Bool {
        memory.withLock { $0.removed[container] == account }
    }

    /// Whether a device is registered, and not revoked.
    package var hasDevices: Bool { memory.withLock { !$0.callers.isEmpty } }

    package func byteCount(of account: AccountID) -> Int {
        memory.withLock { $0.byteCounts[account] ?? 0 }
    }

    func tell(_ news: HubNews) {
        for observer in memory.withLock({ $0.observers }) { observer(news) }
    }

    /// A container's number; refused where there is no such container.
    func number(of container: ContainerName) throws -> Int { try state(of: container).number }

    /// What is known of a container; refused where there is no such container, or it was removed.
    func state(of container: ContainerName) throws -> ContainerState {
        let (state, isRemoved) = memory.withLock { ($0.containers[container], $0.removed[container] != nil) }
        guard let state else {
            throw isRemoved ? HubRefusal.removed(container) : .notFound("container")
        }
        return state
    }

    private static func remembered(_ connection: SQLiteConnection) throws -> Memory {
        var memory = Memory()
        let devices = try connection.statement("SELECT token, device, account, revoked FROM devices")
        while try devices.step() {
            guard devices.integer(3) == 0 else {
                memory.revokedTokens.insert(devices.blob(0))
                continue
            }
            memory.callers[devices.blob(0)] = HubCaller(
                device: DeviceName(unchecked: devices.blob(1)),
                account: AccountID(devices.integer(2))
            )
        }
        let containers = try connection.statement(
            "SELECT container, number, account, position, hash, removed FROM containers"
        )
        while try containers.step() {
            guard containers.isNull(5) else {
                memory.removed[ContainerName(unchecked: containers.blob(0))] = AccountID(
                    containers.integer(2)
                )
                continue
            }
            let head = LogHead(
                position: UInt64(containers.integer(3)),
                hash: LogHash(unchecked: containers.blob(4))
            )
            memory.containers[ContainerName(unchecked: containers.blob(0))] = ContainerState(
                number: containers.integer(1),
                account: AccountID(containers.integer(2)),
                head: head
            )
        }
        let accounts = try connection.statement("SELECT account, bytes FROM accounts")
        while try accounts.step() { memory.byteCounts[AccountID(accounts.integer(0))] = accounts.integer(1) }
        return memory
    }
}

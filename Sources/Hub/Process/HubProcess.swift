internal import Dispatch
internal import FileSystem
internal import Foundation
package import HTTPService
internal import HubProtocol
internal import LocalSockets
internal import Locks

/// A hub as a program: on one address, over one folder.
package enum HubProcess {
    /// How the program was started.
    package struct Options: Sendable {
        /// The folder; nil for the user's own.
        package var data: String?
        package var address = ListeningAddress.loopback(port: defaultPort)
        package var settings = HubSettings()

        package init() {}

        package var folder: HubData {
            data.map { HubData(path: FilePath(URL(fileURLWithPath: $0).path)) }
                ?? HubData(environment: ProcessInfo.processInfo.environment)
        }
    }

    /// Where a hub listens unless somebody says otherwise.
    package static let defaultPort: UInt16 = 7433

    /// Serves until the process is told to end, as `EndSignals.usual` has it.
    ///
    /// - Parameters:
    ///   - say: Told where it is, and the first invitation. The invitation is a secret.
    ///   - complain: Told of faults, in lines without a secret.
    /// - Throws: `HubError`, or what the kernel or SQLite refused.
    package static func run(
        _ options: Options,
        say: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) throws {
        let hub = try RunningHub(options, complain: complain)
        let stopped = DispatchSemaphore(value: 0)
        let signals = EndSignals { hub.stop { stopped.signal() } }
        try withExtendedLifetime(signals) {
            say("Sheaf hub at http://\(hub.address), over \(options.folder.path)\n")
            if let invitation = try hub.firstInvitation() {
                say("Invitation for the first device, for an hour: \(invitation)\n")
            }
            stopped.wait()
        }
    }

    /// Makes an invitation, whether or not the hub is running.
    ///
    /// - Parameter account: Whose devices it is for; nil for another person, whose containers, devices and quota are apart
    ///   from all others.
    package static func invite(_ options: Options, for account: AccountID? = .first) throws -> String {
        let known = try accounts(options)
        if let account, account != .first, !known.contains(where: { $0.id == account }) {
            throw HubError("There is no account \(account.number). See “sheaf hub accounts”.")
        }
        return try invitation(in: try options.folder.open(), for: account)
    }

    /// Somebody who has documents at a hub.
    package struct Account: Sendable {
        package let id: AccountID
        /// What it has called its devices, those that are refused left out.
        package let deviceNames: [String]
        package let containerCount: Int
    }

    /// All accounts, whether or not the hub is running.
    package static func accounts(_ options: Options) throws -> [Account] {
        let folder = try existing(options)
        guard try folder.status(of: SQLiteRecordStore.fileName) != nil else { return [] }
        return try SQLiteRecordStore.accounts(at: folder.path.appending(SQLiteRecordStore.fileName))
    }

    /// The folder of a hub that there is.
    static func existing(_ options: Options) throws -> StorageFolder {
        guard options.folder.isThere else {
            throw HubError(
                "There is no hub in \(options.folder.path). Start it with “sheaf hub”, or give --data."
            )
        }
        return try options.folder.open()
    }

    static func invitation(
        in folder: StorageFolder,
        for account: AccountID? = .first,
        now: Int = HubClock.system.now()
    ) throws -> String {
        let invitation = try Secrets.invitation()
        try InvitationFiles.add(
            hash: try Secrets.invitationHash(invitation),
            InvitationFiles.Invitation(
                until: now + HubLimits.invitationSeconds,
                account: account
            ),
            in: try folder.subfolder(InvitationFiles.folderName)
        )
        return invitation
    }
}

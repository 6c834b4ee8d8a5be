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

    /// Serves until the process is told to end (`SIGTERM`, `SIGINT`).
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
        let signals = whenTold { hub.stop { stopped.signal() } }
        defer { for signal in signals { signal.cancel() } }
        say("Sheaf hub at http://\(hub.address), over \(options.folder.path)\n")
        if let invitation = try hub.firstInvitation() {
            say("Invitation for the first device, for an hour: \(invitation)\n")
        }
        stopped.wait()
    }

    /// Makes an invitation, whether or not the hub is running.
    ///
    /// - Parameter makesAccount: Whether it is for another person, whose containers, devices and quota are apart from all
    ///   others; else it is for one more device of the account that the hub began with.
    package static func invite(_ options: Options, makesAccount: Bool = false) throws -> String {
        guard options.folder.isThere else {
            throw HubError(
                "There is no hub in \(options.folder.path). Start it with “sheaf hub”, or give --data."
            )
        }
        return try invitation(in: try options.folder.open(), makesAccount: makesAccount)
    }

    static func invitation(in folder: StorageFolder, makesAccount: Bool = false) throws -> String {
        let invitation = try Secrets.invitation()
        try InvitationFiles.add(
            hash: try Secrets.invitationHash(invitation),
            InvitationFiles.Invitation(
                until: HubClock.system.now() + HubLimits.invitationSeconds,
                makesAccount: makesAccount
            ),
            in: try folder.subfolder(InvitationFiles.folderName)
        )
        return invitation
    }

    private static func whenTold(
        _ stop: @escaping @Sendable () -> Void
    ) -> [any DispatchSourceSignal] {
        [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: stop)
            source.resume()
            return source
        }
    }
}

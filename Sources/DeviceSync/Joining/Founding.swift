internal import Cryptography
internal import Foundation
package import HubProtocol
package import Sealing
package import Sync

/// Begins containers, and says who shares them.
package enum Founding {
    /// Begins a container whose log is empty yet.
    ///
    /// - Parameters:
    ///   - container: A new name.
    ///   - identity: The first device's.
    ///   - name: What its owner calls it.
    ///   - hub: The container at its hub.
    /// - Returns: The container's keys. Who loses all of them loses the container.
    /// - Throws: `SyncFailure` with code `hubChanged` when the log is not empty; `HubFailure`, `LineFailure`,
    ///   `SealingError`.
    package static func found(
        _ container: ContainerName,
        by identity: DeviceIdentity,
        named name: String,
        at hub: any ContainerHub
    ) throws -> ContainerKeys {
        let statement = try DeviceStatement.founding(container, by: identity, named: name)
        let keys = try ContainerKeys(
            newFor: container,
            anchor: try statement.hash(),
            random: RandomBytes.make
        )
        let desk = try LogDesk(keys, by: identity, known: [])
        let id = Commit.ID(identity.id, session: .random(in: 1...UInt64.max), 1)
        guard let offered = try desk.sealFounding(statement, as: id) else { return keys }
        guard case .accepted = try hub.offer([offered]).answers.first else {
            throw SyncFailure.hubChanged("The container \(container) has been begun by somebody else.")
        }
        return keys
    }

    /// How often a statement is made anew because others were faster.
    private static let attemptCountMax = 10

    /// Says in a container's log that another device shares it from now on.
    ///
    /// - Returns: Where in the log it says so.
    /// - Throws: As `found`; `SyncFailure` with code `hubChanged` when the log is not what it should be.
    @discardableResult
    package static func add(
        _ device: PublicIdentity,
        to keys: ContainerKeys,
        by identity: DeviceIdentity,
        at hub: any ContainerHub
    ) throws -> LogPosition {
        let desk = try LogDesk(keys, by: identity, known: [])
        let session = UInt64.random(in: 1...UInt64.max)
        for attempt in 1...attemptCountMax {
            while true {
                let page = try hub.log(after: desk.head.position, waitSeconds: 0)
                if let finding = try desk.read(page).finding {
                    throw SyncFailure.hubChanged(finding.description)
                }
                if desk.head.position >= page.head.position { break }
            }
            let id = Commit.ID(identity.id, session: session, UInt64(attempt))
            guard let offered = try desk.sealAddition(of: device, as: id) else { return desk.head.position }
            if case .accepted(let position) = try hub.offer([offered]).answers.first { return position }
        }
        throw SyncFailure.hubChanged("Other devices were faster each time. Try again.")
    }
}

package import Foundation
internal import HubProtocol
internal import Sealing
package import Sync

/// A device that shares a container, or has shared it.
package struct SharingDevice: Hashable, Sendable {
    package let id: DeviceID
    /// What its owner calls it.
    package let name: String
    /// When it was registered, by the hub's clock and word; nil for what the hub does not know, such as a key on paper.
    package let since: Date?
    package let isThis: Bool
    /// Whether it is a recovery key on paper.
    package let isPaper: Bool
    package let isRevoked: Bool
    /// What the device is called that has shut it out.
    package let revokedBy: String?
    /// The device that has let it in, and what that is called; nil for the one that began the container.
    package let letInByID: DeviceID?
    package let letInBy: String?
    /// Where in the container's log that stands.
    package let letInAt: LogPosition

    init(_ member: DeviceList.Member, in list: DeviceList, since: Date?, isThis: Bool) {
        (id, name) = (member.identity.id, member.identity.name)
        (self.since, self.isThis, isPaper) = (since, isThis, member.identity.isPaper)
        (isRevoked, revokedBy) = (
            member.isRevoked, member.revokedBy.flatMap { list.members[$0]?.identity.name }
        )
        let letInByID = member.addedBy == member.identity.id ? nil : member.addedBy
        self.letInByID = letInByID
        letInBy = letInByID.flatMap { list.members[$0]?.identity.name }
        letInAt = member.addedAt
    }
}

extension PublicIdentity {
    /// Whether it is of a recovery key. No device may be called so.
    var isPaper: Bool { name == RecoveryKey.deviceName }

    /// Whether the hub means this one, by the keys that it was registered with.
    func isMeant(by listing: DeviceListing) -> Bool {
        listing.signingKey.bytes == signingKey && listing.agreementKey.bytes == agreementKey
    }
}

extension Sharing {
    /// All devices of the container, those first that share it, in the order in which they came.
    ///
    /// - Parameter unread: Told what keeps the log from being read to its end: then they are those as of there.
    /// - Throws: `HubFailure`, `LineFailure`.
    package func devices(unread: (any Error) -> Void = { _ in }) throws -> [SharingDevice] {
        try shown(unread) { list in
            list.members.values.sorted {
                ($0.isRevoked ? 1 : 0, $0.addedAt) < ($1.isRevoked ? 1 : 0, $1.addedAt)
            }
        }
    }

    /// Some devices of the list as it is now, with what the hub knows of them.
    func shown(
        _ unread: (any Error) -> Void = { _ in },
        _ choose: (DeviceList) -> [DeviceList.Member]
    ) throws -> [SharingDevice] {
        let visit = try visitLog()
        // Whoever is to be shut out may have seen to it that nobody reads any further.
        if let error = try visit.readOn() { unread(error) }
        let (list, registrations) = (visit.devices, try hub.registrations())
        return choose(list).map { member in
            let registered = registrations.filter(member.identity.isMeant).map(\.registered).min()
            return SharingDevice(
                member,
                in: list,
                since: registered.map { Date(timeIntervalSince1970: TimeInterval($0)) },
                isThis: member.identity.id == identity.id
            )
        }
    }
}

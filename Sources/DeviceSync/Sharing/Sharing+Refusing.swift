internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync

// Who is to be shut out has a token of the hub's, and whatever else was registered by it.
extension Sharing {
    /// Has the hub refuse a device under every name that it has there, and all whom it has invited but for members.
    ///
    /// - Returns: Whether there was anybody whom it did not refuse before.
    /// - Throws: `SyncFailure` with code `hubChanged` where one comes after the other for ever; what the hub or the line refuse.
    @discardableResult
    func refuse(_ device: PublicIdentity, _ visit: LogVisit) throws -> Bool {
        var told: Set<DeviceName> = []
        for _ in 0..<Self.attemptCountMax {
            let listings = try hub.registrations()
            // After that: who is let in is a member before the hub knows him. And nobody is let in where the log cannot be read.
            try visit.readOn()
            // What the hub has been told once it need not be told again, whatever it says then.
            let refused = Self.refused(with: device, among: listings, visit.devices)
                .filter { !told.contains($0.device) }
            // Until the next look those that are not refused yet may have invited one more.
            if refused.isEmpty { return !told.isEmpty }
            let own = refused.filter(device.isMeant)
            let others = refused.filter { !device.isMeant(by: $0) }
            // Once this device itself is refused it can have nobody else refused.
            let inOrder = device.id == identity.id ? others + own : own + others
            for listing in inOrder {
                try hub.refuse(listing.device)
                told.insert(listing.device)
            }
        }
        throw SyncFailure.hubChanged("The device goes on registering others at the hub. Try again.")
    }

    private static let attemptCountMax = 10

    /// Whom the hub is to refuse with a device: what has its keys, whoever that has invited, whoever those have, and so on, but for
    /// members. Who has its token may have registered himself again under keys that are none of the container's.
    private static func refused(
        with device: PublicIdentity,
        among listings: [DeviceListing],
        _ list: DeviceList
    ) -> [DeviceListing] {
        let known = namesOfMembers(among: listings, list)
        let staying = list.present.filter { $0.id != device.id }
            .reduce(into: Set<DeviceName>()) { $0.formUnion(known[$1.id] ?? []) }
        var names = Set(listings.filter(device.isMeant).map(\.device))
        while true {
            let invited = listings.filter { listing in
                guard let inviter = listing.inviter, names.contains(inviter) else { return false }
                return !names.contains(listing.device) && !staying.contains(listing.device)
            }
            if invited.isEmpty { break }
            names.formUnion(invited.map(\.device))
        }
        return listings.filter { names.contains($0.device) && !$0.isRevoked }
    }

    /// The names at the hub that are members' own.
    ///
    /// A member's keys are no secret, and hubs once registered whoever named them: what bears them may be somebody else's. It is the
    /// member's where the hub's own command has invited it; and of those that devices have invited the first that the device has
    /// which has let the member in, under a name of its own. A key on paper is never registered.
    private static func namesOfMembers(
        among listings: [DeviceListing],
        _ list: DeviceList
    ) -> [DeviceID: Set<DeviceName>] {
        let byKey = Dictionary(grouping: listings, by: \.signingKey.bytes)
        var names: [DeviceID: Set<DeviceName>] = [:]
        // Who lets in another one was there before it.
        for member in list.members.values.sorted(by: { $0.addedAt < $1.addedAt }) {
            let identity = member.identity
            guard !identity.isPaper else { continue }
            let inviters = names[member.addedBy] ?? []
            let all = (byKey[identity.signingKey] ?? []).filter(identity.isMeant)
            let invited = all.filter { $0.inviter.map(inviters.contains) ?? false }
                .min { ($0.registered, $0.device) < ($1.registered, $1.device) }
            var own = Set(all.filter { $0.inviter == nil }.map(\.device))
            if let invited { own.insert(invited.device) }
            names[identity.id] = own
        }
        return names
    }
}

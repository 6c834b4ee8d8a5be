internal import Cryptography
internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Sealing
package import Sync

extension Sharing {
    /// What came of shutting a device out.
    package enum Outcome: Hashable, Sendable {
        /// It is shut out, and all who stay have a new key.
        case revoked
        /// Another device had done so before.
        case wasRevoked(by: String?)
    }

    /// Shuts another device out, and gives all who stay a new key.
    ///
    /// - Throws: `SyncFailure` with code `refused` for this device itself and one that is unknown; `SealingError` with code
    ///   `beyondLimit` after a hundred keys; what the hub or the line refuse. Called again, or by `finish()`, it goes on.
    package func revoke(_ device: DeviceID) throws -> Outcome {
        guard device != identity.id else { throw SyncFailure.isThisDevice }
        return try alone {
            // What was begun before is ended before.
            if let plan = try plan() { _ = try carryOut(plan) }
            let visit = try LogVisit(keys, by: identity, at: hub)
            try visit.catchUp()
            guard let member = visit.devices.members[device] else { throw SyncFailure.unknownDevice }
            if member.isRevoked { return wasRevoked(device, visit.devices) }
            let plan = try newPlan(of: device, visit.devices)
            return try carryOut(plan)
        }
    }

    /// Goes on with what was begun when a process died.
    ///
    /// - Returns: Whether there was anything, and nobody else is at it.
    @discardableResult
    package func finish() throws -> Bool {
        guard try plan() != nil else { return false }
        return try aloneIfNobodyIs {
            guard let plan = try plan() else { return false }
            _ = try carryOut(plan)
            return true
        } ?? false
    }

    private func newPlan(of device: DeviceID, _ list: DeviceList) throws -> PlannedRevocation {
        let next = try keys.keys.nextKey(list, random: RandomBytes.make)
        let plan = PlannedRevocation(of: device, next: next)
        try keep(plan)
        return plan
    }

    private func carryOut(_ first: PlannedRevocation) throws -> Outcome {
        var plan = first
        let visit = try LogVisit(keys, by: identity, at: hub)
        try visit.catchUp()
        if let member = visit.devices.members[plan.device], !member.isRevoked {
            try refuse(member.identity, visit)
        }
        _ = try visit.say { id in
            let list = visit.devices
            if let end = visit.desk.shutOut { throw SyncFailure.shutOut(end) }
            guard list.members[plan.device]?.isRevoked == false else { return nil }
            // Another device has announced a key meanwhile.
            if plan.next.generation <= list.generation { plan = try newPlan(of: plan.device, list) }
            try wrap(plan, for: list)
            return try visit.desk.sealRevocation(plan, as: id)
        }
        try visit.catchUp()
        let isOurs = try plan.isSaid(in: visit.devices, keys.keys)
        if isOurs { try keys.take(try keys.keys.adding(plan.next)) }
        try forgetPlan()
        return isOurs ? .revoked : wasRevoked(plan.device, visit.devices)
    }

    private func wasRevoked(_ device: DeviceID, _ list: DeviceList) -> Outcome {
        let by = list.members[device]?.revokedBy.flatMap { list.members[$0]?.identity.name }
        return .wasRevoked(by: by)
    }

    /// Has the hub refuse a device under every name that it has there, and all whom it has invited but for members.
    ///
    /// - Throws: `SyncFailure` with code `hubChanged` where one comes after the other for ever; what the hub or the line refuse.
    func refuse(_ device: PublicIdentity, _ visit: LogVisit) throws {
        var told: Set<DeviceName> = []
        for _ in 0..<Self.attemptCountMax {
            let listings = try hub.registrations()
            // After that: who is let in is a member before the hub knows him.
            try visit.catchUp()
            let staying = visit.devices.present.filter { $0.id != device.id }
            // What the hub has been told once it need not be told again, whatever it says then.
            let refused = Self.refused(with: device, among: listings, staying: staying)
                .filter { !told.contains($0.device) }
            // Until the next look those that are not refused yet may have invited one more.
            if refused.isEmpty { return }
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

    /// Whom the hub is to refuse with a device: what has its keys, whoever that has invited, whoever those have, and so on.
    ///
    /// Whoever has its token may have registered himself again, under keys that are none of the container's, or a member's, as
    /// those are no secret. So a member stays under the name that the hub knew first by the member's keys.
    static func refused(
        with device: PublicIdentity,
        among listings: [DeviceListing],
        staying: [PublicIdentity]
    ) -> [DeviceListing] {
        var names = Set(listings.filter(device.isMeant).map(\.device))
        let stayingNames = staying.reduce(into: Set<DeviceName>()) { found, member in
            let own = listings.filter(member.isMeant)
            let first = own.map(\.registered).min()
            found.formUnion(own.filter { $0.registered == first }.map(\.device))
        }
        while true {
            let invited = listings.filter { listing in
                guard let inviter = listing.inviter, names.contains(inviter) else { return false }
                return !names.contains(listing.device) && !stayingNames.contains(listing.device)
            }
            if invited.isEmpty { break }
            names.formUnion(invited.map(\.device))
        }
        return listings.filter { names.contains($0.device) && !$0.isRevoked }
    }

    /// Seals the new key, and all before it, for everybody who stays.
    func wrap(_ plan: PlannedRevocation, for list: DeviceList) throws {
        let all = try keys.keys.adding(plan.next)
        for device in list.present where device.id != plan.device {
            let box = try Sealing.WrappedKeys(all, for: device, by: identity, random: RandomBytes.make)
            try leave(box.encoded, for: device.id)
        }
    }

    /// Leaves something sealed at the hub for a device, beside what is there for it.
    func leave(_ sealed: [UInt8], for device: DeviceID) throws {
        let name = DeviceName(of: device)
        for _ in 0..<Self.attemptCountMax {
            let taken = Set(try hub.keys(for: name).map(\.generation))
            guard let free = (1...UInt32.max).first(where: { !taken.contains($0) }) else { break }
            do {
                return try hub.keep(
                    HubProtocol.WrappedKeys(generation: free, keys: Data(sealed)),
                    for: name
                )
            } catch let failure as HubFailure where failure.error.code == .conflict {
                // Another device has left something in just this place.
                continue
            }
        }
        throw SyncFailure.hubChanged("The hub finds no place for keys. Try again.")
    }

    private static let attemptCountMax = 10
}

// MARK: - This device

extension Sharing {
    /// Has this device leave the container. The folder stays as it is, and is kept in step no more.
    ///
    /// - Throws: `SyncFailure` with code `refused` for the last device, `inUse` while the folder is kept in step.
    package func leave() throws {
        let own = try StorageFolder(at: folder)
        let lock = try Self.lockFile(DeviceMemory.lockName, in: own)
        guard try lock.lock(waits: false) else { throw SyncFailure.inUseLeaving }
        defer { lock.unlock() }
        try alone {
            if let plan = try plan() { _ = try carryOut(plan) }
            let visit = try LogVisit(keys, by: identity, at: hub)
            // Nobody has to go on with this: until the statement stands nothing has happened, and then all has.
            _ = try visit.say { id in
                let list = visit.devices
                if visit.desk.shutOut != nil { return nil }
                guard list.present.count > 1 else { throw SyncFailure.lastDevice }
                let next = try keys.keys.nextKey(list, random: RandomBytes.make)
                let plan = PlannedRevocation(of: identity.id, next: next)
                try wrap(plan, for: list)
                return try visit.desk.sealRevocation(plan, as: id)
            }
            guard let known = visit.devices.members[identity.id] else { return }
            do { try refuse(known.identity, visit) } catch let failure as HubFailure
                where failure.error.code == .revoked
            {
                // It has just been refused under the name by which it asks.
            }
        }
        // For who joins the folder anew.
        if try own.status(of: DeviceHome.shutOutName) == nil { _ = try own.create(DeviceHome.shutOutName) }
        try own.sync()
    }
}

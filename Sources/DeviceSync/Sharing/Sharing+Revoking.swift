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
        /// It is shut out, and all who stay have a new key but for some, by their names, for whom the hub takes no more keys.
        case revokedWithoutKeys(for: [String])
        /// Another device had done so before. The hub refuses it: since now, or it did already.
        case wasRevoked(by: String?, isRefusedNow: Bool)
        /// It had left by itself. The hub refuses it, as above, and what is new is sealed under a key that it has not made.
        case hadLeft(isRefusedNow: Bool)
    }

    /// Shuts another device out, and gives all who stay a new key.
    ///
    /// One that was shut out before is refused by the hub all the same: who leaves by itself may have been cut off before that,
    /// or have meant to be.
    ///
    /// - Throws: `SyncFailure` with code `refused` for this device itself and one that is unknown; `UnsaidRevocation` where the
    ///   hub refuses the device, and no more could be done, be it that another was to be shut out before and could not;
    ///   `UngivenKeys` where all is done but that; what the hub or the line refuse. Called again, or by `finish()`, it goes on.
    package func revoke(_ device: DeviceID) throws -> Outcome {
        guard device != identity.id else { throw SyncFailure.isThisDevice }
        return try alone {
            let visit = try visitLog()
            return try refusingAtLeast(device, visit) {
                // What was begun before is ended before.
                let plan = try plan()
                let former = try plan.map { try carryOut($0) }
                do { try visit.catchUp() } catch  where LogVisit.isOfLog(error) {
                    guard try sayForgotten(device) else { throw error }
                    return .revoked
                }
                if let end = visit.desk.shutOut { throw SyncFailure.shutOut(end) }
                guard let member = visit.devices.members[device] else { throw SyncFailure.unknownDevice }
                guard member.isRevoked else {
                    let next = try nextKey(visit.devices)
                    return try carryOut(try kept(PlannedRevocation(of: member.identity, next: next)))
                }
                let isRefusedNow = try refuse(member.identity, visit)
                if let former, case .revokedWithoutKeys = former, plan?.device == device { return former }
                if hasMadeNewestKey(device, visit.devices) { try replaceKey(visit.devices) }
                return formerOutcome(device, visit.devices, isRefusedNow)
            }
        }
    }

    /// Goes on with what was begun when a process died.
    ///
    /// - Returns: Whether there was anything, and nobody else is at it.
    /// - Throws: As `revoke`.
    @discardableResult
    package func finish() throws -> Bool {
        guard try plan() != nil else { return false }
        return try aloneIfNobodyIs {
            guard let plan = try plan() else { return false }
            try UngivenKeys.check(try carryOut(plan))
            return true
        } ?? false
    }

    private func nextKey(_ list: DeviceList) throws -> ContainerKey {
        try keys.keys.nextKey(list, random: RandomBytes.make)
    }

    private func kept(_ plan: PlannedRevocation) throws -> PlannedRevocation {
        try keep(plan)
        return plan
    }

    private func carryOut(_ plan: PlannedRevocation) throws -> Outcome {
        let visit = try visitLog()
        return try refusingAtLeast(plan.device, visit) { try carryOut(plan, visit) }
    }

    private func carryOut(_ first: PlannedRevocation, _ visit: LogVisit) throws -> Outcome {
        var plan = first
        visit.madeKey = plan.next
        try visit.catchUp()
        // Who is out itself does not know who has joined since, and would have those refused too.
        if let end = visit.desk.shutOut { throw SyncFailure.shutOut(end) }
        var isRefusedNow = false
        if let known = try knownAgain(plan, visit) {
            isRefusedNow = try refuse(known, visit)
        }
        var without: [String] = []
        _ = try visit.say { id in
            let list = visit.devices
            if let end = visit.desk.shutOut { throw SyncFailure.shutOut(end) }
            guard list.members[plan.device]?.isRevoked == false else { return nil }
            // Another device has announced a key meanwhile.
            if plan.next.generation <= list.generation { plan = try kept(plan.with(next: nextKey(list))) }
            visit.madeKey = plan.next
            without = try wrap(plan, for: list).names
            return try visit.desk.sealRevocation(plan, as: id)
        }
        try visit.catchUp()
        let isOurs = try plan.isSaid(in: visit.devices, keys.keys)
        if isOurs { try keys.take(try keys.keys.adding(plan.next)) }
        if !isOurs, hasMadeNewestKey(plan.device, visit.devices) {
            try replaceKey(visit.devices)
        } else {
            try forgetPlan()
        }
        guard isOurs else { return formerOutcome(plan.device, visit.devices, isRefusedNow) }
        return without.isEmpty ? .revoked : .revokedWithoutKeys(for: without)
    }

    /// Does what shuts a device out. Where the log, the keys, the hub's room or this disk's do not let it be said to the others, or
    /// another be shut out before, the hub refuses the device at least: it is in nobody's hands to keep itself from that, by what
    /// it writes into the log, by what keys it announces, or by how much it has the others keep.
    private func refusingAtLeast(
        _ device: DeviceID,
        _ visit: LogVisit,
        _ body: () throws -> Outcome
    ) throws -> Outcome {
        do { return try body() } catch
            where error is UnsaidRevocation || error is HubFailure || error is SystemError
            || LogVisit.isOfLog(error)
        {
            if let unsaid = error as? UnsaidRevocation, unsaid.device == device { throw unsaid }
            try visit.readOn()
            if let end = visit.desk.shutOut { throw SyncFailure.shutOut(end) }
            guard let member = visit.devices.members[device] else { throw error }
            try refuse(member.identity, visit)
            throw UnsaidRevocation(device: device, name: member.identity.name, cause: error)
        }
    }

    private func formerOutcome(_ device: DeviceID, _ list: DeviceList, _ isRefusedNow: Bool) -> Outcome {
        let by = list.members[device]?.revokedBy
        if by == device { return .hadLeft(isRefusedNow: isRefusedNow) }
        let name = by.flatMap { list.members[$0]?.identity.name }
        return .wasRevoked(by: name, isRefusedNow: isRefusedNow)
    }

    /// Whether a device has left by itself, and what is new is still sealed under the key that it made for the others then.
    private func hasMadeNewestKey(_ device: DeviceID, _ list: DeviceList) -> Bool {
        for entry in list.entries.reversed() {
            guard case .revoked(let revoked, _, _) = entry.statement.change else { continue }
            return revoked == device && entry.statement.author == device
        }
        return false
    }

    /// Has what is new sealed under a key of this device's making.
    ///
    /// A key is announced by shutting somebody out and not otherwise: here a device that nobody has, whose own keys are kept
    /// nowhere. To shut it out is planned before it is added, so that it never stays. Cut off before it is added, the plan
    /// comes to nothing, and who is asked to shut out the device that has left does all this again.
    private func replaceKey(_ list: DeviceList) throws {
        let nobody = try DeviceIdentity(random: RandomBytes.make).publicIdentity(named: Self.nobodyName)
        // Without who it is: a log that does not know it need not.
        let plan = try kept(PlannedRevocation(of: nobody.id, next: nextKey(list)))
        try Founding.add(nobody, to: keys, by: identity, at: hub, remembered: folder)
        try UngivenKeys.check(try carryOut(plan))
    }

    /// What people see among the devices that were shut out.
    private static let nobodyName = "no device, for a new key"

    /// Seals the new key, and all before it, for everybody who stays.
    ///
    /// - Returns: For whom the hub takes no more, and what it says. The others are not to go without for that: whoever has a
    ///   device's token leaves what he likes for any of them.
    func wrap(
        _ plan: PlannedRevocation,
        for list: DeviceList
    ) throws -> (names: [String], refusal: HubFailure?) {
        let all = try keys.keys.adding(plan.next)
        var (names, refusal): ([String], HubFailure?) = ([], nil)
        for device in list.present where device.id != plan.device {
            let box = try Sealing.WrappedKeys(all, for: device, by: identity, random: RandomBytes.make)
            do { try hub.leave(box.encoded, for: device.id) } catch let failure as HubFailure
                where failure.error.code == .keysFull
            {
                names.append(device.name)
                refusal = failure
            }
        }
        return (names, refusal)
    }
}

/// The hub refuses a device from now on, but the others could not all be told, or given a new key.
package struct UnsaidRevocation: Error, CustomStringConvertible {
    package let device: DeviceID
    /// What it is called.
    let name: String
    /// What the log, or the keys, did not let be done.
    package let cause: any Error

    package var description: String {
        "The hub refuses “\(name)” from now on. But the other devices may go on under a key that it has. \(rest)"
    }

    private var rest: String {
        guard let error = cause as? SealingError, error.code == .beyondLimit else {
            return "\(cause) Once that is put right, shut “\(name)” out again."
        }
        return
            "No key is left that they could have (\(error.detail)) Begin a new container with the folder's documents."
    }
}

/// A device is shut out, and some of those who stay have no new key, as the hub takes no more for them.
package struct UngivenKeys: Error, CustomStringConvertible {
    /// What they are called.
    package let names: [String]

    package init(_ names: [String]) { self.names = names }

    /// - Throws: This, where it is what has come of it.
    static func check(_ outcome: Sharing.Outcome) throws {
        if case .revokedWithoutKeys(let names) = outcome { throw UngivenKeys(names) }
    }

    package var description: String {
        let named = names.map { "“\($0)”" }.joined(separator: ", ")
        return """
            All others have a new key but for \(named): the hub takes no more keys there, as a device has left so many. What is new \
            cannot be read there until another device is shut out, which gives all a key again. So find the one that is in wrong \
            hands (sheaf devices), and shut that out.
            """
    }
}

// MARK: - This device

extension Sharing {
    /// Has this device leave the container. The folder stays as it is, and is kept in step no more.
    ///
    /// Called again it goes on where it was cut off, as it does for a device that another one has shut out.
    ///
    /// - Throws: `SyncFailure` with code `refused` for the last device, `inUse` while the folder is kept in step, `shutOut` when
    ///   the hub refuses this device already: who joins the folder anew can then, too. `HubFailure` with `keysFull` where
    ///   somebody could be given no key.
    package func leave() throws {
        let own = try StorageFolder(at: folder)
        let lock = try Self.lockFile(DeviceMemory.lockName, in: own)
        guard try lock.lock(waits: false) else { throw SyncFailure.inUseLeaving }
        defer { lock.unlock() }
        do { try alone { try sayLeaving() } } catch let failure as HubFailure
            where failure.error.code == .revoked
        {
            // It was cut off once the hub had refused it; or another device is about to shut it out.
            try noteLeft(own)
            throw SyncFailure.shutOut(ShutOut(by: nil))
        }
        try noteLeft(own)
    }

    private func sayLeaving() throws {
        let visit = try visitLog()
        try visit.catchUp()
        // Who is out already ends nothing that it has begun.
        if visit.desk.shutOut == nil, let plan = try plan() { _ = try carryOut(plan) }
        // Until the statement stands nothing has happened. Then the hub's refusal may be wanting, which this device asks for
        // when this is called again, and any other that is to shut it out.
        _ = try visit.say { id in
            let list = visit.devices
            if visit.desk.shutOut != nil { return nil }
            guard list.present.count > 1 else { throw SyncFailure.lastDevice }
            let next = try keys.keys.nextKey(list, random: RandomBytes.make)
            let plan = PlannedRevocation(of: identity.id, next: next)
            // Nobody is there any more who could give it to them later.
            if let refusal = try wrap(plan, for: list).refusal { throw refusal }
            return try visit.desk.sealRevocation(plan, as: id)
        }
        guard let known = visit.devices.members[identity.id] else { return }
        do { try refuse(known.identity, visit) } catch let failure as HubFailure
            where failure.error.code == .revoked
        {
            // It has just been refused under the name by which it asks.
        }
    }

    /// For who joins the folder anew.
    private func noteLeft(_ own: StorageFolder) throws {
        if try own.status(of: DeviceHome.shutOutName) == nil { _ = try own.create(DeviceHome.shutOutName) }
        try own.sync()
    }
}

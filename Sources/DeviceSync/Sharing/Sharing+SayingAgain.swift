internal import Cryptography
internal import FileSystem
internal import HubProtocol
internal import Sealing
internal import Sync

// A hub that was put back to before a device was shut out has forgotten that, and would let it in again. Devices that hold the key
// that came with it send nothing there, and read nothing, until the log says it once more.
//
// Whoever was shut out may have had the hub put back, and by its log he shares the container: he may let in others, and take what
// is sealed for them. So it is said again
//
//     1. where the hub has nothing but what this device had read before, which then is known to be in nobody else's words;
//     2. with the keys that came with it then, but for one that a device has made which left; and
//     3. they are sealed for those alone who share the container by all that this device has read.
//
// Whom the hub does not even know any more is added and shut out again in one request: other devices have read that he was there, and
// would let him in again.
extension Sharing {
    private static let attemptCountMax = 20

    /// Says again who was shut out, if this device has read of it, and the hub was put back to before that. All of whom that is so
    /// are shut out again.
    ///
    /// - Parameter device: Who is to be among them.
    /// - Returns: Whether the log says so by now, by this device's words; false where they are not to be said, or not all stand.
    func sayForgotten(_ device: DeviceID) throws -> Bool {
        let read = try DeviceMemory.log(in: folder)
        let known = try LogDesk(keys, by: identity, known: read).devices
        guard known.members[device]?.isRevoked == true, known.generation >= keys.keys.newest.generation else {
            return false
        }
        var refused: Set<DeviceID> = []
        var said: PlannedRevocation?
        for _ in 0..<Self.attemptCountMax + 2 * known.entries.count {
            let visit = try LogVisit(keys, by: identity, at: hub)
            // Whoever was shut out may have announced a key there.
            try visit.readHeld()
            let (list, head) = (visit.devices, visit.desk.head)
            if list.generation >= known.generation {
                guard let said, try said.isSaid(in: list, keys.keys) else { return false }
                try keys.take(try keys.keys.adding(said.next))
                return true
            }
            let isAsRead = read.contains { $0.entry.position == head.position && $0.hash == head.hash }
            // What stands there since it was begun is this device's, and nobody was let in.
            guard said != nil ? list.members.keys.allSatisfy({ known.members[$0] != nil }) : isAsRead,
                let next = try nextForgotten(known, list),
                let shutOut = known.members[next.device]?.identity
            else { return false }
            if refused.insert(next.device).inserted, list.members[next.device] != nil {
                // By all that this device has read. The log may have grown meanwhile, and is read anew.
                try refuse(shutOut, try visitLog())
                continue
            }
            for member in list.present where known.members[member.id]?.isRevoked == false {
                // For this device, too, should it end before it has taken a new one.
                let box = try Sealing.WrappedKeys(
                    try keys.keys.adding(next.next),
                    for: member,
                    by: identity,
                    random: RandomBytes.make
                )
                try hub.leave(box.encoded, for: member.id)
            }
            if try visit.offerForgotten(next, of: shutOut) { said = next }
        }
        return false
    }

    /// Has the log know whom it is planned to shut out. A hub that was put back to before that one had joined does not, and others that
    /// have read of it would let it in again once the plan is forgotten.
    ///
    /// - Returns: Who it is; nil for one whom nobody has let in.
    /// - Throws: `SyncFailure` with code `hubChanged` where this device cannot say so; it is planned still then. What the hub or the
    ///   line refuse.
    func knownAgain(_ plan: PlannedRevocation, _ visit: LogVisit) throws -> PublicIdentity? {
        if let member = visit.devices.members[plan.device] { return member.identity }
        guard let device = plan.identity else { return nil }
        // Before the log has it: it shares nothing in between.
        try refuse(device, visit)
        _ = try visit.say { id in
            if let end = visit.desk.shutOut { throw SyncFailure.shutOut(end) }
            guard visit.devices.members[device.id] == nil else { return nil }
            return try visit.desk.sealAddition(of: device, as: id)
        }
        guard let member = visit.devices.members[device.id] else { throw SyncFailure.isForgotten }
        return member.identity
    }

    /// Who is to be shut out again next, with which key: the last of them with the newest one, so that nothing is sealed under an
    /// older one.
    private func nextForgotten(_ known: DeviceList, _ list: DeviceList) throws -> PlannedRevocation? {
        let forgotten = known.entries.compactMap { entry -> (device: DeviceID, generation: UInt32)? in
            guard case .revoked(let device, let generation, _) = entry.statement.change,
                list.members[device]?.isRevoked != true
            else { return nil }
            return (device, generation)
        }
        guard let next = forgotten.first else { return nil }
        if forgotten.count == 1, Self.isOfLeaver(known) {
            let key = try keys.keys.nextKey(known, random: RandomBytes.make)
            return PlannedRevocation(of: next.device, next: key)
        }
        let generation = forgotten.count == 1 ? known.generation : next.generation
        guard let key = keys.keys[generation], generation > list.generation else { return nil }
        return PlannedRevocation(of: next.device, next: key)
    }

    /// Whether the newest key is one that a device has made which has left with that.
    private static func isOfLeaver(_ list: DeviceList) -> Bool {
        for entry in list.entries.reversed() {
            if case .revoked(let device, _, _) = entry.statement.change {
                return entry.statement.author == device
            }
        }
        return false
    }
}

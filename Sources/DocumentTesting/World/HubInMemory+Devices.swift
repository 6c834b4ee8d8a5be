internal import Foundation
internal import HubProtocol
internal import Locks
package import Sealing

// Which devices a hub knows, and what is left there for each.
extension HubInMemory {
    /// A line that nobody in particular uses.
    package func line() -> Line { Line(self, nil, SeededGenerator(seed: 0)) }

    /// A line of a device that is registered with it.
    ///
    /// - Parameters:
    ///   - numbers: Decide what goes wrong on it, if anything is to.
    ///   - inviter: The line of the device by whose invitation it was registered; nil for the hub's own.
    ///   - seconds: When that was, since 1970.
    package func line(
        of device: PublicIdentity,
        numbers: SeededGenerator = SeededGenerator(seed: 0),
        invitedBy inviter: Line? = nil,
        at seconds: Int = 0
    ) -> Line {
        var listing = Self.listing(of: device, at: seconds)
        listing.inviter = inviter?.device
        state.withLock { $0.devices[listing.device] = listing }
        return Line(self, listing.device, numbers)
    }

    /// A device, under a name that it has had nowhere yet.
    private static func listing(of device: PublicIdentity, at seconds: Int) -> DeviceListing {
        DeviceListing(
            device: DeviceName(unchecked: (0..<DeviceName.byteCount).map { _ in .random(in: 0...255) }),
            name: device.name,
            signingKey: PublicKeyBytes(unchecked: device.signingKey),
            agreementKey: PublicKeyBytes(unchecked: device.agreementKey),
            registered: seconds,
            isRevoked: false
        )
    }

    /// Registers a device again, if the hub does not know it: from then on it has another name there.
    ///
    /// - Returns: What it is called now.
    func registerAgain(_ device: PublicIdentity, known name: DeviceName) throws -> DeviceName {
        try answer { state in
            guard state.devices[name] == nil else { return name }
            let listing = Self.listing(of: device, at: Int(Date().timeIntervalSince1970))
            try state.write { state in state.devices[listing.device] = listing }
            return listing.device
        }
    }

    /// - Throws: `HubFailure` where the hub does nothing for a device.
    func check(_ device: DeviceName) throws { try state.withLock { try $0.check(device) } }

    func refuse(_ device: DeviceName) throws {
        try answer { state in
            guard var listing = state.devices[device], !listing.isRevoked else { return }
            listing.isRevoked = true
            try state.write { state in state.devices[device] = listing }
        }
        tellLines()
    }

    func keep(_ keys: HubProtocol.WrappedKeys, for device: DeviceName) throws {
        try Self.check(keys)
        try answer { state in
            if let known = state.keys[device]?[keys.generation] {
                guard known == keys.keys else { throw HubFailure(.conflict, "Other keys are there.") }
                return
            }
            try state.checkRoom(forRecordBytes: keys.keys.count)
            try state.write { state in
                state.keys[device, default: [:]][keys.generation] = keys.keys
                state.recordByteCount += keys.keys.count
            }
        }
    }
}

extension HubInMemory.State {
    /// - Throws: `HubFailure` where the hub does nothing for a device: it does not know it, or has shut it out.
    func check(_ device: DeviceName) throws {
        guard let listing = devices[device] else {
            throw HubFailure(
                .unauthorized,
                "No device has this token. Register the device with an invitation."
            )
        }
        if listing.isRevoked { throw HubFailure(.revoked, "This device has been shut out.") }
    }
}

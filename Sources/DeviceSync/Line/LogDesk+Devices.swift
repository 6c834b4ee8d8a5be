internal import HubProtocol
internal import Sealing
internal import Sync

extension DeviceName {
    /// What a device is called where keys are kept for it: not what the hub calls it, whose word for who that is would have to
    /// be taken. The device on paper has a name of this kind too.
    init(of device: DeviceID) { self.init(unchecked: device.bytes) }
}

/// That this device was shut out of a container.
struct ShutOut: Hashable, Sendable {
    /// What the device is called that has done it; nil where only the hub says so.
    var by: String?
}

extension LogDesk {
    /// Who has shut this device out, as of what was read; nil for nobody.
    var shutOut: ShutOut? {
        let members = devices.members
        guard let own = members[identity.id], let by = own.revokedBy else { return nil }
        return ShutOut(by: members[by]?.identity.name)
    }

    /// Gets keys that this device lacks.
    ///
    /// - Throws: `SyncFailure` with code `keyMissing` when nobody has sealed them for it; `HubFailure`, `LineFailure`.
    func fetchKeys(from hub: any ContainerHub) throws {
        let boxes = try hub.keys(for: DeviceName(of: identity.id))
        guard try take(boxes.map { [UInt8]($0.keys) }) else {
            throw SyncFailure.keyMissing(devices.generation)
        }
    }
}

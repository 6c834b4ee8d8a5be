import Cryptography
import DocumentTesting
import Foundation
import HubProtocol
import Sealing
import TestFolders

@testable import DeviceSync

/// A container at a hub in memory that the first of some devices has begun, and that the others may come to share.
struct FoundedContainer {
    private let folder: TestFolder
    var base: URL { folder.url }
    let name = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
    let hub: HubInMemory
    let identities: [DeviceIdentity]
    let keys: ContainerKeys

    init(deviceCount: Int = 3) throws {
        folder = try TestFolder("founded")
        hub = try HubInMemory(name)
        identities = try (0..<deviceCount).map { _ in try DeviceIdentity(random: RandomBytes.make) }
        keys = try Founding.found(name, by: identities[0], named: "device 0", at: hub.line())
    }

    /// Starts a device.
    func device(_ number: Int) throws -> TestDevice {
        let device = try TestDevice(number, in: base, identities[number], keys, at: hub)
        try device.start()
        return device
    }

    /// Has the first device let in another one.
    func share(with number: Int) throws {
        let identity = identities[number].publicIdentity(named: "device \(number)")
        try Founding.add(identity, to: keys, by: identities[0], at: hub.line())
    }
}

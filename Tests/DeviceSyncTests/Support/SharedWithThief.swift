import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Sealing
import TestFolders

@testable import DeviceSync

/// A container that its owner shares with a thief's device and with another one, at a hub; none of them runs.
struct SharedWithThief {
    let hub: HubInMemory
    let owner: DeviceIdentity
    let thief: DeviceIdentity
    let other: DeviceIdentity
    let keys: ContainerKeys
    /// The owner's.
    let folder: TestFolder

    /// - Parameter name: Of the owner's folder, for people.
    init(_ name: String) throws {
        folder = try TestFolder(name)
        let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        hub = try HubInMemory(container)
        owner = try DeviceIdentity(random: RandomBytes.make)
        thief = try DeviceIdentity(random: RandomBytes.make)
        other = try DeviceIdentity(random: RandomBytes.make)
        keys = try Founding.found(container, by: owner, named: "owner", at: hub.line())
        for device in [thief.publicIdentity(named: "thief"), other.publicIdentity(named: "other")] {
            try Founding.add(device, to: keys, by: owner, at: hub.line())
        }
    }

    /// What the owner's commands do.
    ///
    /// - Parameter keys: Which it has; nil for those of the beginning.
    func sharing(_ keys: ContainerKeys? = nil) -> Sharing {
        let ring = KeyRing(keys ?? self.keys) { _ in }
        return Sharing(in: FilePath(folder.url.path), ring, by: owner, at: hub.line())
    }
}

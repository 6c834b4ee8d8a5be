internal import Foundation
internal import HubProtocol
internal import Sync

/// How often another place is tried.
private let attemptCountMax = 10

extension ContainerHub {
    /// Leaves something sealed at the hub for a device, beside what is there for it.
    func leave(_ sealed: [UInt8], for device: DeviceID) throws {
        let name = DeviceName(of: device)
        for _ in 0..<attemptCountMax {
            let taken = Set(try keys(for: name).map(\.generation))
            guard let free = (1...UInt32.max).first(where: { !taken.contains($0) }) else { break }
            do {
                return try keep(HubProtocol.WrappedKeys(generation: free, keys: Data(sealed)), for: name)
            } catch let failure as HubFailure where failure.error.code == .conflict {
                // Another device has left something in just this place.
                continue
            }
        }
        throw SyncFailure.hubChanged("The hub finds no place for keys. Try again.")
    }
}

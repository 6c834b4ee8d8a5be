internal import Foundation
internal import Sealing

// The devices that a hub has forgotten which was put back, until they are let in again: the log does not tell of them any more.
extension DeviceMemory {
    private static let forgottenKey = "forgotten-devices"

    /// Some of them may share the container again by now.
    func forgottenDevices() throws -> [PublicIdentity] {
        guard let bytes = try value(Self.forgottenKey) else { return [] }
        return try JSONDecoder().decode([Data].self, from: Data(bytes)).map {
            try PublicIdentity(encoded: [UInt8]($0))
        }
    }

    func put(forgotten devices: [PublicIdentity]) throws {
        try set(Self.forgottenKey, Array(try JSONEncoder().encode(devices.map { Data($0.encoded) })))
    }
}

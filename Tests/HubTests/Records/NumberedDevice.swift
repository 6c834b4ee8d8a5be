import HubProtocol

@testable import Hub

extension NewDevice {
    /// One that is told from others by a number, and whose token's hash is that.
    static func numbered(_ number: UInt8) -> NewDevice {
        let key = PublicKeyBytes(unchecked: Array(repeating: 1, count: 32))
        return NewDevice(
            device: DeviceName(unchecked: Array(repeating: number, count: 8)),
            tokenHash: [number],
            name: "Pad",
            signingKey: key,
            agreementKey: key
        )
    }
}

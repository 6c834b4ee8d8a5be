/// How much of each device's changes has been seen: all up to a number.
public struct VersionVector: Hashable, Sendable {
    private var sequences: [DeviceID: UInt64]

    /// What has seen nothing.
    public init() {
        sequences = [:]
    }

    /// The number of the last change seen of a device; 0 before the first.
    public subscript(device: DeviceID) -> UInt64 {
        get { sequences[device] ?? 0 }
        set { sequences[device] = newValue == 0 ? nil : newValue }
    }

    /// Every device of which something was seen, in the order in which ties are broken.
    public var devices: [DeviceID] { sequences.keys.sorted() }

    /// Whether all that the other has seen was seen here, too.
    public func covers(_ other: VersionVector) -> Bool {
        other.sequences.allSatisfy { self[$0.key] >= $0.value }
    }
}

internal import HubProtocol
internal import Locks

/// How far each device has read each log.
///
/// A device waits for entries after those that it has read and found to belong to this hub's log. So what is known here is
/// true, and it is forgotten with the process: a hub that is put back to a backup says nothing of what was read before.
/// One dictionary under one lock.
final class LogReaders: Sendable {
    private struct Place: Hashable {
        var position: UInt64
        var asked: Int
    }

    private let places = Locked<[DeviceName: [ContainerName: Place]]>([:])

    /// Notes that a device waits for what comes after a position.
    func note(_ device: DeviceName, _ container: ContainerName, to position: UInt64, at now: Int) {
        places.withLock { $0[device, default: [:]][container] = Place(position: position, asked: now) }
    }

    /// What a device has read, by container.
    func readings(of device: DeviceName) -> [ReadPosition] {
        let known = places.withLock { $0[device] } ?? [:]
        return known.map { ReadPosition($0.key, to: $0.value.position, asked: $0.value.asked) }
            .sorted { $0.container.bytes.lexicographicallyPrecedes($1.container.bytes) }
    }
}

internal import Foundation
internal import Sync

/// Devices that were shut out in a part of the log that the hub has lost since, each with the last entry of that log which it still
/// has.
///
/// Who has a hub put back to before he was shut out shares the container by its log: he could let in others there, or leave, which
/// announces a key of his own making. A device that has read that he was shut out goes on where that is said again, and takes
/// nothing of his from there on.
struct BarredDevices: Hashable, Sendable {
    fileprivate var positions: [DeviceID: LogPosition] = [:]

    var devices: Dictionary<DeviceID, LogPosition>.Keys { positions.keys }

    mutating func bar(_ device: DeviceID, after position: LogPosition) {
        positions[device] = min(position, positions[device] ?? position)
    }

    func bars(_ entry: LogEntry) -> Bool {
        positions[entry.commit.id.device].map { entry.position > $0 } ?? false
    }
}

extension DeviceMemory {
    private static let barredKey = "barred-devices"

    func barredDevices() throws -> BarredDevices {
        var barred = BarredDevices()
        try (value(Self.barredKey) ?? []).withUnsafeBytes { bytes in
            var reader = StateReader(bytes)
            while !reader.isAtEnd { barred.bar(DeviceID(try reader.integer()), after: try reader.integer()) }
        }
        return barred
    }

    func remember(_ barred: BarredDevices) throws {
        guard !barred.positions.isEmpty else { return }
        var writer = StateWriter()
        for (device, position) in barred.positions.sorted(by: { $0.key < $1.key }) {
            writer.integer(device.number)
            writer.integer(position)
        }
        try remember(Self.barredKey, writer.bytes)
    }
}

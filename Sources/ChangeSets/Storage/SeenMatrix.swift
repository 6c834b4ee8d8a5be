/// What each device is known to have seen of each. Devices have numbers here, from 0 on, in the order they came.
struct SeenMatrix: Sendable {
    private(set) var devices: [DeviceID] = []
    private var numbers: [DeviceID: Int] = [:]
    /// What has been applied here, by device.
    private(set) var applied: [UInt64] = []
    /// The time of the last sign of a device.
    private(set) var heard: [UInt64] = []
    /// What each device had seen: at least at the last of its changes that was applied here.
    /// A row is as long as it need be; what it lacks is 0.
    private(set) var rows: [[UInt64]] = []

    func number(of device: DeviceID) -> Int? { numbers[device] }

    /// A device's number; a new one when it was unknown.
    mutating func intern(_ device: DeviceID) throws(ChangeSetError) -> Int {
        if let number = numbers[device] { return number }
        guard devices.count < ChangeLimits.deviceCountMax else {
            throw .beyondLimit("devices that share the data", ChangeLimits.deviceCountMax)
        }
        return insert(device)
    }

    /// Gives a device that has none a number. Who has not looked at the limit puts the first one in.
    mutating func insert(_ device: DeviceID) -> Int {
        numbers[device] = devices.count
        devices.append(device)
        applied.append(0)
        heard.append(0)
        rows.append([])
        return devices.count - 1
    }

    /// Whether a device had seen a change, as far as is known.
    func hasSeen(_ device: Int, _ other: Int, _ sequence: UInt64) -> Bool {
        other < rows[device].count && rows[device][other] >= sequence
    }

    /// Notes that a device has seen a device's changes up to a number.
    mutating func note(_ device: Int, saw other: Int, _ sequence: UInt64) {
        while rows[device].count <= other { rows[device].append(0) }
        rows[device][other] = max(rows[device][other], sequence)
    }

    /// Notes that a device's next change, of this number, has been applied.
    mutating func noteApplied(_ device: Int, _ sequence: UInt64, _ time: UInt64) {
        applied[device] = max(applied[device], sequence)
        heard[device] = max(heard[device], time)
        note(device, saw: device, sequence)
    }

    mutating func noteHeard(_ device: Int, _ time: UInt64) {
        heard[device] = max(heard[device], time)
    }

    /// Notes that this device has seen what has been applied.
    mutating func noteAllSeen(by own: Int) {
        rows[own] = applied
    }

    /// The number up to which all of some devices have seen another's changes.
    func seenByAll(_ device: Int, among others: [Int]) -> UInt64 {
        others.map { device < rows[$0].count ? rows[$0][device] : 0 }.min() ?? 0
    }

    var vector: VersionVector {
        var vector = VersionVector()
        for (number, device) in devices.enumerated() { vector[device] = applied[number] }
        return vector
    }
}

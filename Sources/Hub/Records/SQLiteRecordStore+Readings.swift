internal import Dispatch
package import HubProtocol
internal import Locks
internal import SQLite

// Who has read how much of which log: no promise, so what cannot be written is in nobody's way.
extension SQLiteRecordStore {
    /// How long it is gathered before it is written, in seconds.
    private static let gatherSeconds = 1.0
    /// How long a volume is left alone that did not take it, in seconds.
    private static let faultSeconds = 60.0
    /// How much of it comes into one transaction at a time: commits in the same one wait for it.
    private static let readingCountMax = 1000

    package func note(_ place: ReadPosition, of device: DeviceName) {
        if readings.withLock({ $0.note(place, of: device) }) { writeReadings(after: Self.gatherSeconds) }
    }

    /// Writes all that is not written, as before an end.
    package func writeReadings() async {
        _ = await write(readings.withLock { $0.unwritten })
    }

    private func writeReadings(after seconds: Double) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self else { return }
            Task { await self.writeDueReadings() }
        }
    }

    private func writeDueReadings() async {
        let isWritten = await write(readings.withLock { $0.takeDue() })
        guard readings.withLock({ $0.goOn() }) else { return }
        writeReadings(after: isWritten ? Self.gatherSeconds : Self.faultSeconds)
    }

    /// - Returns: Whether that was possible. What was not written is due again.
    private func write(_ taken: [Readings.Reading]) async -> Bool {
        // In the order of the table: each transaction changes few of its pages.
        var rest = taken.sorted { $0.device < $1.device }[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.readingCountMax))
            do {
                try await put(some)
                readings.withLock { $0.didWrite(some) }
            } catch {
                // Whoever commits is told what is wrong with the volume. The process still knows all of this.
                let left = Array(rest)
                readings.withLock { $0.giveBack(left) }
                return false
            }
            rest = rest.dropFirst(some.count)
        }
        return true
    }

    private func put(_ some: [Readings.Reading]) async throws {
        let numbers = memory.withLock { memory in some.map { memory.containers[$0.place.container]?.number } }
        try await database.writer.perform(weight: 4 + some.count / 8) { connection in
            let put = try connection.statement(
                """
                INSERT INTO readings VALUES(?, ?, ?, ?) ON CONFLICT(device, container) DO UPDATE SET
                position = max(position, excluded.position), asked = excluded.asked
                """
            )
            for (reading, number) in zip(some, numbers) {
                guard let number else { continue }
                put.bind(1, reading.device.bytes)
                put.bind(2, number)
                put.bind(3, Int(reading.place.position))
                put.bind(4, reading.place.asked)
                try put.run()
            }
        }
    }

    /// What the database says of the devices of a caller's account, of the logs that the caller has read.
    ///
    /// - Parameter numbers: Containers whose logs it has read though the database may not say so yet.
    static func readings(
        for caller: HubCaller,
        beside numbers: [Int],
        _ connection: SQLiteConnection
    ) throws -> [DeviceName: [ReadPosition]] {
        let own = try connection.statement("SELECT container FROM readings WHERE device = ?")
        own.bind(1, caller.device.bytes)
        var containers = Set(numbers)
        while try own.step() { containers.insert(own.integer(0)) }
        let select = try connection.statement(
            """
            SELECT readings.device, containers.container, readings.position, readings.asked, readings.container
            FROM devices JOIN readings ON readings.device = devices.device
            JOIN containers ON containers.number = readings.container
            WHERE devices.account = ? AND containers.removed IS NULL
            """
        )
        select.bind(1, caller.account.number)
        var found: [DeviceName: [ReadPosition]] = [:]
        while try select.step() {
            guard containers.contains(select.integer(4)) else { continue }
            let place = ReadPosition(
                ContainerName(unchecked: select.blob(1)),
                to: UInt64(select.integer(2)),
                asked: select.integer(3)
            )
            found[DeviceName(unchecked: select.blob(0)), default: []].append(place)
        }
        return found
    }
}

internal import HubProtocol

/// How far devices have read logs, as a store was told, and what of it is to be written. Pure: time comes in.
///
/// A device waits for entries after those that it has read and found to belong to this hub's log. So what is
/// known here is true. Each commit moves all who wait for it, so it is gathered before it is written.
///
/// 1. A position never goes back. A log goes back only with the database that has both.
/// 2. A position that is not written is due. A time alone is due when it is `timeSecondsMax` from the written
///    one: a hub at which devices do nothing but wait writes next to nothing.
/// 3. What is being written counts as not written until it is: written twice, it is the same.
struct Readings {
    /// How far one device has read one log.
    struct Reading: Hashable, Sendable {
        var device: DeviceName
        var place: ReadPosition
    }
    private struct Known {
        var place: ReadPosition
        /// What of it is written.
        var written: ReadPosition?

        var isDue: Bool {
            guard let written else { return true }
            return place.position > written.position
                || abs(place.asked - written.asked) >= Readings.timeSecondsMax
        }
    }

    static let timeSecondsMax = 600

    private var known: [DeviceName: [ContainerName: Known]] = [:]
    /// Devices of which something is due.
    private var due: Set<DeviceName> = []
    /// Whether somebody is going to take what is due.
    private var isAwaited = false

    /// Notes that a device waits for what comes after a position.
    ///
    /// - Returns: Whether the caller is to have what is due taken after a while, as nobody else is going to.
    mutating func note(_ place: ReadPosition, of device: DeviceName) -> Bool {
        var found = known[device]?[place.container] ?? Known(place: place)
        let position = max(found.place.position, place.position)
        found.place = ReadPosition(place.container, to: position, asked: place.asked)
        known[device, default: [:]][place.container] = found
        guard found.isDue else { return false }
        due.insert(device)
        defer { isAwaited = true }
        return !isAwaited
    }

    /// What a device has read, by container.
    ///
    /// - Parameter written: What the database says of it, where others may have written.
    func places(of device: DeviceName, with written: [ReadPosition]) -> [ReadPosition] {
        var places = (known[device] ?? [:]).mapValues(\.place)
        for place in written {
            let known = places[place.container] ?? place
            places[place.container] = ReadPosition(
                place.container,
                to: max(known.position, place.position),
                asked: max(known.asked, place.asked)
            )
        }
        return places.values.sorted { $0.container < $1.container }
    }

    /// Takes what is due.
    mutating func takeDue() -> [Reading] {
        defer { due = [] }
        return due.flatMap { device in
            (known[device] ?? [:]).values.filter(\.isDue).map { Reading(device: device, place: $0.place) }
        }
    }

    /// All that is not written.
    var unwritten: [Reading] {
        known.flatMap { device, logs in
            logs.values.filter { $0.place != $0.written }.map { Reading(device: device, place: $0.place) }
        }
    }

    /// Notes what was written.
    mutating func didWrite(_ readings: some Sequence<Reading>) {
        for reading in readings { known[reading.device]?[reading.place.container]?.written = reading.place }
    }

    /// Takes back what could not be written: it is due again.
    mutating func giveBack(_ readings: some Sequence<Reading>) {
        for reading in readings { due.insert(reading.device) }
    }

    /// Ends what `note` had begun.
    ///
    /// - Returns: Whether the caller is to have what is due taken after a while again.
    mutating func goOn() -> Bool {
        isAwaited = !due.isEmpty
        return isAwaited
    }
}

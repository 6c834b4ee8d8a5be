internal import HubProtocol
internal import Sealing
internal import Sync

/// What the hub has said of who has read how much of the log. Pure.
struct LogReadings {
    struct Reading: Hashable, Sendable {
        /// All entries to this one.
        var position: LogPosition
        /// When the device asked last, by the hub's clock, in seconds since 1970.
        var asked: Int
    }

    private(set) var known: [DeviceID: Reading] = [:]
    /// Those who wait for the answer that is under way; nil while none is.
    private var waiters: [@Sendable () -> Void]?
    /// How often the hub was asked, or what it had said was dropped: an answer to a question of before that is dropped.
    private var number = 0

    var isAsking: Bool { waiters != nil }

    /// Notes that the hub is asked.
    ///
    /// - Returns: What the answer is given back with.
    mutating func ask(_ done: @escaping @Sendable () -> Void) -> Int {
        number += 1
        waiters = [done]
        return number
    }

    /// Has one more wait for the answer that is under way.
    mutating func wait(_ done: @escaping @Sendable () -> Void) { waiters?.append(done) }

    /// Takes an answer in.
    ///
    /// - Parameters:
    ///   - listings: Nil where none came; what is known stays then.
    ///   - number: The question's.
    ///   - devices: Who shares the container.
    /// - Returns: Those who waited for it, to be told.
    mutating func take(
        _ listings: [DeviceListing]?,
        to number: Int,
        _ devices: DeviceList
    ) -> [@Sendable () -> Void] {
        guard number == self.number, let waiting = waiters else { return [] }
        waiters = nil
        guard let listings else { return waiting }
        known = [:]
        for device in devices.present {
            let reads = listings.lazy.filter { !$0.isRevoked && device.isMeant(by: $0) }
                .flatMap { $0.reads ?? [] }
                .filter { $0.container == devices.container }
            known[device.id] = reads.max { $0.asked < $1.asked }
                .map { Reading(position: $0.position, asked: $0.asked) }
        }
        return waiting
    }

    /// Forgets what was said of a log that is another now.
    ///
    /// - Returns: Those who waited for an answer, to be told.
    mutating func forget() -> [@Sendable () -> Void] {
        defer { (known, waiters, number) = ([:], nil, number + 1) }
        return waiters ?? []
    }
}

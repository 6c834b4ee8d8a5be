internal import Dispatch
package import HubProtocol
internal import Locks

/// Where requests wait for news, without a thread for any of them.
///
/// Its state is in one struct under one lock. Who waits enters first, then looks, then waits: news between the look and
/// the wait are not lost.
package final class WaitingRoom: Sendable {
    package enum Topic: Hashable, Sendable {
        case log(ContainerName)
        case pairing(String)
    }

    /// Why a wait is over.
    package enum Reason: Hashable, Sendable {
        case news, timeout, revoked, ending
    }

    package struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Guest {
        var topic: Topic
        var device: DeviceName?
        var reason: Reason?
        var continuation: CheckedContinuation<Reason, Never>?
        var deadline: Int?
    }
    private struct State {
        var guests: [Int: Guest] = [:]
        var topics: [Topic: Set<Int>] = [:]
        var devices: [DeviceName: Set<Int>] = [:]
        /// Who is to go at which second.
        var deadlines: [Int: [Int]] = [:]
        var next = 0
        var isEnding = false
        var timer: (any DispatchSourceTimer)?
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "sheaf.hub.waiting")
    private let seconds: @Sendable () -> Int

    /// - Parameter seconds: A clock that never goes back.
    package init(seconds: @escaping @Sendable () -> Int) {
        self.seconds = seconds
    }

    /// How many requests of a device are here.
    package func count(of device: DeviceName) -> Int {
        state.withLock { $0.devices[device]?.count ?? 0 }
    }

    /// From now on news about the topic are noted.
    package func enter(_ topic: Topic, device: DeviceName? = nil) -> Ticket {
        state.withLock { state in
            state.next += 1
            let number = state.next
            state.guests[number] = Guest(topic: topic, device: device, reason: state.isEnding ? .ending : nil)
            state.topics[topic, default: []].insert(number)
            if let device { state.devices[device, default: []].insert(number) }
            return Ticket(number: number)
        }
    }

    /// Nobody waits with this ticket any longer.
    package func leave(_ ticket: Ticket) {
        state.withLock { state in
            guard let guest = state.guests.removeValue(forKey: ticket.number) else { return }
            Self.take(ticket.number, outOf: &state.topics, guest.topic)
            if let device = guest.device { Self.take(ticket.number, outOf: &state.devices, device) }
        }
    }

    private static func take<Key>(_ number: Int, outOf sets: inout [Key: Set<Int>], _ key: Key) {
        sets[key]?.remove(number)
        if sets[key]?.isEmpty == true { sets[key] = nil }
    }

    /// Waits for news since the ticket was taken, or since the last wait with it.
    ///
    /// - Parameter deadline: When to give up, by the room's clock.
    package func wait(_ ticket: Ticket, until deadline: Int) async -> Reason {
        await withCheckedContinuation { continuation in
            let reason = state.withLock { state -> Reason? in
                guard let guest = state.guests[ticket.number] else { return .timeout }
                if let reason = guest.reason {
                    if reason == .news { state.guests[ticket.number]?.reason = nil }
                    return reason
                }
                if seconds() >= deadline { return .timeout }
                state.guests[ticket.number]?.continuation = continuation
                state.guests[ticket.number]?.deadline = deadline
                state.deadlines[deadline, default: []].append(ticket.number)
                startTimer(&state)
                return nil
            }
            if let reason { continuation.resume(returning: reason) }
        }
    }

    /// There is news about a topic.
    package func wake(_ topic: Topic) {
        end(.news) { $0.topics[topic] ?? [] }
    }

    /// A device has nothing to wait for any longer.
    package func revoke(_ device: DeviceName) {
        end(.revoked) { $0.devices[device] ?? [] }
    }

    /// Nobody has, from now on.
    package func close() {
        end(.ending) { state in
            state.isEnding = true
            return Set(state.guests.keys)
        }
    }

    private func end(_ reason: Reason, _ who: (inout State) -> Set<Int>) {
        let waiting = state.withLock { state in
            who(&state).compactMap { Self.end($0, reason, &state) }
        }
        for continuation in waiting { continuation.resume(returning: reason) }
    }

    private static func end(
        _ number: Int,
        _ reason: Reason,
        _ state: inout State
    ) -> CheckedContinuation<Reason, Never>? {
        guard let guest = state.guests[number] else { return nil }
        guard let continuation = guest.continuation else {
            // Not waiting yet. What is final is not replaced by news.
            if guest.reason == nil || guest.reason == .news { state.guests[number]?.reason = reason }
            return nil
        }
        state.guests[number]?.continuation = nil
        state.guests[number]?.deadline = nil
        // News are told once; what is final stays so.
        if reason != .news && reason != .timeout { state.guests[number]?.reason = reason }
        return continuation
    }

    /// Looks every second who has waited long enough, for as long as somebody waits.
    private func startTimer(_ state: inout State) {
        guard state.timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.tick() }
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.resume()
        state.timer = timer
    }

    private func tick() {
        let waiting = state.withLock { state -> [CheckedContinuation<Reason, Never>] in
            let now = seconds()
            var due: [Int] = []
            for second in state.deadlines.keys.filter({ $0 <= now }) {
                due += state.deadlines.removeValue(forKey: second) ?? []
            }
            if state.deadlines.isEmpty {
                state.timer?.cancel()
                state.timer = nil
            }
            return due.compactMap { number in
                guard let deadline = state.guests[number]?.deadline, deadline <= now else { return nil }
                return Self.end(number, .timeout, &state)
            }
        }
        for continuation in waiting { continuation.resume(returning: .timeout) }
    }
}

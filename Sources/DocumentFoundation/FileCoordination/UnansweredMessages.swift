internal import Coordination

/// What presenters have been asked and have not answered, with the access that each message is for.
struct UnansweredMessages: Sendable {
    private var accesses: [Ticket: AccessID] = [:]
    private var counts: [AccessID: Int] = [:]

    mutating func insert(_ ticket: Ticket, for access: AccessID) {
        if let earlier = accesses.updateValue(access, forKey: ticket) { discount(earlier) }
        counts[access, default: 0] += 1
    }

    /// - Returns: The access that the message was for; nil when it has been answered before.
    mutating func remove(_ ticket: Ticket) -> AccessID? {
        guard let access = accesses.removeValue(forKey: ticket) else { return nil }
        discount(access)
        return access
    }

    /// Whether an answer is still to come before an access can go on.
    func isAwaited(by access: AccessID) -> Bool { counts[access] != nil }

    /// Forgets all.
    ///
    /// - Returns: The messages, with the access that each was for.
    mutating func removeAll() -> [Ticket: AccessID] {
        defer { self = UnansweredMessages() }
        return accesses
    }

    private mutating func discount(_ access: AccessID) {
        let rest = counts[access, default: 1] - 1
        counts[access] = rest == 0 ? nil : rest
    }
}

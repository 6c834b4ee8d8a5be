/// What happens to a side of a pairing.
package enum PairingEvent: Hashable, Sendable {
    /// The other side said something, as the relay tells it: in the relay's order.
    case message([UInt8])
    /// The person compared the phrases: they are the same.
    case same
    /// They are not.
    case different
    /// The person stopped it.
    case cancel
    /// So many seconds have gone by since it began.
    case time(Int)
}

/// What a side of a pairing wants done, in this order.
package enum PairingAction: Hashable, Sendable {
    /// Give it to the relay, for the other side.
    case send([UInt8])
    /// Show it, and ask the person whether the other device shows the same.
    case show(phrase: [String])
    /// First device: add this device to the container's list, have the hub invite it, then call `give(_:)`.
    case add(PublicIdentity)
    /// Second device: keep this on stable storage, then call `received()`, and register with the hub.
    case keep(PairingGift)
    /// First device: the other one has got everything.
    case finished
    /// It came to nothing.
    case ended(PairingEnd)
}

/// How long a pairing may take.
package enum PairingLimits {
    /// As at the hub.
    package static let seconds = 600
}

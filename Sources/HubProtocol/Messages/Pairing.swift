package import Foundation

/// The answer to `POST /v1/pairings`, 201.
package struct PairingStarted: Codable, Hashable, Sendable {
    /// Eight characters, none of which looks like another one.
    package var pairing: String
    /// How long it lives, in seconds.
    package var seconds: Int

    package init(_ pairing: String, seconds: Int) { (self.pairing, self.seconds) = (pairing, seconds) }
}

/// Who says something in a pairing. The hub takes their word for it: the messages themselves prove it.
package enum PairingSide: String, Codable, Hashable, Sendable {
    /// The device that has the keys.
    case first
    /// The one that is to get them.
    case second
}

/// `POST /v1/pairings/{pairing}/messages`, without a token. The answer is a `PairingReceipt`.
package struct PairingMessage: Codable, Hashable, Sendable {
    package var from: PairingSide
    /// At most `HubLimits.pairingMessageByteCountMax`.
    package var message: Data

    package init(from: PairingSide, message: Data) { (self.from, self.message) = (from, message) }
}

/// The answer to a message, 201.
package struct PairingReceipt: Codable, Hashable, Sendable {
    /// Which one it is: the first has 1.
    package var number: Int

    package init(number: Int) { self.number = number }
}

/// A message as `GET /v1/pairings/{pairing}/messages?after=N&wait=30` tells it.
package struct NumberedPairingMessage: Codable, Hashable, Sendable {
    package var number: Int
    package var from: PairingSide
    package var message: Data

    package init(number: Int, from: PairingSide, message: Data) {
        (self.number, self.from, self.message) = (number, from, message)
    }
}

/// The answer: what came after number `after`, in order, of both sides.
package struct PairingMessages: Codable, Hashable, Sendable {
    package var messages: [NumberedPairingMessage]

    package init(_ messages: [NumberedPairingMessage]) { self.messages = messages }
}

internal import Foundation
package import HubProtocol

/// Pairings in progress: messages that two devices leave for each other. Pure: time and names come in.
///
/// They are in the store's memory alone: who pairs while the hub is started anew begins again.
package struct Pairings: Sendable {
    private struct Pairing {
        var account: AccountID
        var until: Int
        var messages: [NumberedPairingMessage] = []
    }

    /// How many of an account there are at a time: each may have 64 KiB of messages.
    static let countMax = 50

    private var pairings: [String: Pairing] = [:]

    package init() {}

    /// Begins one.
    ///
    /// - Parameter name: Eight letters that nobody can guess.
    package mutating func begin(_ name: String, account: AccountID, now: Int) throws {
        pairings = pairings.filter { $0.value.until > now }
        guard pairings.values.count(where: { $0.account == account }) < Self.countMax else {
            throw HubRefusal.tooMany("pairings of this account", retrySeconds: HubLimits.pairingSeconds)
        }
        pairings[name] = Pairing(account: account, until: now + HubLimits.pairingSeconds)
    }

    /// Takes a message.
    ///
    /// - Returns: Its number.
    package mutating func add(_ message: PairingMessage, to name: String, now: Int) throws -> Int {
        guard var pairing = pairings[name], pairing.until > now else { throw Self.unknown }
        guard message.message.count <= HubLimits.pairingMessageByteCountMax else {
            throw HubRefusal.tooLarge("A message has \(HubLimits.pairingMessageByteCountMax) bytes at most.")
        }
        guard pairing.messages.count < HubLimits.pairingMessageCountMax else {
            throw HubRefusal(409, .conflict, "This pairing has had all its messages. Begin a new one.")
        }
        let number = pairing.messages.count + 1
        pairing.messages.append(
            NumberedPairingMessage(number: number, from: message.from, message: message.message)
        )
        pairings[name] = pairing
        return number
    }

    /// The messages after a number.
    package func messages(of name: String, after number: Int, now: Int) throws -> [NumberedPairingMessage] {
        guard let pairing = pairings[name], pairing.until > now else { throw Self.unknown }
        return pairing.messages.filter { $0.number > number }
    }

    private static let unknown = HubRefusal(
        404,
        .notFound,
        "There is no such pairing, or it is over. Check the code, or begin anew on the first device."
    )
}

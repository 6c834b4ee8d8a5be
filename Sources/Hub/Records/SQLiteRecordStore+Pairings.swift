package import HubProtocol
internal import Locks

// Nothing of a pairing is in the database.
extension SQLiteRecordStore {
    package func beginPairing(_ name: String, for account: AccountID, now: Int) async throws {
        try pairings.withLock { try $0.begin(name, account: account, now: now) }
    }

    package func addMessage(_ message: PairingMessage, toPairing name: String, now: Int) async throws -> Int {
        let number = try pairings.withLock { try $0.add(message, to: name, now: now) }
        tell(.pairing(name))
        return number
    }

    package func messages(
        ofPairing name: String,
        after number: Int,
        now: Int
    ) async throws -> [NumberedPairingMessage] {
        try pairings.withLock { try $0.messages(of: name, after: number, now: now) }
    }
}

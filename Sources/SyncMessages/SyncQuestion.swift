internal import Foundation

/// What other processes ask the one that keeps folders in step: one line of JSON on a connection of its own.
package enum SyncQuestion: Codable, Hashable, Sendable {
    case status
    case explain(path: String)
    /// How one item stands.
    case item(path: String)
    /// How all items below a folder stand.
    case items(folder: String)
}

/// What they are told: one line of JSON.
package enum SyncAnswer: Codable, Hashable, Sendable {
    case status([FolderStatus])
    case explanation(Explanation?)
    case item(ItemSyncState?)
    case items([ItemSyncState])
}

/// Lines of JSON.
package enum SyncLine {
    package static func bytes(_ value: some Encodable) throws -> [UInt8] {
        [UInt8](try JSONEncoder().encode(value)) + [UInt8(ascii: "\n")]
    }

    package static func value<Value: Decodable>(_ line: [UInt8]) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(line))
    }
}

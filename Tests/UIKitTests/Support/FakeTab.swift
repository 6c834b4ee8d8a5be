import Foundation
import Testing

@testable import WebHost

/// A tab without a browser behind it: what is sent to it waits to be looked at.
@MainActor
final class FakeTab {
    let tab: WebTab
    private let connection: WebSocketConnection
    private static let loop = Result { try SocketLoop() }

    /// - Parameters:
    ///   - id: 32 hexadecimal digits; a reloaded tab has the same.
    ///   - limits: What may wait for it.
    init(id: String = newID(), limits: WebSocketLimits = WebSocketLimits()) throws {
        connection = WebSocketConnection(loop: try Self.loop.get(), limits: limits)
        tab = WebTab(id: id, connection: connection)
    }

    var id: String { tab.id }

    /// The messages since the last time, and forgets them.
    func take() throws -> [[String: Any]] {
        let texts = connection.withOutbox { $0.take(byteCountMax: .max).messages }
        return try texts.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    nonisolated static func newID() -> String {
        UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    }
}

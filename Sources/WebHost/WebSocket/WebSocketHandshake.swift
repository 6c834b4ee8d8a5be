internal import Foundation
internal import HTTPService

/// The opening handshake of RFC 6455, section 4.2.
///
/// Pure.
enum WebSocketHandshake {
    /// What a request to upgrade comes to.
    enum Outcome: Hashable, Sendable {
        /// The 101 with these headers.
        case accept([WebHeader])
        /// The request is refused with this status and, for another version, the headers of section 4.4.
        case refuse(status: Int, [WebHeader], reason: String)
    }

    /// Judges a request that wants a WebSocket.
    static func judge(_ request: WebRequest) -> Outcome {
        guard request.method == "GET", request.version == "HTTP/1.1" else {
            return .refuse(status: 405, [WebHeader("Allow", "GET")], reason: "A WebSocket starts with GET.")
        }
        guard
            request.listHeader("Upgrade").contains("websocket"),
            request.listHeader("Connection").contains("upgrade")
        else {
            return .refuse(
                status: 426,
                [WebHeader("Upgrade", "websocket")],
                reason: "This address speaks WebSocket only."
            )
        }
        guard request.header("Sec-WebSocket-Version") == "13" else {
            return .refuse(
                status: 426,
                [WebHeader("Sec-WebSocket-Version", "13")],
                reason: "Only version 13 is spoken here."
            )
        }
        guard let key = request.header("Sec-WebSocket-Key"), Data(base64Encoded: key)?.count == 16 else {
            return .refuse(status: 400, [], reason: "The WebSocket key is not 16 bytes in Base64.")
        }
        return .accept([
            WebHeader("Upgrade", "websocket"), WebHeader("Sec-WebSocket-Accept", acceptance(of: key)),
        ])
    }

    /// What proves to the other side that its key was read.
    static func acceptance(of key: String) -> String {
        Data(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }
}

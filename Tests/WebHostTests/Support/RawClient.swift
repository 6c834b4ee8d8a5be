import Foundation
import Testing

/// A blocking TCP connection that sends whatever a test wants to send.
final class RawClient {
    struct Ended: Error {}
    let socket: CInt
    private var buffer: [UInt8] = []

    init(port: UInt16, receiveBufferByteCount: CInt? = nil) throws {
        socket = Foundation.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        try #require(socket >= 0)
        // A bound for a test that fails; nothing here takes that long.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBufferByteCount {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        if result != 0 { throw Ended() }
    }

    deinit { close(socket) }

    /// Sends all of it; false when the other side closed.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Exactly so many bytes.
    func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try fill() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Everything up to the end of the stream, or to a reset.
    func readToEnd() -> [UInt8] {
        while (try? fill()) != nil {}
        return buffer
    }

    /// One HTTP response.
    func response(toHead: Bool = false) throws -> RawResponse {
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            headEnd = buffer.indices.first { buffer[$0...].starts(with: end) }
            if headEnd == nil { try fill() }
        }
        let head = String(decoding: try read((headEnd ?? 0) + 4), as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        let status = Int(lines[0].split(separator: " ")[1]) ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            headers[sides[0].lowercased()] = sides[1].trimmingCharacters(in: .whitespaces)
        }
        var response = RawResponse(status: status, headers: headers, body: [])
        let byteCount = headers["content-length"].flatMap { Int($0) } ?? 0
        if !toHead, status != 304, status != 101 { response.body = try read(byteCount) }
        return response
    }

    private func fill() throws {
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(socket, &piece, piece.count, 0)
        if count <= 0 { throw Ended() }
        buffer += piece[..<count]
    }
}

struct RawResponse {
    var status: Int
    var headers: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    func header(_ name: String) -> String? { headers[name.lowercased()] }
}

/// The client side of a WebSocket, frame by frame.
final class WebSocketClient {
    struct Refused: Error { var response: RawResponse }
    struct Frame: Equatable {
        var opcode: UInt8
        var payload: [UInt8]

        var text: String { String(decoding: payload, as: UTF8.self) }
        var closeCode: UInt16? {
            opcode == 8 && payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
        }
    }
    let raw: RawClient

    init(
        port: UInt16, target: String, headers: [String: String] = [:], receiveBufferByteCount: CInt? = nil
    ) throws {
        raw = try RawClient(port: port, receiveBufferByteCount: receiveBufferByteCount)
        var all = [
            "Host": "127.0.0.1:\(port)", "Upgrade": "websocket", "Connection": "keep-alive, Upgrade",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        ]
        all.merge(headers) { $1 }
        let head = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.joined()
        raw.write(Array("GET \(target) HTTP/1.1\r\n\(head)\r\n".utf8))
        let response = try raw.response()
        guard response.status == 101, response.header("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        else { throw Refused(response: response) }
    }

    static func frame(
        _ payload: [UInt8], opcode: UInt8 = 1, isFinal: Bool = true, isMasked: Bool = true
    ) -> [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ..<126: bytes.append(mask | UInt8(payload.count))
        case ..<65536: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            bytes.append(mask | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        guard isMasked else { return bytes + payload }
        // A mask of zeros is as good as any for a test, and leaves a long payload as it is.
        return bytes + [0, 0, 0, 0] + payload
    }

    @discardableResult
    func send(_ text: String) -> Bool { raw.write(Self.frame(Array(text.utf8))) }

    func read() throws -> Frame {
        let head = try raw.read(2)
        var count = Int(head[1] & 0x7F)
        if count == 126 { count = try raw.read(2).reduce(0) { $0 << 8 | Int($1) } }
        if count == 127 { count = try raw.read(8).reduce(0) { $0 << 8 | Int($1) } }
        return Frame(opcode: head[0] & 15, payload: try raw.read(count))
    }

    /// The next text message; pings on the way are answered.
    func readText() throws -> String {
        while true {
            let frame = try read()
            if frame.opcode == 9 { raw.write(Self.frame(frame.payload, opcode: 10)) }
            if frame.opcode == 1 { return frame.text }
            if frame.opcode == 8 { throw RawClient.Ended() }
        }
    }
}

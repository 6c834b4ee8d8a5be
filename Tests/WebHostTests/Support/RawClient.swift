import Foundation
import Testing

/// Runs something that blocks on a thread that may.
///
/// Tests share a small pool of threads with the host's own tasks; a test that blocked there would wait for
/// itself.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: body)) }
    }
}

/// A blocking TCP connection that sends whatever a test wants to send.
final class RawClient: @unchecked Sendable {
    // Sendable: a test makes one call at a time.
    struct Ended: Error {}
    let socket: CInt
    private var buffer: [UInt8] = []

    /// - Parameter owner: Another user whose the socket is to be; only root can make it so.
    init(port: UInt16, receiveBufferByteCount: CInt? = nil, owner: UInt32? = nil) throws {
        socket = Foundation.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        try #require(socket >= 0)
        // A bound for a test that fails; nothing here takes that long.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var one: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        if var size = receiveBufferByteCount {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        if let owner { try #require(fchown(socket, owner, owner) == 0) }
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
    func write(_ bytes: [UInt8]) async throws -> Bool { try await offPool { self.writeNow(bytes) } }

    /// Exactly so many bytes.
    func read(_ count: Int) async throws -> [UInt8] { try await offPool { try self.readNow(count) } }

    /// Everything up to the end of the stream, or to a reset.
    func readToEnd() async throws -> [UInt8] {
        try await offPool {
            while (try? self.fill()) != nil {}
            return self.buffer
        }
    }

    /// Whether no byte is there, and no end of the stream.
    var hasNothingToRead: Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) == -1 && errno == EAGAIN
    }

    /// One HTTP response.
    func response(toHead: Bool = false) async throws -> RawResponse {
        try await offPool { try self.responseNow(toHead: toHead) }
    }

    private func writeNow(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func readNow(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try fill() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private func responseNow(toHead: Bool) throws -> RawResponse {
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            headEnd = buffer.indices.first { buffer[$0...].starts(with: end) }
            if headEnd == nil { try fill() }
        }
        let head = String(decoding: try readNow((headEnd ?? 0) + 4), as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        let status = Int(lines[0].split(separator: " ")[1]) ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            headers[sides[0].lowercased()] = sides[1].trimmingCharacters(in: .whitespaces)
        }
        var response = RawResponse(status: status, headers: headers, body: [])
        let byteCount = headers["content-length"].flatMap { Int($0) } ?? 0
        if !toHead, status != 304, status != 101 { response.body = try readNow(byteCount) }
        return response
    }

    private func fill() throws {
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(socket, &piece, piece.count, 0)
        if count <= 0 { throw Ended() }
        buffer += piece[..<count]
    }
}

struct RawResponse: Sendable {
    var status: Int
    var headers: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    func header(_ name: String) -> String? { headers[name.lowercased()] }
}

/// The client side of a WebSocket, frame by frame.
final class WebSocketClient: Sendable {
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
        port: UInt16,
        target: String,
        headers: [String: String] = [:],
        receiveBufferByteCount: CInt? = nil
    ) async throws {
        raw = try RawClient(port: port, receiveBufferByteCount: receiveBufferByteCount)
        var all = [
            "Host": "127.0.0.1:\(port)", "Upgrade": "websocket", "Connection": "keep-alive, Upgrade",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        ]
        all.merge(headers) { $1 }
        let head = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.joined()
        try await raw.write(Array("GET \(target) HTTP/1.1\r\n\(head)\r\n".utf8))
        let response = try await raw.response()
        guard response.status == 101,
            response.header("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        else { throw Refused(response: response) }
    }

    static func frame(
        _ payload: [UInt8],
        opcode: UInt8 = 1,
        isFinal: Bool = true,
        isMasked: Bool = true
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
    func send(_ text: String) async throws -> Bool { try await raw.write(Self.frame(Array(text.utf8))) }

    /// The next frame that is no ping; pings on the way are answered.
    func read() async throws -> Frame {
        while true {
            let frame = try await readAny()
            guard frame.opcode == 9 else { return frame }
            try await raw.write(Self.frame(frame.payload, opcode: 10))
        }
    }

    /// The next frame.
    func readAny() async throws -> Frame {
        let head = try await raw.read(2)
        var count = Int(head[1] & 0x7F)
        if count == 126 { count = try await raw.read(2).reduce(0) { $0 << 8 | Int($1) } }
        if count == 127 { count = try await raw.read(8).reduce(0) { $0 << 8 | Int($1) } }
        return Frame(opcode: head[0] & 15, payload: try await raw.read(count))
    }

    /// The next text message.
    func readText() async throws -> String {
        while true {
            let frame = try await read()
            if frame.opcode == 1 { return frame.text }
            if frame.opcode == 8 { throw RawClient.Ended() }
        }
    }
}

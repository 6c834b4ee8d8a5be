internal import CMicroHTTPD
internal import Foundation

extension HTTPConnection {
    /// The headers of the request, in their order.
    func headers() -> [WebHeader] {
        var headers: [WebHeader] = []
        withUnsafeMutablePointer(to: &headers) { list in
            _ = MHD_get_connection_values(
                pointer,
                .HEADER_KIND,
                { list, _, name, value in
                    guard let list, let name else { return .NO }
                    let header = WebHeader(String(cString: name), value.map { String(cString: $0) } ?? "")
                    list.assumingMemoryBound(to: [WebHeader].self).pointee.append(header)
                    return .YES
                },
                list
            )
        }
        return headers
    }

    /// The address of who is at the other end.
    func peer() -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            cdoc_mhd_peer(pointer, text.baseAddress, UInt32(text.count)) == 1
                ? text.baseAddress.map { String(cString: $0) } ?? "" : ""
        }
    }

    /// Gives the library an answer to send; false where it takes none, which closes the connection.
    func queue(_ response: WebResponse, request: WebRequest?) -> Bool {
        let plan = BodyPlan(response, request: request)
        guard let reply = plan.makeReply() else {
            return queuePlain(.text("The answer could not be put together.", status: 500))
        }
        defer { MHD_destroy_response(reply) }
        for header in plan.headers where MHD_add_response_header(reply, header.name, header.value) != .YES {
            // A header that would break the head, such as one with a line break in a file's name.
            return queuePlain(.text("The answer has a header that cannot be sent.", status: 500))
        }
        return MHD_queue_response(pointer, UInt32(plan.status), reply) == .YES
    }

    /// Answers 101 and hands the socket over when that is sent.
    func queueUpgrade(_ headers: [WebHeader]) -> Bool {
        guard let reply = MHD_create_response_for_upgrade(Self.handOver, nil) else { return false }
        defer { MHD_destroy_response(reply) }
        for header in headers where MHD_add_response_header(reply, header.name, header.value) != .YES {
            return false
        }
        return MHD_queue_response(pointer, 101, reply) == .YES
    }

    private func queuePlain(_ response: WebResponse) -> Bool {
        guard let reply = BodyPlan(response, request: nil).makeReply() else { return false }
        defer { MHD_destroy_response(reply) }
        return MHD_queue_response(pointer, UInt32(response.status), reply) == .YES
    }

    /// Takes a second descriptor of the socket and lets the library forget its own at once: an upgraded
    /// connection then has nothing to do with the server's connections, limits and end.
    private static let handOver: MHD_UpgradeHandler = {
        _,
        _,
        context,
        extra,
        extraByteCount,
        socket,
        handle in
        defer { _ = cdoc_mhd_close_upgraded(handle) }
        guard let context else { return }
        let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
        do throws(SystemCallFailure) {
            let duplicate = try SystemCalls.duplicate(socket)
            try SystemCalls.makeNonblocking(duplicate)
            let received = UnsafeRawBufferPointer(start: extra, count: extraByteCount)
            exchange.upgraded(UpgradedSocket(socket: duplicate, received: Array(received)))
        } catch {
            // Out of descriptors: the connection closes, which is what the other side has to be told.
            return
        }
    }
}

/// A response as it goes out: with the part of its body that was asked for.
private struct BodyPlan {
    private enum Source {
        case bytes(Data)
        case file(Descriptor, offset: UInt64, byteCount: UInt64)
        case stream(any HTTPBodySource, byteCount: UInt64)
        case parts(Range<UInt64>, (Range<UInt64>) -> any HTTPBodySource)
    }
    var status: Int
    var headers: [WebHeader]
    private var source: Source

    init(_ response: WebResponse, request: WebRequest?) {
        status = response.status
        headers = response.headers
        switch response.body {
        case .none: source = .bytes(Data())
        case .bytes(let data): source = .bytes(data)
        case .stream(let body, let byteCount):
            source = .stream(body, byteCount: byteCount)
            // Its ranges are its maker's.
            return
        case .parts(let byteCount, let make): source = .parts(0..<byteCount, make)
        case .file(let url):
            do throws(SystemCallFailure) {
                source = try Self.open(url)
            } catch {
                let isMissing = [ENOENT, ENOTDIR, ELOOP, ENXIO].contains(error.errno)
                status = isMissing ? 404 : 500
                headers.removeAll { $0.isNamed("Content-Type") || $0.isNamed("ETag") }
                source = .bytes(
                    Data((isMissing ? "There is no such file." : "The file cannot be read.").utf8)
                )
            }
        }
        guard status == 200, let request, ["GET", "HEAD"].contains(request.method) else { return }
        apply(PartialAnswer.decide(request: request, tag: response.header("ETag"), byteCount: wholeByteCount))
    }

    private static func open(_ url: URL) throws(SystemCallFailure) -> Source {
        // Not blocking, so that a named pipe cannot hold up the thread.
        let file = try SystemCalls.open(url.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        let found = try SystemCalls.status(of: file)
        guard found.st_mode & S_IFMT == S_IFREG else { throw SystemCallFailure(name: "open", errno: ENOENT) }
        return .file(file, offset: 0, byteCount: UInt64(found.st_size))
    }

    private var wholeByteCount: UInt64 {
        switch source {
        case .bytes(let data): UInt64(data.count)
        case .file(_, _, let byteCount), .stream(_, let byteCount): byteCount
        case .parts(let range, _): UInt64(range.count)
        }
    }

    private mutating func apply(_ decision: PartialAnswer) {
        let whole = wholeByteCount
        switch decision {
        case .whole:
            headers.append(WebHeader("Accept-Ranges", "bytes"))
        case .notModified:
            status = 304
            source = .bytes(Data())
            headers.removeAll { $0.isNamed("Content-Type") }
        case .unsatisfiable:
            status = 416
            source = .bytes(Data())
            headers.append(WebHeader("Content-Range", "bytes */\(whole)"))
        case .part(let first, let last):
            status = 206
            headers.append(WebHeader("Content-Range", "bytes \(first)-\(last)/\(whole)"))
            switch source {
            case .bytes(let data):
                source = .bytes(Data(data.dropFirst(Int(first)).prefix(Int(last - first + 1))))
            case .file(let file, _, _): source = .file(file, offset: first, byteCount: last - first + 1)
            case .parts(_, let make): source = .parts(first..<last + 1, make)
            case .stream: break
            }
        }
    }

    /// The library's form of it; nil when memory or descriptors are short.
    func makeReply() -> OpaquePointer? {
        switch source {
        case .bytes(let data):
            var copy = data
            return copy.withUnsafeMutableBytes { buffer in
                MHD_create_response_from_buffer(buffer.count, buffer.baseAddress, .RESPMEM_MUST_COPY)
            }
        case .stream(let body, let byteCount): return Self.makeReply(body, byteCount: byteCount)
        case .parts(let range, let make):
            return Self.makeReply(make(range), byteCount: UInt64(range.count))
        case .file(let file, let offset, let byteCount):
            // The library closes the descriptor that it is given.
            let duplicate = fcntl(file.number, F_DUPFD_CLOEXEC, 0)
            guard duplicate >= 0 else { return nil }
            guard let reply = MHD_create_response_from_fd_at_offset64(byteCount, duplicate, offset) else {
                _ = close(duplicate)
                return nil
            }
            return reply
        }
    }

    /// How much of a stream is asked for at a time, in bytes.
    private static let pieceByteCount = 64 << 10

    private static func makeReply(_ body: any HTTPBodySource, byteCount: UInt64) -> OpaquePointer? {
        let held = Unmanaged.passRetained(HeldSource(body))
        let reply = MHD_create_response_from_callback(
            byteCount,
            pieceByteCount,
            { context, _, buffer, capacity in
                guard let context, let buffer else { return endWithError }
                let held = Unmanaged<HeldSource>.fromOpaque(context).takeUnretainedValue()
                let count = held.source.read(
                    into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity)
                )
                // Fewer bytes than were promised: only cutting the connection tells that.
                return count > 0 ? count : endWithError
            },
            held.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<HeldSource>.fromOpaque(context).release()
            }
        )
        if reply == nil { held.release() }
        return reply
    }
}

/// MHD_CONTENT_READER_END_WITH_ERROR, a macro with a cast that Swift cannot read.
private let endWithError = -2

/// A source as the library carries it.
private final class HeldSource {
    let source: any HTTPBodySource

    init(_ source: any HTTPBodySource) { self.source = source }
}

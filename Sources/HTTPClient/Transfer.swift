internal import CCurl
internal import Foundation

/// One connection of libcurl's, and the request that is on it. For one thread at a time, but for `wake`.
final class Transfer: @unchecked Sendable {
    // Sendable because a client gives it to one thread at a time; `wake` calls what libcurl allows from any thread.
    private let multi: OpaquePointer
    private let easy: UnsafeMutableRawPointer
    private let isLocal: Bool
    private let memory: AnswerMemory
    private let liveness: Liveness
    private let connections = Connections()
    /// What libcurl says of what has failed.
    private let said: UnsafeMutablePointer<CChar>

    private static let connectSeconds = 10
    /// libcurl and `wake` end a wait earlier.
    private static let pollMilliseconds: Int32 = 60_000

    /// Nil for want of memory.
    ///
    /// - Parameters:
    ///   - isLocal: Whether the server is on this machine.
    ///   - memory: For long answers.
    ///   - liveness: When a connection counts as dead.
    init?(isLocal: Bool, memory: AnswerMemory, liveness: Liveness) {
        guard let multi = curl_multi_init() else { return nil }
        guard let easy = curl_easy_init() else {
            curl_multi_cleanup(multi)
            return nil
        }
        (self.multi, self.easy, self.isLocal) = (OpaquePointer(multi), easy, isLocal)
        (self.memory, self.liveness) = (memory, liveness)
        said = .allocate(capacity: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_multi_cleanup(UnsafeMutableRawPointer(multi))
        said.deallocate()
    }

    /// Has a run look at once whether it is to go on. Any thread.
    func wake() { curl_multi_wakeup(UnsafeMutableRawPointer(multi)) }

    func run(
        _ request: HTTPRequest,
        at address: String,
        isClosed: () -> Bool
    ) -> Result<HTTPAnswer, HTTPClientError> {
        let inbox = Inbox(easy, byteCountMax: request.answerByteCountMax, memory: memory)
        var headers: UnsafeMutablePointer<curl_slist>?
        for (name, value) in request.headers { headers = curl_slist_append(headers, "\(name): \(value)") }
        // Nothing is asked for before a body is sent.
        headers = curl_slist_append(headers, "Expect:")
        defer { curl_slist_free_all(headers) }
        curl_easy_reset(easy)
        prepare(request, at: address, headers, inbox)
        watchConnections()
        _ = cdoc_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
        return withExtendedLifetime(inbox) {
            guard let body = request.body else {
                return answer(inbox, perform(request, isClosed), at: address)
            }
            return body.withUnsafeBytes { bytes in
                post(bytes)
                return answer(inbox, perform(request, isClosed), at: address)
            }
        }
    }

    private static let nothing: StaticString = ""

    /// - Parameter body: Has to stay where it is until the request is over.
    private func post(_ body: UnsafeRawBufferPointer) {
        _ = cdoc_curl_set_number(easy, CURLOPT_POST, 1)
        _ = cdoc_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        // Without a place of its bytes a body would be read from the standard input.
        let start = body.baseAddress ?? UnsafeRawPointer(Self.nothing.utf8Start)
        _ = cdoc_curl_set_pointer(easy, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: start))
    }

    private func prepare(
        _ request: HTTPRequest,
        at address: String,
        _ headers: UnsafeMutablePointer<curl_slist>?,
        _ inbox: Inbox
    ) {
        // It is left as it is where nothing fails.
        said[0] = 0
        _ = cdoc_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, said)
        _ = cdoc_curl_set_text(easy, CURLOPT_URL, address)
        _ = cdoc_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        _ = cdoc_curl_set_headers(easy, headers)
        _ = cdoc_curl_set_number(easy, CURLOPT_NOSIGNAL, 1)
        _ = cdoc_curl_set_number(easy, CURLOPT_TCP_NODELAY, 1)
        _ = cdoc_curl_set_number(easy, CURLOPT_CONNECTTIMEOUT, Self.connectSeconds)
        // A name server that says nothing keeps nobody from giving up.
        _ = cdoc_curl_set_number(easy, CURLOPT_QUICK_EXIT, 1)
        // A proxy that the environment names is somewhere else: it would be told the token, and means itself by "localhost".
        if isLocal { _ = cdoc_curl_set_text(easy, CURLOPT_NOPROXY, "*") }
        if case .whole(let seconds) = request.patience {
            _ = cdoc_curl_set_number(easy, CURLOPT_TIMEOUT, seconds)
        }
        if request.method == "HEAD" { _ = cdoc_curl_set_number(easy, CURLOPT_NOBODY, 1) }
        _ = cdoc_curl_set_takers(
            easy,
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let inbox = Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue()
                let taken = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return inbox.take(taken) ? taken.count : 0
            },
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let inbox = Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue()
                inbox.head.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                return size * count
            },
            Unmanaged.passUnretained(inbox).toOpaque()
        )
    }

    /// Who waits for an answer sends nothing, and would not hear that nobody is there any more: the system asks for him.
    private func watchConnections() {
        _ = cdoc_curl_set_number(easy, CURLOPT_TCP_KEEPALIVE, 1)
        _ = cdoc_curl_set_number(easy, CURLOPT_TCP_KEEPIDLE, liveness.idleSeconds)
        _ = cdoc_curl_set_number(easy, CURLOPT_TCP_KEEPINTVL, liveness.probeSeconds)
        _ = cdoc_curl_set_sockets(
            easy,
            { context, socket, _ in
                if let context { Connections.at(context).noteOpened(socket) }
                return CInt(CURL_SOCKOPT_OK)
            },
            { context, socket in context.map { Connections.at($0).close(socket) } ?? close(socket) },
            // They live as long as what may be called for them: both are this transfer's.
            Unmanaged.passUnretained(connections).toOpaque()
        )
    }

    /// - Returns: Nil when it was closed from this side.
    private func perform(_ request: HTTPRequest, _ isClosed: () -> Bool) -> CURLcode? {
        let multi = UnsafeMutableRawPointer(multi)
        var silence = Silence(secondsMax: request.patience.quietSeconds, at: Self.now)
        // Without a body all is sent at once. Who waits for news asks so, and is not to be woken up for this.
        let unheardSeconds = request.body == nil ? nil : liveness.unheardSeconds
        var unheard = Silence(secondsMax: unheardSeconds, at: Self.now)
        curl_multi_add_handle(multi, easy)
        defer { curl_multi_remove_handle(multi, easy) }
        while true {
            if isClosed() { return nil }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            var left: Int32 = 0
            while let message = curl_multi_info_read(multi, &left) {
                if message.pointee.msg == CURLMSG_DONE { return message.pointee.data.result }
            }
            var movedByteCount: curl_off_t = 0
            // What is not known is taken for nothing new.
            _ = cdoc_curl_moved(easy, &movedByteCount)
            let now = Self.now
            silence.note(byteCount: Int64(movedByteCount), at: now)
            unheard.note(byteCount: Int64(movedByteCount), at: now)
            let seconds = silence.secondsLeft(at: now) ?? .infinity
            guard seconds > 0 else { return CURLE_OPERATION_TIMEDOUT }
            if let unheardSeconds, (unheard.secondsLeft(at: now) ?? 0) <= 0 {
                if connections.areUnheard(forSeconds: unheardSeconds) { return CURLE_OPERATION_TIMEDOUT }
                unheard = Silence(secondsMax: Connections.patience(of: unheardSeconds), at: now)
            }
            let wait = min(seconds, unheard.secondsLeft(at: now) ?? .infinity)
            curl_multi_poll(multi, nil, 0, min(Self.pollMilliseconds, Self.milliseconds(wait)), nil)
        }
    }

    private static var now: Double { ProcessInfo.processInfo.systemUptime }

    private static func milliseconds(_ seconds: Double) -> Int32 {
        Int32(clamping: Int64(min(seconds * 1000, 1e9)) + 1)
    }

    private func answer(
        _ inbox: Inbox,
        _ code: CURLcode?,
        at address: String
    ) -> Result<HTTPAnswer, HTTPClientError> {
        guard let code else { return .failure(HTTPClient.closed) }
        guard code == CURLE_OK else {
            // Whom one asks tells people more than what for.
            let place = address.split(separator: "/", maxSplits: 2).prefix(2).joined(separator: "//")
            return .failure(failure(code, at: place, isTooLong: inbox.isTooLarge))
        }
        var status = 0
        _ = cdoc_curl_status(easy, &status)
        return .success(HTTPAnswer(status: status, head: inbox.head, body: inbox.takeBody()))
    }

    private func failure(_ code: CURLcode, at place: String, isTooLong: Bool) -> HTTPClientError {
        if isTooLong {
            return HTTPClientError(kind: .tooLong, why: "No answer from \(place): the answer is too long")
        }
        let details = String(cString: said)
        let what = details.isEmpty ? String(cString: curl_easy_strerror(code)) : details
        guard code == CURLE_PEER_FAILED_VERIFICATION else {
            return HTTPClientError(
                kind: .broken,
                why: "No answer from \(place): \(what)",
                remedy: "Check that the server runs and can be reached."
            )
        }
        return HTTPClientError(
            kind: .untrusted,
            why: "What answers at \(place) does not prove that it is that: \(what)",
            remedy: """
                Renew the server's certificate, check this machine's clock, or add who has signed the certificate to those whom this \
                system trusts; or sign in to this network first, if it asks for that.
                """
        )
    }
}

extension HTTPRequest.Patience {
    fileprivate var quietSeconds: Double? {
        switch self {
        case .whole: nil
        case .quiet(let seconds): Double(seconds)
        }
    }
}

/// What decides about requests; `HTTPServer` asks it as soon as a request's head is there.
package protocol HTTPRequestHandler: AnyObject, Sendable {
    /// Decides how a request is answered.
    ///
    /// - Isolation: a thread of the server. MUST return soon: it holds up the thread's other connections.
    func answer(to request: WebRequest) -> HTTPAnswer

    /// What a client is told whose request was not passed on.
    func answer(to failure: HTTPFailure) -> WebResponse
}

extension HTTPRequestHandler {
    /// A sentence for a person.
    package func answer(to failure: HTTPFailure) -> WebResponse {
        switch failure {
        case .badTarget: .text("This address is not well formed.", status: 400)
        case .tooLarge: .text("This file is too large.", status: 413)
        case .unwantedBody: .text("This request must not have a body.", status: 413)
        case .shuttingDown: .text("The program is shutting down. Start it again and reload.", status: 503)
        }
    }
}

/// Why the server answers by itself.
package enum HTTPFailure: Hashable, Sendable {
    /// The target is none that `RequestTarget` takes.
    case badTarget
    /// The body is longer than who receives it wants it.
    case tooLarge
    /// There is a long body where none is read.
    case unwantedBody
    /// The server ends before there is an answer.
    case shuttingDown
}

/// How a request ends whose body has been received.
package enum HTTPOutcome: Sendable {
    /// At once.
    case respond(WebResponse)
    /// When that is known; no thread waits for it.
    case wait(@Sendable () async -> WebResponse)
}

/// How a request is answered.
package enum HTTPAnswer: Sendable {
    /// At once.
    case respond(WebResponse)
    /// When that is known; no thread waits for it.
    case wait(@Sendable () async -> WebResponse)
    /// By what receives the request's body, when the body is there. `byteCountMax` bounds it.
    case receive(any HTTPBodyReceiver, byteCountMax: UInt64)
    /// By handing over the connection's socket, after a 101 with these headers.
    case upgrade([WebHeader], @Sendable (UpgradedSocket) -> Void)
}

/// Takes the body of one request as it arrives.
///
/// - Isolation: one thread of the server, one call at a time. Either `finish` or `abandon` ends the calls.
package protocol HTTPBodyReceiver: AnyObject, Sendable {
    /// Takes the next bytes.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// The body is whole; what is the answer?
    ///
    /// One that takes longer than a moment is an `HTTPOutcome.wait`.
    func finish() -> HTTPOutcome
    /// The connection broke or the body grew too long.
    func abandon()
}

/// A connection that is no longer HTTP.
package struct UpgradedSocket: Sendable {
    /// The connection's socket, not blocking.
    package var socket: Descriptor
    /// What the other side sent behind its request already.
    package var received: [UInt8]
}

/// What one server gives to all of its connections together.
package struct HTTPLimits: Sendable {
    /// Connections at a time; a browser opens six to a host.
    package var connectionCountMax = 512
    /// Memory for one connection's head and buffers, in bytes.
    ///
    /// A longer head is answered with 431.
    package var headByteCountMax = 32 * 1024
    /// How many connections at a time, those that came first, have `roomyByteCount` instead of `headByteCountMax`.
    ///
    /// Half of a connection's memory takes what is received of a body at a time. It is in use until the connection ends, once
    /// a first request has been answered: the library clears all of it.
    package var roomyConnectionCountMax = 0
    /// Memory for a connection that long bodies come over, in bytes.
    package var roomyByteCount = 128 * 1024
    /// After how many seconds without a byte a connection is closed.
    ///
    /// Waiting for an answer does not count.
    package var idleSeconds = 30
    /// How much of a body that nobody wants is read, in bytes, before the connection is closed over it.
    package var unwantedBodyByteCountMax: UInt64 = 64 * 1024
    /// Threads that serve connections.
    package var threadCount = 2

    package init() {}
}

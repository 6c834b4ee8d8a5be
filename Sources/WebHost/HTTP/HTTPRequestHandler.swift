/// What decides about requests; `HTTPServer` asks it as soon as a request's head is there.
protocol HTTPRequestHandler: AnyObject, Sendable {
    /// Decides how a request is answered.
    ///
    /// - Isolation: a thread of the server. MUST return soon: it holds up the thread's other connections.
    func answer(to request: WebRequest) -> HTTPAnswer
}

/// How a request is answered.
enum HTTPAnswer: Sendable {
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
protocol HTTPBodyReceiver: AnyObject, Sendable {
    /// Takes the next bytes.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// The body is whole; what is the answer?
    func finish() -> WebResponse
    /// The connection broke or the body grew too long.
    func abandon()
}

/// A connection that is no longer HTTP.
struct UpgradedSocket: Sendable {
    /// The connection's socket, not blocking.
    var socket: Descriptor
    /// What the other side sent behind its request already.
    var received: [UInt8]
}

/// What one server gives to all of its connections together.
struct HTTPLimits: Sendable {
    /// Connections at a time; a browser opens six to a host.
    var connectionCountMax = 512
    /// Memory for one connection's head and buffers, in bytes.
    ///
    /// A longer head is answered with 431.
    var headByteCountMax = 32 * 1024
    /// After how many seconds without a byte a connection is closed.
    ///
    /// Waiting for an answer does not count.
    var idleSeconds = 30
    /// How much of a body that nobody wants is read, in bytes, before the connection is closed over it.
    var unwantedBodyByteCountMax: UInt64 = 64 * 1024
    /// Threads that serve connections.
    var threadCount = 2
}

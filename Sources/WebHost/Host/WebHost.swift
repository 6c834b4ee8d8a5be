package import Foundation
internal import HTTPService
internal import Locks

/// HTTP and WebSocket for one app's page, on this machine's loopback.
///
/// Its state is in one struct under one lock.
///
/// The host knows addresses, sessions and tabs; what is in the page and in the messages is its delegate's.
///
///     let host = try WebHost(configuration: configuration, delegate: program)
///     print("Open \(try host.start())")
///     …
///     await host.stop()
///
/// - Isolation: any; it has threads of its own (two for requests, one for all tabs) and one serial queue for
///   news.
package final class WebHost: Sendable {
    private enum Stage {
        case made
        case running(HTTPServer, SocketLoop)
        case stopped
    }

    /// The delegate's news.
    private let queue = DispatchQueue(label: "sheaf.webhost.news")
    private let configuration: WebHostConfiguration
    private let state: HostState
    private let files: PageFiles
    private let token: String
    private let visitors = VisitorTokens()
    private let delegate: WeakDelegate
    private let stage = Locked(Stage.made)
    private let runningPort = Locked<UInt16?>(nil)

    /// Reads the page's files and opens the state directory.
    ///
    /// Nothing listens yet.
    ///
    /// - Throws: `WebHostError` with code `pageUnreadable` or `stateUnusable`, or `serverRefused` where the
    ///   kernel has no random bytes.
    package init(
        configuration: WebHostConfiguration,
        delegate: any WebHostDelegate
    ) throws(WebHostError) {
        self.configuration = configuration
        self.delegate = WeakDelegate(delegate)
        state = try HostState(directory: configuration.stateDirectory)
        files = try PageFiles(directory: configuration.pageDirectory)
        do throws(SystemCallFailure) {
            token = Hexadecimal.text(try SystemCalls.randomBytes(count: 16))
        } catch {
            throw WebHostError(code: .serverRefused, call: error, detail: "The kernel gives no random bytes.")
        }
    }

    /// Listens, and returns the link that lets a browser in.
    ///
    /// The link is a secret: print it, never log it, and give it to no other program.
    ///
    /// - Throws: `WebHostError` with code `portUnavailable`, `serverRefused`, or `alreadyStarted`.
    package func start() throws(WebHostError) -> URL {
        let listener = try listen()
        let port = listener.port
        try stage.withLock { stage throws(WebHostError) in
            guard case .made = stage else {
                throw WebHostError(code: .alreadyStarted, detail: "A host starts once; make another one.")
            }
            let loop = try Self.makeLoop()
            let access = AccessPolicy(
                port: port,
                cookieName: state.cookieName,
                sessionKey: state.sessionKey,
                token: token
            )
            let router = WebHostRouter(
                access: access,
                visitors: visitors,
                proof: state.proof,
                configuration: configuration,
                files: files,
                delegate: delegate,
                loop: loop,
                queue: queue
            )
            let gate = VisitorGate(port: port) { [queue, delegate] user in
                queue.async { delegate.object?.visitorRefused(ofUser: user) }
            }
            let server = try serve(listener, router, gate)
            stage = .running(server, loop)
        }
        state.keep(port: port)
        runningPort.withLock { $0 = port }
        return Self.link(port, token)
    }

    /// A link that lets one browser in, and nobody after it: for another program to open.
    ///
    /// - Returns: Nil while nothing listens.
    /// - Throws: `WebHostError` with code `serverRefused`, where the kernel has no random bytes.
    package func linkForOne() throws(WebHostError) -> URL? {
        guard let port = runningPort.withLock({ $0 }) else { return nil }
        do throws(SystemCallFailure) { return Self.link(port, try visitors.make()) } catch {
            throw WebHostError(code: .serverRefused, call: error, detail: "The kernel gives no random bytes.")
        }
    }

    private static func link(_ port: UInt16, _ token: String) -> URL {
        guard let link = URL(string: "http://127.0.0.1:\(port)/?token=\(token)") else {
            preconditionFailure("a port and hexadecimal digits did not make an address")
        }
        return link
    }

    /// Closes the tabs, lets requests in progress end, and stops listening.
    ///
    /// Requests that take longer than the configuration's `drainSeconds` are answered with 503 or cut off. It
    /// suspends and does not block: what the delegate has to do for them on the main actor can go on
    /// meanwhile. The news of the tabs' end may still arrive after it has returned.
    package func stop() async {
        let running = stage.withLock { stage in
            defer { stage = .stopped }
            return stage
        }
        guard case .running(let server, let loop) = running else { return }
        await loop.stop(graceSeconds: min(configuration.drainSeconds, 2))
        await server.stop(drainSeconds: configuration.drainSeconds)
    }

    /// Whether the kernel tells here whose a connection is. Then links and cookies are of no use to other users of the machine.
    ///
    /// Takes a part of a millisecond.
    package static func knowsVisitors() -> Bool { Visitor.isTold() }

    /// Compares two secrets in a time that depends on their lengths only.
    package static func isEqual(_ left: String, _ right: String) -> Bool {
        AccessPolicy.isEqual(left, right)
    }

    private func serve(
        _ listener: TCPListener,
        _ router: WebHostRouter,
        _ gate: VisitorGate
    ) throws(WebHostError) -> HTTPServer {
        do throws(HTTPServerRefused) {
            return try HTTPServer(
                listener: listener.socket,
                limits: configuration.httpLimits,
                handler: router,
                admits: { gate.admits($0) }
            )
        } catch {
            throw WebHostError(code: .serverRefused, detail: "\(error)")
        }
    }

    private func listen() throws(WebHostError) -> TCPListener {
        let wanted = configuration.port != 0 ? configuration.port : state.lastPort ?? 0
        do throws(SystemCallFailure) {
            do throws(SystemCallFailure) {
                return try TCPListener(on: .loopback(port: wanted))
            } catch  where wanted != 0 && [EADDRINUSE, EACCES].contains(error.errno) {
                return try TCPListener(on: .loopback(port: 0))
            }
        } catch {
            throw WebHostError(
                code: .portUnavailable,
                call: error,
                detail:
                    "No port of 127.0.0.1 can be listened on; check the loopback interface and open files."
            )
        }
    }

    private static func makeLoop() throws(WebHostError) -> SocketLoop {
        do throws(SystemCallFailure) {
            return try SocketLoop()
        } catch {
            throw WebHostError(
                code: .serverRefused,
                call: error,
                detail: "The kernel refused what tabs need; check the limit on open files (ulimit -n)."
            )
        }
    }
}

/// The delegate, kept by whoever made it.
final class WeakDelegate: Sendable {
    private struct Reference {
        weak var object: (any WebHostDelegate)?
    }
    private let reference: Locked<Reference>

    init(_ object: any WebHostDelegate) {
        reference = Locked(Reference(object: object))
    }

    /// The delegate, while it is there.
    var object: (any WebHostDelegate)? { reference.withLock { $0.object } }
}

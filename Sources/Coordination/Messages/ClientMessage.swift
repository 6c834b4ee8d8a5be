/// What a client sends to the agent.
package enum ClientMessage: Hashable, Sendable {
    /// Always the first.
    case hello(ClientHello)
    /// How long the agent waits for an answer of a presenter of this client that this client's accesses ask.
    case timeLimit(milliseconds: UInt64)
    case event(ArbiterEvent)
    /// All that the client holds has been said; what it waits for follows.
    case caughtUp
    /// Who uses what, and who waits for whom?
    case reportWanted
    /// To be answered with `quiet` and the number, once no other client writes any of these items.
    case quietWanted(UInt64, [ItemPath])
}

extension ClosedRange<UInt64> {
    /// Versions as a person reads them: "versions 1 to 2", or "version 3".
    package var text: String {
        lowerBound == upperBound ? "version \(lowerBound)" : "versions \(lowerBound) to \(upperBound)"
    }
}

/// Who a client is.
package struct ClientHello: Hashable, Sendable {
    /// The versions of the format that this code speaks.
    ///
    /// 2: presenters are said to have been registered where and when.
    package static let versions: ClosedRange<UInt64> = 1...2

    /// The latest that the client speaks.
    package var version: UInt64
    /// The same for as long as the process lives, whichever agent it speaks to; never 0.
    package var client: ClientID
    package var processID: UInt64
    package var processName: String

    package init(
        version: UInt64 = Self.versions.upperBound,
        client: ClientID,
        processID: UInt64,
        processName: String
    ) {
        self.version = version
        self.client = client
        self.processID = processID
        self.processName = processName
    }
}

extension ClientMessage {
    private enum Kind {
        static let hello: UInt8 = 1
        static let timeLimit: UInt8 = 2
        static let caughtUp: UInt8 = 3
        static let reportWanted: UInt8 = 4
        static let quietWanted: UInt8 = 5
        /// Events have the numbers from here on.
        static let event: UInt8 = 16
    }

    /// Writes the message as one frame.
    ///
    /// - Returns: Whether it was written; not when it is too long.
    @discardableResult
    package func write(to writer: inout WireWriter) -> Bool {
        switch self {
        case .hello(let hello):
            writer.frame(Kind.hello) { writer in
                writer.number(hello.version)
                writer.number(hello.client.rawValue)
                writer.number(hello.processID)
                writer.text(hello.processName)
            }
        case .timeLimit(let milliseconds): writer.frame(Kind.timeLimit) { $0.number(milliseconds) }
        case .caughtUp: writer.frame(Kind.caughtUp) { _ in }
        case .reportWanted: writer.frame(Kind.reportWanted) { _ in }
        case .quietWanted(let number, let items):
            writer.frame(Kind.quietWanted) { writer in
                writer.number(number)
                writer.list(items) { $0.path($1) }
            }
        case .event(let event): writer.frame(Kind.event + event.kind) { event.write(to: &$0) }
        }
    }

    /// Reads a frame.
    ///
    /// - Parameters:
    ///   - frame: Without its head.
    ///   - own: The client that sent it.
    ///   - version: That both sides speak.
    package init(
        frame: [UInt8],
        own: ClientID = ClientID(0),
        version: UInt64 = ClientHello.versions.upperBound
    ) throws(WireError) {
        var reader = WireReader(frame, own: own, version: version)
        self = try reader.whole { reader throws(WireError) in try Self.read(from: &reader) }
    }

    private static func read(from reader: inout WireReader) throws(WireError) -> ClientMessage {
        switch try reader.byte() {
        case Kind.hello:
            let hello = ClientHello(
                version: try reader.number(),
                client: ClientID(try reader.number()),
                processID: try reader.number(),
                processName: try reader.text()
            )
            return .hello(hello)
        case Kind.timeLimit: return .timeLimit(milliseconds: try reader.number())
        case Kind.caughtUp: return .caughtUp
        case Kind.reportWanted: return .reportWanted
        case Kind.quietWanted:
            let number = try reader.number()
            return .quietWanted(number, try reader.list { reader throws(WireError) in try reader.path() })
        case let kind where kind >= Kind.event:
            return .event(try ArbiterEvent(kind: kind - Kind.event, from: &reader))
        default: throw .unknownValue
        }
    }
}

extension AgentMessage {
    private enum Kind {
        static let welcome: UInt8 = 1
        static let goodbye: UInt8 = 2
        static let asked: UInt8 = 3
        static let told: UInt8 = 4
        static let granted: UInt8 = 5
        static let failed: UInt8 = 6
        static let reacquire: UInt8 = 7
        static let attributesChanged: UInt8 = 8
        static let claimLost: UInt8 = 9
        static let report: UInt8 = 10
        static let quiet: UInt8 = 11
        static let awaited: UInt8 = 12
    }

    /// Writes the message as one frame.
    ///
    /// - Returns: Whether it was written; not when it is too long.
    @discardableResult
    package func write(to writer: inout WireWriter) -> Bool {
        switch self {
        case .welcome(let version): writer.frame(Kind.welcome) { $0.number(version) }
        case .goodbye(let goodbye, let reason):
            writer.frame(Kind.goodbye) { writer in
                writer.byte(goodbye.rawValue)
                writer.text(reason)
            }
        case .asked(let message, let presenter, let access, let ticket):
            writer.frame(Kind.asked) { writer in
                writer.message(message)
                writer.presenter(presenter)
                writer.access(access)
                writer.number(ticket.number)
            }
        case .told(let presenter, let notice):
            writer.frame(Kind.told) { writer in
                writer.presenter(presenter)
                writer.notice(notice)
            }
        case .granted(let access, let items, let isObserved):
            writer.frame(Kind.granted) { writer in
                writer.access(access)
                writer.list(items) { $0.path($1) }
                writer.flag(isObserved)
            }
        case .failed(let access, let failure):
            writer.frame(Kind.failed) { writer in
                writer.access(access)
                writer.failure(failure)
            }
        case .reacquire(let ticket): writer.frame(Kind.reacquire) { $0.number(ticket.number) }
        case .attributesChanged(let presenter, let names):
            writer.frame(Kind.attributesChanged) { writer in
                writer.presenter(presenter)
                writer.list(names) { $0.text($1) }
            }
        case .claimLost(let access): writer.frame(Kind.claimLost) { $0.access(access) }
        case .quiet(let number): writer.frame(Kind.quiet) { $0.number(number) }
        case .awaited(let access): writer.frame(Kind.awaited) { $0.access(access) }
        case .report(let part, let isLast):
            writer.frame(Kind.report) { writer in
                writer.blob(part)
                writer.flag(isLast)
            }
        }
    }

    /// Reads a frame.
    ///
    /// - Parameters:
    ///   - frame: Without its head.
    ///   - version: That both sides speak.
    package init(
        frame: [UInt8],
        own: ClientID = ClientID(0),
        version: UInt64 = ClientHello.versions.upperBound
    ) throws(WireError) {
        var reader = WireReader(frame, own: own, version: version)
        self = try reader.whole { reader throws(WireError) in try Self.read(from: &reader) }
    }

    private static func read(from reader: inout WireReader) throws(WireError) -> AgentMessage {
        switch try reader.byte() {
        case Kind.welcome: return .welcome(version: try reader.number())
        case Kind.goodbye:
            guard let goodbye = Goodbye(rawValue: try reader.byte()) else { throw .unknownValue }
            return .goodbye(goodbye, reason: try reader.text())
        case Kind.asked:
            return .asked(
                try reader.message(),
                try reader.presenter(),
                for: try reader.access(),
                Ticket(number: try reader.number())
            )
        case Kind.told: return .told(try reader.presenter(), try reader.notice())
        case Kind.granted:
            let access = try reader.access()
            let items = try reader.list { reader throws(WireError) in try reader.path() }
            return .granted(access, items, isObserved: try reader.flag())
        case Kind.failed: return .failed(try reader.access(), try reader.failure())
        case Kind.reacquire: return .reacquire(Ticket(number: try reader.number()))
        case Kind.attributesChanged:
            let presenter = try reader.presenter()
            return .attributesChanged(
                presenter,
                try reader.list { reader throws(WireError) in try reader.text() }
            )
        case Kind.claimLost: return .claimLost(try reader.access())
        case Kind.quiet: return .quiet(try reader.number())
        case Kind.awaited: return .awaited(try reader.access())
        case Kind.report: return .report(try reader.blob(), isLast: try reader.flag())
        default: throw .unknownValue
        }
    }
}

extension WireWriter {
    fileprivate mutating func failure(_ failure: AgentFailure) {
        switch failure {
        case .cancelled: byte(0)
        case .presenterFailed(let facts):
            byte(1)
            error(facts)
        case .presenterTimedOut(let party, let message):
            byte(2)
            presenter(party.id)
            text(party.typeName)
            number(party.processID)
            text(party.processName)
            if version >= 2 { optional(party.place) { $0.text($1) } }
            self.message(message)
        case .deadlock(let cycle):
            byte(3)
            blob(cycle)
        }
    }
}

extension WireReader {
    fileprivate mutating func failure() throws(WireError) -> AgentFailure {
        switch try byte() {
        case 0: return .cancelled
        case 1: return .presenterFailed(try error())
        case 2:
            let party = PresenterParty(
                id: try presenter(),
                typeName: try text(),
                processID: try number(),
                processName: try text(),
                place: version < 2 ? nil : try optional { reader throws(WireError) in try reader.text() }
            )
            return .presenterTimedOut(party, try message())
        case 3: return .deadlock(try blob())
        default: throw .unknownValue
        }
    }
}

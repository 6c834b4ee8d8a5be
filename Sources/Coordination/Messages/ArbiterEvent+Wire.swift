extension ArbiterEvent {
    /// The number that stands for the event's kind.
    var kind: UInt8 {
        switch self {
        case .requested: 0
        case .held: 1
        case .ended: 2
        case .cancelled: 3
        case .presenterAdded: 4
        case .presenterMoved: 5
        case .presenterRemoved: 6
        case .replied: 7
        case .itemMoved: 8
        case .attributesChanged: 9
        case .steppedAside: 10
        }
    }

    /// Writes all but the kind.
    func write(to writer: inout WireWriter) {
        switch self {
        case .requested(let request), .held(let request): writer.request(request)
        case .ended(let access, let outcomes):
            writer.access(access)
            writer.list(outcomes) { $0.byte(($1.existedBefore ? 1 : 0) | ($1.existsAfter ? 2 : 0)) }
        case .cancelled(let access): writer.access(access)
        case .presenterAdded(let presenter, let path, let typeName, let registration):
            writer.presenter(presenter)
            writer.optional(path) { $0.path($1) }
            writer.text(typeName)
            if writer.version >= 2 { writer.optional(registration) { $0.registration($1) } }
        case .presenterMoved(let presenter, let path):
            writer.presenter(presenter)
            writer.optional(path) { $0.path($1) }
        case .presenterRemoved(let presenter): writer.presenter(presenter)
        case .replied(let ticket, let reply, let facts):
            writer.number(ticket.number)
            writer.reply(reply)
            writer.optional(facts) { $0.error($1) }
        case .itemMoved(let move): writer.move(move)
        case .attributesChanged(let path, let names, let presenter):
            writer.path(path)
            writer.list(names) { $0.text($1) }
            writer.optional(presenter) { $0.presenter($1) }
        case .steppedAside(let presenter, let access, let ticket):
            writer.presenter(presenter)
            writer.access(access)
            writer.number(ticket.number)
        }
    }

    /// Reads all but the kind.
    init(kind: UInt8, from reader: inout WireReader) throws(WireError) {
        switch kind {
        case 0: self = .requested(try reader.request())
        case 1: self = .held(try reader.request())
        case 2:
            let access = try reader.access()
            self = .ended(access, try reader.list { reader throws(WireError) in try reader.outcome() })
        case 3: self = .cancelled(try reader.access())
        case 4:
            self = .presenterAdded(
                try reader.presenter(),
                at: try reader.optionalPath(),
                typeName: try reader.text(),
                reader.version < 2
                    ? nil : try reader.optional { reader throws(WireError) in try reader.registration() }
            )
        case 5: self = .presenterMoved(try reader.presenter(), to: try reader.optionalPath())
        case 6: self = .presenterRemoved(try reader.presenter())
        case 7:
            let ticket = Ticket(number: try reader.number())
            let reply = try reader.reply()
            self = .replied(
                ticket,
                reply,
                try reader.optional { reader throws(WireError) in try reader.error() }
            )
        case 8: self = .itemMoved(try reader.move())
        case 9:
            let path = try reader.path()
            let names = try reader.list { reader throws(WireError) in try reader.text() }
            self = .attributesChanged(path, names, except: try reader.optionalPresenter())
        case 10:
            self = .steppedAside(
                try reader.presenter(),
                for: try reader.access(),
                Ticket(number: try reader.number())
            )
        default: throw .unknownValue
        }
    }
}

extension WireWriter {
    fileprivate mutating func move(_ move: ItemMove) {
        path(move.source)
        path(move.target)
        list(move.packages) { $0.path($1) }
        purpose(move.purpose)
        optional(move.presenter) { $0.presenter($1) }
    }

    fileprivate mutating func registration(_ registration: PresenterRegistration) {
        optional(registration.place) { $0.text($1) }
        number(registration.milliseconds)
    }

    fileprivate mutating func reply(_ reply: PresenterReply) {
        switch reply {
        case .relinquished(let hasReacquirer): byte(hasReacquirer ? 1 : 0)
        case .done: byte(2)
        case .failed: byte(3)
        }
    }
}

extension WireReader {
    fileprivate mutating func move() throws(WireError) -> ItemMove {
        ItemMove(
            from: try path(),
            to: try path(),
            inside: try list { reader throws(WireError) in try reader.path() },
            purpose: try purpose(),
            presenter: try optionalPresenter()
        )
    }

    fileprivate mutating func registration() throws(WireError) -> PresenterRegistration {
        PresenterRegistration(
            place: try optional { reader throws(WireError) in try reader.text() },
            milliseconds: try number()
        )
    }

    fileprivate mutating func reply() throws(WireError) -> PresenterReply {
        switch try byte() {
        case 0: .relinquished(hasReacquirer: false)
        case 1: .relinquished(hasReacquirer: true)
        case 2: .done
        case 3: .failed
        default: throw .unknownValue
        }
    }

    fileprivate mutating func outcome() throws(WireError) -> WriteOutcome {
        let bits = try byte()
        guard bits < 4 else { throw .unknownValue }
        return WriteOutcome(existedBefore: bits & 1 != 0, existsAfter: bits & 2 != 0)
    }

    fileprivate mutating func optionalPath() throws(WireError) -> ItemPath? {
        try optional { reader throws(WireError) in try reader.path() }
    }
}

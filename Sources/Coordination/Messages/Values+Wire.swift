// How the arbiter's values are written; `Docs/formats/agent.md` says the same in words.

extension WireWriter {
    mutating func client(_ client: ClientID) {
        number(client == own ? 0 : client.rawValue)
    }

    mutating func access(_ access: AccessID) {
        client(access.client)
        number(access.number)
    }

    mutating func presenter(_ presenter: PresenterID) {
        client(presenter.client)
        number(presenter.number)
    }

    mutating func path(_ path: ItemPath) {
        text(path.string)
    }

    mutating func error(_ facts: ErrorFacts) {
        text(facts.domain)
        signed(facts.code)
        text(facts.text)
    }

    mutating func purpose(_ purpose: Purpose) {
        switch purpose {
        case .coordinator(let client, let number):
            byte(0)
            self.client(client)
            self.number(number)
        case .presenter(let id):
            byte(1)
            presenter(id)
        case .named(let name):
            byte(2)
            text(name)
        }
    }

    mutating func request(_ request: AccessRequest) {
        access(request.id)
        purpose(request.purpose)
        optional(request.presenter) { $0.presenter($1) }
        list(request.claims) { $0.claim($1) }
        flag(request.isPreparation)
        optional(request.nestedIn) { $0.access($1) }
        optional(request.answering) { $0.number($1.number) }
    }

    private mutating func claim(_ claim: AccessClaim) {
        path(claim.item)
        list(claim.packages) { $0.path($1) }
        byte(claim.use.wireNumber)
    }

    mutating func message(_ message: PresenterMessage) {
        switch message {
        case .relinquishToReader: byte(0)
        case .relinquishToWriter: byte(1)
        case .saveChanges: byte(2)
        case .accommodateItemDeletion: byte(3)
        case .accommodateSubitemDeletion(let item):
            byte(4)
            path(item)
        case .accommodateItemEviction: byte(5)
        }
    }

    mutating func notice(_ notice: PresenterNotice) {
        switch notice {
        case .itemDidChange: byte(0)
        case .itemDidMove(let target):
            byte(1)
            path(target)
        case .subitemDidAppear(let item):
            byte(2)
            path(item)
        case .subitemDidChange(let item):
            byte(3)
            path(item)
        case .subitemDidMove(let source, let target):
            byte(4)
            path(source)
            path(target)
        }
    }
}

extension WireReader {
    mutating func client() throws(WireError) -> ClientID {
        let number = try number()
        return number == 0 ? own : ClientID(number)
    }

    mutating func access() throws(WireError) -> AccessID {
        AccessID(client: try client(), number: try number())
    }

    mutating func presenter() throws(WireError) -> PresenterID {
        PresenterID(client: try client(), number: try number())
    }

    mutating func optionalPresenter() throws(WireError) -> PresenterID? {
        try optional { reader throws(WireError) in try reader.presenter() }
    }

    mutating func path() throws(WireError) -> ItemPath {
        guard let path = ItemPath(try text()) else { throw .notAPath }
        return path
    }

    mutating func error() throws(WireError) -> ErrorFacts {
        ErrorFacts(domain: try text(), code: try signed(), text: try text())
    }

    mutating func purpose() throws(WireError) -> Purpose {
        switch try byte() {
        case 0: .coordinator(try client(), try number())
        case 1: .presenter(try presenter())
        case 2: .named(try text())
        default: throw .unknownValue
        }
    }

    mutating func request() throws(WireError) -> AccessRequest {
        AccessRequest(
            id: try access(),
            purpose: try purpose(),
            presenter: try optionalPresenter(),
            claims: try list { reader throws(WireError) in try reader.claim() },
            isPreparation: try flag(),
            nestedIn: try optional { reader throws(WireError) in try reader.access() },
            answering: try optional { reader throws(WireError) in Ticket(number: try reader.number()) }
        )
    }

    private mutating func claim() throws(WireError) -> AccessClaim {
        let item = try path()
        let packages = try list { reader throws(WireError) in try reader.path() }
        guard let use = AccessClaim.Use(wireNumber: try byte()) else { throw .unknownValue }
        return AccessClaim(item, inside: packages, use: use)
    }

    mutating func message() throws(WireError) -> PresenterMessage {
        switch try byte() {
        case 0: .relinquishToReader
        case 1: .relinquishToWriter
        case 2: .saveChanges
        case 3: .accommodateItemDeletion
        case 4: .accommodateSubitemDeletion(try path())
        case 5: .accommodateItemEviction
        default: throw .unknownValue
        }
    }

    mutating func notice() throws(WireError) -> PresenterNotice {
        switch try byte() {
        case 0: .itemDidChange
        case 1: .itemDidMove(to: try path())
        case 2: .subitemDidAppear(try path())
        case 3: .subitemDidChange(try path())
        case 4: .subitemDidMove(from: try path(), to: try path())
        default: throw .unknownValue
        }
    }
}

extension AccessClaim.Use {
    private static let byNumber: [AccessClaim.Use] = [
        .reading(savesFirst: false), .reading(savesFirst: true), .writing(.updating), .writing(.merging),
        .writing(.moving), .writing(.deleting), .writing(.replacing), .writing(.evicting),
    ]

    fileprivate init?(wireNumber: UInt8) {
        guard Int(wireNumber) < Self.byNumber.count else { return nil }
        self = Self.byNumber[Int(wireNumber)]
    }

    fileprivate var wireNumber: UInt8 {
        switch self {
        case .reading(let savesFirst): savesFirst ? 1 : 0
        case .writing(.updating): 2
        case .writing(.merging): 3
        case .writing(.moving): 4
        case .writing(.deleting): 5
        case .writing(.replacing): 6
        case .writing(.evicting): 7
        }
    }
}

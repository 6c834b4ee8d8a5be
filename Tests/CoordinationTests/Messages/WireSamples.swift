import Coordination

/// One message of every shape, for the tests of the format.
enum WireSamples {
    static let own = ClientID(0x1122_3344)
    static let other = ClientID(0x5566)
    static let note = path("/d/Note.txt")
    static let package = path("/d/A.scrap")

    static func path(_ text: String) -> ItemPath {
        guard let path = ItemPath(text) else { preconditionFailure("\(text) is no path") }
        return path
    }

    static let presenter = PresenterID(client: own, number: 300)
    static let registration = PresenterRegistration(place: "App/Note.swift:12", milliseconds: 4_000)
    static let access = AccessID(client: own, number: 7)

    static let requests: [AccessRequest] = [
        AccessRequest(
            id: access,
            purpose: .coordinator(own, 5),
            claims: [AccessClaim(note, use: .reading(savesFirst: true))]
        ),
        AccessRequest(
            id: AccessID(client: own, number: 1 << 40),
            purpose: .presenter(presenter),
            presenter: presenter,
            claims: [
                AccessClaim(path("/d/A.scrap/x"), inside: [package], use: .writing(.moving)),
                AccessClaim(path("/d/B"), use: .writing(.replacing)),
                AccessClaim(path("/"), use: .reading(savesFirst: false)),
            ]
        ),
        AccessRequest(
            id: access,
            purpose: .named("überall"),
            claims: [
                AccessClaim(note, use: .writing(.deleting)), AccessClaim(note, use: .writing(.merging)),
            ],
            isPreparation: true,
            nestedIn: AccessID(client: own, number: 6),
            answering: Ticket(number: 12)
        ),
        AccessRequest(
            id: access,
            purpose: .coordinator(other, 9),
            claims: [
                AccessClaim(note, use: .writing(.updating)), AccessClaim(note, use: .writing(.evicting)),
            ]
        ),
    ]

    static let clientMessages: [ClientMessage] =
        [
            .hello(ClientHello(client: own, processID: 4711, processName: "Scrapbook")),
            .timeLimit(milliseconds: 5000), .caughtUp, .reportWanted,
            .quietWanted(0, []), .quietWanted(300, [note, package]),
        ] + events.map { .event($0) }

    static let events: [ArbiterEvent] =
        requests.map { .requested($0) } + requests.map { .held($0) }
        + [
            .ended(access, [.changed, WriteOutcome(existedBefore: false, existsAfter: true)]),
            .cancelled(access),
            .presenterAdded(presenter, at: note, typeName: "Note"),
            .presenterAdded(presenter, at: nil, typeName: ""),
            .presenterAdded(presenter, at: note, typeName: "N", registration),
            .presenterAdded(
                presenter,
                at: note,
                typeName: "N",
                PresenterRegistration(place: nil, milliseconds: .max)
            ),
            .presenterMoved(presenter, to: package), .presenterRemoved(presenter),
            .replied(Ticket(number: 9), .relinquished(hasReacquirer: true), nil),
            .replied(Ticket(number: 9), .relinquished(hasReacquirer: false), nil),
            .replied(Ticket(number: .max), .done, nil),
            .replied(Ticket(number: 10), .failed, ErrorFacts(domain: "D", code: -3, text: "voll")),
            .itemMoved(
                ItemMove(
                    from: note,
                    to: package,
                    inside: [package],
                    purpose: .named("p"),
                    presenter: presenter
                )
            ),
            .attributesChanged(note, ["a", "b"], except: nil),
            .steppedAside(presenter, for: AccessID(client: other, number: 2), Ticket(number: 3)),
        ]

    static let agentMessages: [AgentMessage] = [
        .welcome(version: 1), .goodbye(.agentEnds, reason: ""), .goodbye(.protocolBroken, reason: "why"),
        .asked(.relinquishToReader, presenter, for: AccessID(client: other, number: 8), Ticket(number: 1)),
        .asked(.relinquishToWriter, presenter, for: access, Ticket(number: 2)),
        .asked(.saveChanges, presenter, for: access, Ticket(number: 3)),
        .asked(.accommodateItemDeletion, presenter, for: access, Ticket(number: 4)),
        .asked(.accommodateSubitemDeletion(note), presenter, for: access, Ticket(number: 5)),
        .told(presenter, .itemDidChange), .told(presenter, .itemDidMove(to: note)),
        .told(presenter, .subitemDidAppear(note)), .told(presenter, .subitemDidChange(note)),
        .told(presenter, .subitemDidMove(from: note, to: package)),
        .granted(access, [], isObserved: false), .granted(access, [note, package], isObserved: true),
        .failed(access, .cancelled),
        .failed(access, .presenterFailed(ErrorFacts(domain: "D", code: .min, text: "voll"))),
        .failed(
            access,
            .presenterTimedOut(
                PresenterParty(
                    id: PresenterID(client: other, number: 1),
                    typeName: "Note",
                    processID: 1,
                    processName: "x"
                ),
                .saveChanges
            )
        ),
        .failed(
            access,
            .presenterTimedOut(
                PresenterParty(
                    id: PresenterID(client: other, number: 1),
                    typeName: "Note",
                    processID: 1,
                    processName: "x",
                    place: "App/Note.swift:12"
                ),
                .saveChanges
            )
        ),
        .reacquire(Ticket(number: 77)), .attributesChanged(presenter, ["a"]), .claimLost(access), .quiet(0),
        .quiet(300), .awaited(access),
        .report([1, 2, 3], isLast: true), .failed(access, .deadlock([0x7B, 0x7D])),
    ]

    /// What the page on the format shows.
    static let clientExamples: [(frame: String, message: ClientMessage)] = [
        (
            "0102c4e6888901e724095363726170626f6f6b",
            .hello(ClientHello(client: own, processID: 4711, processName: "Scrapbook"))
        ),
        (
            "028827",
            .timeLimit(milliseconds: 5000)
        ),
        (
            "03",
            .caughtUp
        ),
        (
            "10000700000500010b2f642f4e6f74652e7478740001000000",
            .event(.requested(requests[0]))
        ),
        (
            "1400ac02010b2f642f4e6f74652e747874044e6f7465010111" + "4170702f4e6f74652e73776966743a3132a01f",
            .event(.presenterAdded(presenter, at: note, typeName: "Note", registration))
        ),
        (
            "130007",
            .event(.cancelled(access))
        ),
        (
            "050700",
            .quietWanted(7, [])
        ),
    ]
    static let agentExamples: [(frame: String, message: AgentMessage)] = [
        ("0400ac0200", .told(presenter, .itemDidChange)),
        ("0500070000", .granted(access, [], isObserved: false)),
        ("074d", .reacquire(Ticket(number: 77))),
        ("0b07", .quiet(7)),
        ("0c0007", .awaited(access)),
    ]

    static func frame(_ message: ClientMessage) -> [UInt8] {
        var writer = WireWriter(own: own)
        message.write(to: &writer)
        return Array(writer.bytes.dropFirst(WireFrame.headByteCount))
    }

    static func frame(_ message: AgentMessage) -> [UInt8] {
        var writer = WireWriter(own: own)
        message.write(to: &writer)
        return Array(writer.bytes.dropFirst(WireFrame.headByteCount))
    }
}

import Coordination

/// Clients with coordinators and presenters that do anything they may, in any order, and a judge that knows the
/// rules only by their outcome.
package struct World {
    /// An access, as the judge knows it.
    struct Member {
        let id: AccessID
        let arrival: Int
        let purpose: Purpose
        let presenter: PresenterID?
        var wishes: [Rules.Wish]
        let isPreparation: Bool
        var isRunning = false
        /// Where its items have gone while it ran, with how it uses them.
        var later: [Rules.Wish] = []
        /// Which of its items these are, by their place among the wishes.
        var followed: Set<Int> = []
        /// The access whose thread waits for it.
        let outer: AccessID?
        /// The message whose handling thread waits for it.
        let answering: Ticket?
        /// The message that is answered when this access has ended.
        let answers: Ticket?
        /// Whether it may come before earlier ones.
        var mayPass: Bool
        /// Whether no other access of its purpose has been about in its time.
        var isAlone: Bool
        var hasMoved = false
        var asked: [PresenterID: [PresenterMessage]] = [:]
        /// What is to be told when it ends, and does not tell of a change a second time.
        var moveNotices: [Notice] = []
    }

    /// A message not answered yet.
    struct Message {
        let ticket: Ticket
        let access: AccessID
        let presenter: PresenterID
        let message: PresenterMessage
        var isBeingAnswered = false
    }

    struct Notice: Hashable {
        let presenter: PresenterID
        let notice: PresenterNotice
    }

    struct Presenter {
        let id: PresenterID
        var place: Place?
        /// When it began to present the place.
        var since: Int
    }

    /// What the judge found; nil while all is well.
    package internal(set) var complaint: String?
    /// How many events the arbiter was given.
    package internal(set) var eventCount = 0
    package internal(set) var grantCount = 0
    package internal(set) var cycleCount = 0
    /// What happened, if it is written down.
    package let story: Story

    var arbiter = AccessArbiter()
    var atlas = Atlas()
    var members: [Member] = []
    var messages: [Message] = []
    var presenters: [Presenter] = []
    /// Reacquirers to be run, by whose access they are.
    var reacquirersDue: [Ticket: AccessID] = [:]
    var abandoned: [Ticket] = []
    private var accessCount: UInt64 = 0
    private var moveCount = 0

    static let clientCount = 3
    private static let membersMax = 8
    private static let presentersPerClient = 2
    /// So that no place gets too deep or too many.
    private static let movesMax = 5

    package init(_ story: Story = Story(isWritten: false)) {
        self.story = story
    }

    /// Lets a program happen, and then everyone finish what is open.
    package mutating func run(_ program: [Step]) {
        for step in program where complaint == nil { perform(step) }
        drain(seed: UInt64(program.count))
    }

    mutating func complain(_ text: String) {
        if complaint == nil { complaint = "event \(eventCount): \(text)" }
    }

    func member(_ id: AccessID) -> Int? { members.firstIndex { $0.id == id } }

    /// Whether an access runs and nothing is asked for inside it.
    func canEnd(_ member: Member) -> Bool {
        member.isRunning && !members.contains { $0.outer == member.id }
    }

    // MARK: What happens

    private mutating func perform(_ step: Step) {
        var choices = Choices(step.choices)
        switch step.kind {
        case .request: if members.count < Self.membersMax { requestSomething(&choices) }
        case .nest: nest(&choices, waits: true)
        case .sibling: nest(&choices, waits: false)
        case .present: present(&choices)
        case .removePresenter: if let one = choices.pick(presenters) { remove(one.id) }
        case .cancel: cancel(&choices)
        case .expire: if let message = choices.pick(messages) { expire(message) }
        case .move: move(&choices)
        case .answerLate: answerLate()
        case .crash: if choices.oneIn(3) { crash(ClientID(UInt64(choices.below(Self.clientCount)))) }
        case .answer: answerSomething(&choices)
        case .answerWriting: answerWriting(&choices)
        case .end: if let one = choices.pick(members.filter(canEnd)) { end(one.id, &choices) }
        }
    }

    private mutating func requestSomething(_ choices: inout Choices) {
        let client = ClientID(UInt64(choices.below(Self.clientCount)))
        let owner = choices.oneIn(3) ? choices.pick(presenters.filter { $0.id.client == client })?.id : nil
        let purpose: Purpose =
            if let owner { .presenter(owner) } else if choices.oneIn(4) {
                .named("\(choices.below(3))")
            } else { .coordinator(client, accessCount) }
        submit(purpose, owner, wishes(&choices), isPreparation: choices.oneIn(10), client: client)
    }

    private func wishes(_ choices: inout Choices) -> [Rules.Wish] {
        (0..<(choices.oneIn(4) ? 2 : 1)).map { _ in
            let place = Atlas.start[choices.below(Atlas.start.count - (choices.oneIn(8) ? 0 : 1))]
            return Rules.Wish(place: place, use: Self.uses[choices.below(Self.uses.count)])
        }
    }

    private static let uses: [AccessClaim.Use] = [
        .reading(savesFirst: true), .reading(savesFirst: true), .reading(savesFirst: false),
        .writing(.updating), .writing(.updating), .writing(.merging), .writing(.moving),
        .writing(.deleting), .writing(.replacing),
    ]

    /// A running access asks for more: its thread waits for that, or another thread does.
    private mutating func nest(_ choices: inout Choices, waits: Bool) {
        guard let outer = choices.pick(members.filter(canEnd)), members.count < Self.membersMax + 4 else {
            return
        }
        let isSame = !waits || choices.oneIn(2)
        let purpose = isSame ? outer.purpose : .coordinator(outer.id.client, accessCount)
        var wishes = wishes(&choices)
        if isSame, choices.oneIn(2), outer.later.isEmpty { wishes = [outer.wishes[0]] }
        submit(
            purpose,
            isSame ? outer.presenter : nil,
            wishes,
            isPreparation: choices.oneIn(10),
            client: outer.id.client,
            outer: waits ? outer.id : nil
        )
    }

    private mutating func present(_ choices: inout Choices) {
        let client = ClientID(UInt64(choices.below(Self.clientCount)))
        let number = UInt64(choices.below(Self.presentersPerClient)) + 1
        let id = PresenterID(client: client, number: client.rawValue * 100 + number)
        let place = choices.oneIn(8) ? nil : Atlas.start[choices.below(Atlas.start.count)]
        story.write("presenter \(id.number) presents \(text(place))")
        if let index = presenters.firstIndex(where: { $0.id == id }) {
            presenters[index].place = place
            presenters[index].since = eventCount
        } else {
            presenters.append(Presenter(id: id, place: place, since: eventCount))
        }
        arbiter.presenterMoved(id, to: place.map { atlas.path($0) })
    }

    private mutating func remove(_ id: PresenterID) {
        story.write("presenter \(id.number) leaves")
        presenters.removeAll { $0.id == id }
        for message in messages where message.presenter == id { abandon(message) }
        for index in members.indices { members[index].moveNotices.removeAll { $0.presenter == id } }
        judge(arbiter.presenterRemoved(id))
    }

    private mutating func cancel(_ choices: inout Choices) {
        guard let one = choices.pick(members.filter { !$0.isRunning }) else { return }
        story.write("\(one.id.number) is cancelled")
        judge(arbiter.cancelled(one.id), ending: one)
        if member(one.id) != nil { complain("cancelling \(one.id.number) changed nothing") }
    }

    mutating func expire(_ message: Message) {
        story.write("\(message.presenter.number) has had its time for \(message.ticket.number)")
        judge(arbiter.timeLimitPassed(message.ticket))
        if member(message.access) != nil { complain("a time limit changed nothing") }
    }

    /// A writer that runs moves its item to where nothing is, or says so of one that did not move.
    private mutating func move(_ choices: inout Choices) {
        let movers = members.filter { one in
            one.isRunning && !one.hasMoved && !one.isPreparation && !Rules.reads(one.wishes[0].use)
                && !members.contains { $0.id != one.id && $0.purpose == one.purpose }
        }
        guard moveCount < Self.movesMax, let mover = choices.pick(movers), mover.wishes[0].place.count > 0
        else { return }
        moveCount += 1
        let source = mover.wishes[0].place
        let folder = choices.pick([Place(names: []), Place(names: [8]), Place(names: [2, 3])]) ?? source
        guard folder != source, !folder.isInside(source) else { return }
        let target = Place(names: folder.names + [UInt8(100 + moveCount * 2 + (source.isPackage ? 1 : 0))])
        story.write("\(mover.id.number) moves \(text(source)) to \(text(target))")
        announceMove(of: mover, source, target)
    }

    /// An answer comes to a message that no one waits for any more.
    private mutating func answerLate() {
        guard let ticket = abandoned.popLast() else { return }
        story.write("\(ticket.number) is answered late")
        reacquirersDue[ticket] = AccessID(client: ClientID(0), number: 0)
        judge(arbiter.presenterReplied(ticket, .relinquished(hasReacquirer: true)))
    }

    private mutating func answerSomething(_ choices: inout Choices) {
        guard let message = choices.pick(messages.filter { !$0.isBeingAnswered }) else { return }
        reply(message.ticket, fails: choices.oneIn(30), leavesReacquirer: choices.oneIn(2))
    }

    /// A presenter coordinates before it answers, and waits for that on its own thread, on one that waits for
    /// another access, or not at all.
    private mutating func answerWriting(_ choices: inout Choices) {
        guard let index = choices.pick(messages.indices.filter { !messages[$0].isBeingAnswered }),
            members.count < Self.membersMax + 4,
            let presenter = presenters.first(where: { $0.id == messages[index].presenter })
        else { return }
        messages[index].isBeingAnswered = true
        let (message, client) = (messages[index], presenter.id.client)
        let isForPresenter = !choices.oneIn(4)
        var wishes = wishes(&choices)
        if let place = presenter.place, !choices.oneIn(4) {
            wishes = [Rules.Wish(place: place, use: Self.uses[3 + choices.below(Self.uses.count - 3)])]
        }
        let waits = !choices.oneIn(4)
        let host =
            choices.oneIn(3)
            ? choices.pick(
                members.filter { one in
                    one.id.client == client && !one.isRunning && !members.contains { $0.outer == one.id }
                }
            ) : nil
        submit(
            isForPresenter ? .presenter(presenter.id) : .coordinator(client, accessCount),
            isForPresenter ? presenter.id : nil,
            wishes,
            client: client,
            outer: waits ? host?.id : nil,
            answering: waits ? message.ticket : nil,
            answers: message.ticket
        )
    }

    private mutating func submit(
        _ purpose: Purpose,
        _ presenter: PresenterID?,
        _ wishes: [Rules.Wish],
        isPreparation: Bool = false,
        client: ClientID,
        outer: AccessID? = nil,
        answering: Ticket? = nil,
        answers: Ticket? = nil
    ) {
        accessCount += 1
        let id = AccessID(client: client, number: accessCount)
        let isAlone = !members.contains { $0.purpose == purpose }
        if !isAlone {
            for index in members.indices where members[index].purpose == purpose {
                members[index].isAlone = false
                members[index].mayPass = true
            }
        }
        let saves = messages.contains { $0.presenter == presenter && $0.message.mayNeedWriting }
        members.append(
            Member(
                id: id,
                arrival: eventCount,
                purpose: purpose,
                presenter: presenter,
                wishes: wishes,
                isPreparation: isPreparation,
                outer: outer,
                answering: answering,
                answers: answers,
                mayPass: !isAlone || saves || outer != nil,
                isAlone: isAlone
            )
        )
        story.write("\(id.number) asks: \(text(members[members.count - 1]))")
        let claims = wishes.map {
            AccessClaim(atlas.path($0.place), inside: atlas.packages(around: $0.place), use: $0.use)
        }
        let request = AccessRequest(
            id: id,
            purpose: purpose,
            presenter: presenter,
            claims: claims,
            isPreparation: isPreparation,
            nestedIn: outer,
            answering: answering
        )
        judge(arbiter.request(request))
    }
}

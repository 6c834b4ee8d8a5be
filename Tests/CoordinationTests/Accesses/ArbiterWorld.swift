import Coordination

/// The same sequence for the same seed, on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A world of coordinators and presenters that do anything they may, in any order, and a judge who knows the
/// rules only by their outcome.
struct ArbiterWorld {
    /// What the judge found; nil while all is well.
    private(set) var complaint: String?
    private(set) var stepCount = 0

    private struct Member {
        let request: AccessRequest
        var items: [ItemPath] = []
        var isRunning = false
        var parent: AccessID?
        var childCount = 0
        /// The message that a presenter answers when this access has ended.
        var answering: Ticket?
        var mayPass = false
        var hasMoved = false
        var reacquirers: Set<Ticket> = []
        var asked: [PresenterID: [PresenterMessage]] = [:]
    }

    private struct Asked {
        let access: AccessID
        let presenter: PresenterID
        let message: PresenterMessage
        let path: ItemPath?
        var isBeingAnswered = false
    }

    private static let places = ["/d", "/d/a", "/d/b", "/d/x.pkg", "/d/x.pkg/m", "/d/x.pkg/n", "/e"]
        .compactMap { ItemPath($0) }
    private static let client = ClientID(1)

    private var random: SeededGenerator
    private var arbiter = AccessArbiter()
    private var members: [AccessID: Member] = [:]
    private var arrivals: [AccessID] = []
    private var messages: [Ticket: Asked] = [:]
    private var presenters: Set<PresenterID> = []
    private var paths: [PresenterID: ItemPath] = [:]
    private var reacquirersDue: Set<Ticket> = []
    private var abandoned: [Ticket] = []
    private var accessCount: UInt64 = 0
    private var moveCount = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// Lets the world live for a while, and then everyone finish what is open.
    mutating func run(stepCount: Int) {
        for _ in 0..<stepCount where complaint == nil { step() }
        while complaint == nil, !members.isEmpty {
            if !finishSomething() { complain("deadlock: \(waitsText)") }
        }
        if complaint == nil, !reacquirersDue.isEmpty { complain("never reacquired: \(reacquirersDue)") }
    }

    // MARK: What happens

    private mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30 where members.count < 12: requestSomething()
        case 30..<36: nestSomething()
        case 36..<44: movePresenter()
        case 44..<46: removePresenter()
        case 46..<50: cancelSomething()
        case 50..<53: moveItem()
        case 53..<56: answerLate()
        default: _ = finishSomething()
        }
    }

    private mutating func requestSomething() {
        let presenter = Bool.random(using: &random) ? pick(presenters) : nil
        let purpose = Purpose.named("\(Int.random(in: 0..<8, using: &random))")
        let count = Int.random(in: 0..<5, using: &random) == 0 ? 2 : 1
        let claims = (0..<count).map { _ in claim(Self.places.randomElement(using: &random) ?? Self.places[0])
        }
        submit(purpose: presenter.map { .presenter($0) } ?? purpose, presenter, claims)
    }

    /// A running access asks for its item once more, to read it or to write it again.
    private mutating func nestSomething() {
        guard let id = pick(members.filter { $0.value.isRunning }.map(\.key)), let member = members[id],
            let outer = member.request.claims.first, let item = member.items.first, !member.hasMoved
        else { return }
        let use: AccessClaim.Use =
            if case .writing = outer.use { .writing(.updating) } else { .reading(savesFirst: true) }
        members[id]?.childCount += 1
        submit(
            purpose: member.request.purpose,
            member.request.presenter,
            [Self.claim(item, use)],
            parent: id
        )
    }

    private mutating func movePresenter() {
        let id = PresenterID(client: Self.client, number: UInt64.random(in: 0..<4, using: &random))
        presenters.insert(id)
        paths[id] = Self.places.randomElement(using: &random)
        arbiter.presenterMoved(id, to: paths[id])
    }

    private mutating func removePresenter() {
        guard let id = pick(presenters) else { return }
        presenters.remove(id)
        for (ticket, asked) in messages where asked.presenter == id { abandon(ticket) }
        judge(arbiter.presenterRemoved(id))
    }

    private mutating func cancelSomething() {
        if Bool.random(using: &random),
            let ticket = pick(messages.filter { !$0.value.isBeingAnswered }.map(\.key))
        {
            judge(arbiter.timeLimitPassed(ticket))
        } else if let id = pick(members.filter { !$0.value.isRunning }.map(\.key)) {
            judge(arbiter.cancelled(id))
            if members[id] != nil { complain("cancelling \(id) changed nothing") }
        }
    }

    /// A writer that runs moves its item to where nothing is.
    private mutating func moveItem() {
        guard let id = pick(members.filter { $0.value.isRunning }.map(\.key)), let member = members[id],
            case .writing = member.request.claims[0].use, let item = member.items.first, !member.hasMoved
        else { return }
        moveCount += 1
        guard let target = ItemPath("/moved/\(moveCount)") else { return }
        for id in members.keys { members[id]?.hasMoved = true }
        paths = paths.mapValues { $0.moved(from: item, to: target) ?? $0 }
        judge(arbiter.itemMoved(from: item, to: target, purpose: member.request.purpose))
    }

    /// An answer comes to a message that no one waits for any more.
    private mutating func answerLate() {
        guard let ticket = abandoned.popLast() else { return }
        reacquirersDue.insert(ticket)
        judge(arbiter.presenterReplied(ticket, .relinquished(hasReacquirer: true)))
    }

    /// Answers a message or ends an access; false when there is none that can be.
    private mutating func finishSomething() -> Bool {
        let running = members.filter { $0.value.isRunning && $0.value.childCount == 0 }.map(\.key)
        let open = messages.filter { !$0.value.isBeingAnswered }.map(\.key)
        guard !running.isEmpty || !open.isEmpty else { return false }
        if Int.random(in: 0..<(running.count + open.count), using: &random) < running.count {
            if let id = pick(running) { end(id) }
        } else if let ticket = pick(open) {
            answer(ticket)
        }
        return true
    }

    private mutating func answer(_ ticket: Ticket) {
        guard let asked = messages[ticket] else { return }
        let writesFirst = asked.message.mayNeedWriting && Bool.random(using: &random)
        if writesFirst, let path = asked.path {
            messages[ticket]?.isBeingAnswered = true
            let uses: [AccessClaim.Writing] = [.updating, .replacing, .updating, .merging]
            let use = AccessClaim.Use.writing(uses.randomElement(using: &random) ?? .updating)
            submit(
                purpose: .presenter(asked.presenter),
                asked.presenter,
                [Self.claim(path, use)],
                answering: ticket
            )
        } else {
            reply(ticket)
        }
    }

    private mutating func reply(_ ticket: Ticket) {
        guard let asked = messages.removeValue(forKey: ticket) else { return }
        if Int.random(in: 0..<30, using: &random) == 0 {
            judge(arbiter.presenterReplied(ticket, .failed))
        } else if asked.message.isRelinquishing {
            let leaves = Bool.random(using: &random)
            if leaves { reacquirersDue.insert(ticket) }
            judge(arbiter.presenterReplied(ticket, .relinquished(hasReacquirer: leaves)))
        } else {
            judge(arbiter.presenterReplied(ticket, .done))
        }
    }

    private mutating func submit(
        purpose: Purpose,
        _ presenter: PresenterID?,
        _ claims: [AccessClaim],
        parent: AccessID? = nil,
        answering: Ticket? = nil
    ) {
        accessCount += 1
        let id = AccessID(client: Self.client, number: accessCount)
        let request = AccessRequest(
            id: id,
            purpose: purpose,
            presenter: presenter,
            claims: claims,
            isPreparation: Int.random(in: 0..<10, using: &random) == 0
        )
        members[id] = Member(request: request, parent: parent, answering: answering)
        arrivals.append(id)
        allowPassing()
        judge(arbiter.request(request))
    }

    private mutating func end(_ id: AccessID) {
        guard let member = leave(id) else { return }
        judge(arbiter.ended(id))
        if let ticket = member.answering { reply(ticket) }
    }

    private mutating func leave(_ id: AccessID) -> Member? {
        arrivals.removeAll { $0 == id }
        let member = members.removeValue(forKey: id)
        if let parent = member?.parent { members[parent]?.childCount -= 1 }
        for (ticket, asked) in messages where asked.access == id { abandon(ticket) }
        return member
    }

    private mutating func abandon(_ ticket: Ticket) {
        guard let asked = messages.removeValue(forKey: ticket) else { return }
        if asked.message.isRelinquishing { abandoned.append(ticket) }
    }

    // MARK: What is judged

    private mutating func judge(_ effects: [AccessArbiter.Effect]) {
        stepCount += 1
        var freed: [Ticket] = []
        for effect in effects {
            switch effect {
            case .send(let message, let presenter, let access, let ticket):
                judgeMessage(message, presenter, access, ticket)
            case .notify(let presenter, _):
                if !presenters.contains(presenter) { complain("told a presenter that is gone") }
            case .grant(let id, let items): judgeGrant(id, items)
            case .fail(let id, _):
                if members[id]?.isRunning != false { complain("failed \(id), which runs or is gone") }
                if let ticket = leave(id)?.answering { freed.append(ticket) }
            case .reacquire(let ticket):
                if reacquirersDue.remove(ticket) == nil { complain("\(ticket) reacquires unasked or twice") }
            }
        }
        let waits = arbiter.waits
        for (id, member) in members where member.isRunning != (waits[id] == nil) {
            complain("\(id) runs or waits wrongly")
        }
        if waits.values.contains([]) { complain("someone waits for nothing") }
        allowPassing()
        for ticket in freed { reply(ticket) }
    }

    private mutating func judgeMessage(
        _ message: PresenterMessage,
        _ presenter: PresenterID,
        _ owner: AccessID,
        _ ticket: Ticket
    ) {
        if messages.values.contains(where: { $0.access == owner && $0.presenter == presenter }) {
            complain("asked twice at once")
        }
        guard members[owner] != nil else { return complain("asked for an access that is gone") }
        if members[owner]?.isRunning == true { complain("asked for an access that runs") }
        if members[owner]?.request.presenter == presenter { complain("asked the owner") }
        let former = members[owner]?.asked[presenter] ?? []
        if former.contains(message) || message.isRelinquishing && !former.isEmpty {
            complain("\(presenter) asked \(message) after \(former)")
        }
        members[owner]?.asked[presenter, default: []].append(message)
        messages[ticket] = Asked(
            access: owner,
            presenter: presenter,
            message: message,
            path: paths[presenter]
        )
    }

    private mutating func judgeGrant(_ id: AccessID, _ items: [ItemPath]) {
        allowPassing()
        guard let member = members[id], !member.isRunning else {
            return complain("granted \(id) twice or never")
        }
        members[id]?.isRunning = true
        members[id]?.items = items
        if messages.values.contains(where: { $0.access == id }) { complain("granted before an answer") }
        for (otherID, other) in members where other.isRunning && otherID != id {
            if member.request.isPreparation || other.request.isPreparation { continue }
            if conflict(member.request, items, other.request, other.items) {
                complain("\(id) runs beside \(otherID)")
            }
        }
        for earlier in arrivals.prefix(while: { $0 != id }) {
            guard let other = members[earlier], !other.isRunning, !member.mayPass, !member.hasMoved else {
                continue
            }
            let places = other.request.claims.map(\.item)
            if !other.hasMoved, conflict(member.request, items, other.request, places) {
                complain("\(id) overtook \(earlier)")
            }
        }
    }

    /// Notes who has had a reason to pass others: a running access of its purpose, or a presenter that saves.
    private mutating func allowPassing() {
        for (id, member) in members where !member.isRunning && !member.mayPass {
            let isNested = members.contains {
                $0.key != id && $0.value.request.purpose == member.request.purpose
            }
            let saves = messages.values.contains {
                $0.presenter == member.request.presenter && $0.message.mayNeedWriting
            }
            if isNested || saves { members[id]?.mayPass = true }
        }
    }

    private func conflict(
        _ first: AccessRequest,
        _ firstItems: [ItemPath],
        _ second: AccessRequest,
        _ secondItems: [ItemPath]
    ) -> Bool {
        guard first.purpose != second.purpose else { return false }
        return zip(first.claims, firstItems).contains { one, here in
            zip(second.claims, secondItems).contains { Self.clash(one.use, here, $0.use, $1) }
        }
    }

    /// The rule, said with components instead of prefixes.
    private static func clash(
        _ one: AccessClaim.Use,
        _ here: ItemPath,
        _ two: AccessClaim.Use,
        _ there: ItemPath
    ) -> Bool {
        func reads(_ use: AccessClaim.Use) -> Bool {
            if case .reading = use { true } else { false }
        }
        func covers(_ use: AccessClaim.Use) -> Bool {
            [.writing(.deleting), .writing(.moving), .writing(.replacing)].contains(use)
        }
        func names(_ path: ItemPath) -> [Substring] {
            let all = path.string.split(separator: "/")
            guard let package = all.firstIndex(where: { $0.hasSuffix(".pkg") }) else { return all }
            return Array(all[...package])
        }
        let (left, right) = (names(here), names(there))
        if reads(one) && reads(two) { return false }
        return left == right || covers(one) && right.starts(with: left)
            || covers(two) && left.starts(with: right)
    }

    private var waitsText: String {
        arbiter.waits.sorted { $0.key.number < $1.key.number }.map { id, waits in
            let purpose = members[id].map { "\($0.request.purpose)" } ?? "?"
            let awaited = waits.map { wait in
                switch wait {
                case .access(let other): "\(other.number)"
                case .presenter(let presenter, let message): "p\(presenter.number) \(message)"
                }
            }
            let parent = members[id]?.parent.map { " in \($0.number)" } ?? ""
            return "\(id.number)\(parent) (\(purpose)) waits for \(awaited.joined(separator: ", "))"
        }.joined(separator: "\n")
    }

    // MARK: Choices

    private mutating func claim(_ item: ItemPath) -> AccessClaim {
        let uses: [AccessClaim.Use] = [
            .reading(savesFirst: true), .reading(savesFirst: true), .reading(savesFirst: false),
            .writing(.updating), .writing(.merging), .writing(.moving), .writing(.deleting),
            .writing(.replacing),
        ]
        return Self.claim(item, uses.randomElement(using: &random) ?? uses[0])
    }

    private static func claim(_ item: ItemPath, _ use: AccessClaim.Use) -> AccessClaim {
        AccessClaim(item, inside: item.ancestors.filter { $0.string.hasSuffix(".pkg") }, use: use)
    }

    /// One of a set, chosen by the seed alone.
    private mutating func pick(_ ids: [AccessID]) -> AccessID? {
        ids.sorted { $0.number < $1.number }.randomElement(using: &random)
    }

    private mutating func pick(_ tickets: [Ticket]) -> Ticket? {
        tickets.sorted { $0.number < $1.number }.randomElement(using: &random)
    }

    private mutating func pick(_ presenters: Set<PresenterID>) -> PresenterID? {
        presenters.sorted { $0.number < $1.number }.randomElement(using: &random)
    }

    private mutating func complain(_ text: String) {
        if complaint == nil { complaint = "step \(stepCount): \(text)" }
    }
}

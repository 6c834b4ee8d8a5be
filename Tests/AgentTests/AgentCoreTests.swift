import Agent
import Coordination
import TestThreads
import Testing

@Suite("AgentCore", .onOwnThreads)
struct AgentCoreTests {
    private let one = ClientID(1)
    private let two = ClientID(2)

    @Test("An access of one client waits for that of another, and is granted at its end")
    func exclusion() {
        var scene = CoreScene()
        let (first, second) = (scene.connect(one), scene.connect(two))
        let (write, read) = (CoreScene.write(one, 1), CoreScene.read(two, 1))
        scene.send(.requested(write), first)
        scene.send(.requested(read), second)
        let own: [AgentMessage] = [.granted(write.id, [], isObserved: false), .awaited(write.id)]
        #expect(scene.take(first) == [.welcome(version: 2)] + own)
        #expect(scene.take(second) == [.welcome(version: 2)])
        scene.send(.ended(write.id, [.changed]), first)
        #expect(scene.take(second).count == 1)
    }

    @Test("What a dead client held is free at once, and what it waited for is forgotten")
    func death() {
        var scene = CoreScene()
        let (first, second) = (scene.connect(one), scene.connect(two))
        scene.send(.requested(CoreScene.write(one, 1)), first)
        scene.send(.requested(CoreScene.write(two, 1)), second)
        _ = scene.take(second)
        scene.close(first)
        #expect(scene.take(second).count == 1)
        scene.close(second)
        let third = scene.connect(one)
        scene.send(.requested(CoreScene.write(one, 2)), third)
        #expect(scene.take(third).count == 2)
    }

    @Test("Who breaks the protocol is dropped, and holds nothing any longer")
    func breaches() {
        let events: [ArbiterEvent] = [
            .ended(AccessID(client: one, number: 9), []),
            .requested(CoreScene.write(two, 7)),
            .requested(AccessRequest(id: AccessID(client: one, number: 8), purpose: .named("x"), claims: [])),
            .requested(CoreScene.write(one, 1)),
            .replied(Ticket(number: 1), .done, nil),
            .presenterRemoved(PresenterID(client: two, number: 1)),
            .cancelled(AccessID(client: two, number: 1)),
        ]
        for event in events {
            var scene = CoreScene()
            let first = scene.connect(one)
            scene.send(.requested(CoreScene.write(one, 1)), first)
            scene.send(event, first)
            #expect(scene.dropped[first] == .protocolBroken, "\(event)")
            let second = scene.connect(two)
            scene.send(.requested(CoreScene.write(two, 1)), second)
            #expect(scene.take(second).count == 2, "\(event)")
        }
    }

    @Test("Before hello nothing is heard; hello is said once, in a known version, with a number of one's own")
    func hello() {
        var scene = CoreScene()
        let early = scene.open()
        scene.send(.caughtUp, early)
        #expect(scene.dropped[early] == .protocolBroken)
        let foreign = scene.open()
        scene.send(.hello(ClientHello(version: 0, client: one, processID: 1, processName: "")), foreign)
        #expect(scene.dropped[foreign] == .versionUnknown)
        let first = scene.connect(one, process: 7)
        let impostor = scene.connect(one, process: 8)
        #expect(scene.dropped[impostor] == .protocolBroken)
        #expect(scene.dropped[first] == nil)
        let again = scene.connect(one, process: 7)
        #expect(scene.dropped[first] == .protocolBroken && scene.dropped[again] == nil)
        scene.send([255, 1, 2], again)
        #expect(scene.dropped[again] == .protocolBroken)
    }

    @Test(
        "A presenter of another client that says nothing ends the access after the agent's limit, with its name"
    )
    func timeLimit() {
        var scene = CoreScene()
        let (first, second) = (scene.connect(one), scene.connect(two))
        let presenter = PresenterID(client: two, number: 5)
        scene.send(.presenterAdded(presenter, at: CoreScene.item, typeName: "Note"), second)
        // Its own limit is for its own accesses.
        scene.send(.timeLimit(milliseconds: 60_000), first)
        let write = CoreScene.write(one, 1)
        scene.send(.requested(write), first)
        guard case .asked(.relinquishToWriter, presenter, for: write.id, let ticket) = scene.take(second).last
        else {
            Issue.record("the presenter is not asked")
            return
        }
        _ = scene.take(first)
        scene.pass(nanoseconds: 4_999_999_999)
        #expect(scene.take(first).isEmpty)
        scene.pass(nanoseconds: 1)
        let party = PresenterParty(id: presenter, typeName: "Note", processID: 2, processName: "p2")
        #expect(scene.take(first) == [.failed(write.id, .presenterTimedOut(party, .relinquishToWriter))])
        // A late answer is heard, and what it left is run.
        scene.send(.replied(ticket, .relinquished(hasReacquirer: true), nil), second)
        #expect(scene.take(second) == [.reacquire(ticket)])
        #expect(scene.dropped.isEmpty)
    }

    @Test("A new agent grants nothing before all who live have said what they hold")
    func collecting() {
        var scene = CoreScene(absentees: [one, two])
        let third = scene.connect(ClientID(3))
        scene.send(.caughtUp, third)
        scene.send(.requested(CoreScene.write(ClientID(3), 1)), third)
        #expect(scene.take(third) == [.welcome(version: 2)])
        let first = scene.connect(one)
        let held = CoreScene.write(one, 4)
        scene.send(.held(held), first)
        scene.send(.caughtUp, first)
        #expect(scene.core.isCollecting)
        scene.absenteesAlive([])
        #expect(!scene.core.isCollecting)
        #expect(scene.take(third).isEmpty)
        scene.send(.ended(held.id, [.changed]), first)
        #expect(scene.take(third).count == 1)
    }

    @Test("Who comes back too late has lost what another got, and is told")
    func late() {
        var scene = CoreScene(absentees: [one])
        let second = scene.connect(two)
        scene.send(.requested(CoreScene.write(two, 1)), second)
        _ = scene.take(second)
        scene.pass(nanoseconds: 2_000_000_000)
        #expect(scene.take(second).count == 1)
        let first = scene.connect(one)
        let held = CoreScene.write(one, 4)
        scene.send(.held(held), first)
        #expect(scene.take(first) == [.welcome(version: 2), .claimLost(held.id)])
        // It may have ended before it heard.
        scene.send(.ended(held.id, []), first)
        #expect(scene.dropped.isEmpty)
    }

    @Test(
        "Who stepped aside for an access that another agent granted reacquires at its end, or at once if it is over"
    )
    func asides() {
        var scene = CoreScene(absentees: [one, two])
        let (first, second) = (scene.connect(one), scene.connect(two))
        let held = CoreScene.write(one, 4)
        let presenter = PresenterID(client: two, number: 5)
        scene.send(.presenterAdded(presenter, at: CoreScene.item, typeName: "Note"), second)
        scene.send(.steppedAside(presenter, for: held.id, Ticket(number: 3)), second)
        scene.send(
            .steppedAside(presenter, for: AccessID(client: one, number: 1), Ticket(number: 2)),
            second
        )
        scene.send(.caughtUp, second)
        scene.send(.held(held), first)
        _ = scene.take(second)
        scene.send(.caughtUp, first)
        #expect(scene.take(second) == [.reacquire(Ticket(number: 2))])
        scene.send(.ended(held.id, [.changed]), first)
        #expect(scene.take(second) == [.told(presenter, .itemDidChange), .reacquire(Ticket(number: 3))])
    }

    @Test("An agent on demand is unneeded a minute after its last client has left")
    func idle() {
        var limits = AgentCore.Limits()
        limits.idle = 60_000_000_000
        var scene = CoreScene(limits: limits)
        #expect(scene.core.nextDeadline == scene.now + 60_000_000_000)
        let first = scene.connect(one)
        #expect(scene.core.nextDeadline == nil && !scene.core.isUnneeded(now: .max / 2))
        scene.close(first)
        #expect(!scene.core.isUnneeded(now: scene.now + 59_999_999_999))
        #expect(scene.core.isUnneeded(now: scene.now + 60_000_000_000))
    }

    @Test("Who asks about items is answered once no other client writes them, after what that tells it")
    func quiet() {
        var scene = CoreScene()
        let (first, second) = (scene.connect(one), scene.connect(two))
        let presenter = PresenterID(client: two, number: 1)
        scene.send(.presenterAdded(presenter, at: CoreScene.item, typeName: "P"), second)
        let own = CoreScene.write(two, 5, CoreScene.path("/d/own"))
        scene.send(.requested(own), second)
        scene.send(.requested(CoreScene.write(one, 1)), first)
        let asked = scene.take(second).compactMap { message -> Ticket? in
            if case .asked(_, _, _, let ticket) = message { ticket } else { nil }
        }
        scene.send(.replied(asked[0], .relinquished(hasReacquirer: false), nil), second)
        scene.send(.quietWanted(1, [CoreScene.path("/e"), CoreScene.path("/d/item/inside")]), second)
        scene.send(.quietWanted(2, [CoreScene.path("/d/own")]), second)
        scene.send(.quietWanted(0, []), second)
        #expect(scene.take(second) == [.quiet(2), .quiet(0)])
        #expect(scene.take(first).last == .awaited(AccessID(client: one, number: 1)))
        scene.send(.ended(AccessID(client: one, number: 1), [.changed]), first)
        #expect(scene.take(second) == [.told(presenter, .itemDidChange), .quiet(1)])
    }

    @Test("Who holds what another waits for is told, once, that its end is waited for")
    func awaited() {
        var scene = CoreScene()
        let (first, second) = (scene.connect(one), scene.connect(two))
        let held = CoreScene.write(one, 1)
        scene.send(.requested(held), first)
        scene.send(.requested(CoreScene.write(one, 2)), first)
        scene.send(.requested(CoreScene.write(two, 1, CoreScene.path("/elsewhere"))), second)
        #expect(scene.take(first).allSatisfy { $0 != .awaited(held.id) })
        scene.send(.requested(CoreScene.write(two, 2)), second)
        #expect(scene.take(first) == [.awaited(held.id)])
        scene.send(.requested(CoreScene.write(one, 3, CoreScene.path("/else"))), first)
        #expect(scene.take(first).count == 1)
    }

    @Test(
        "An access is over for who waits for it when its end is posted; that it is told later is no breach, once"
    )
    func posted() {
        var scene = CoreScene()
        let (first, second) = (scene.connect(one), scene.connect(two))
        let presenter = PresenterID(client: two, number: 1)
        scene.send(.presenterAdded(presenter, at: CoreScene.path("/d"), typeName: "T"), second)
        let (held, other) = (CoreScene.write(one, 1), CoreScene.write(one, 2, CoreScene.path("/else")))
        scene.send(.requested(held), first)
        scene.send(.requested(other), first)
        scene.posted = [held.id]
        #expect(scene.take(second) == [.welcome(version: ClientHello.versions.upperBound)])
        let wanted = CoreScene.write(two, 1)
        scene.send(.requested(wanted), second)
        #expect(
            scene.take(second) == [
                .told(presenter, .subitemDidChange(CoreScene.item)),
                .granted(wanted.id, [], isObserved: true),
            ]
        )
        scene.send(.ended(held.id, [.changed]), first)
        #expect(scene.dropped.isEmpty)
        #expect(scene.take(second) == [])
        scene.send(.ended(held.id, [.changed]), first)
        #expect(scene.dropped[first] == .protocolBroken)
    }

    @Test("Who is let in while others wait for the same hears so before it begins, also after another agent")
    func awaitedAtOnce() {
        let three = ClientID(13)
        var scene = CoreScene()
        let (first, second, third) = (scene.connect(one), scene.connect(two), scene.connect(three))
        let (held, next) = (CoreScene.write(one, 1), CoreScene.write(two, 1))
        scene.send(.requested(held), first)
        scene.send(.requested(next), second)
        scene.send(.requested(CoreScene.write(three, 1)), third)
        _ = scene.take(second)
        scene.send(.ended(held.id, []), first)
        #expect(scene.take(second) == [.awaited(next.id), .granted(next.id, [], isObserved: false)])
        // Who waits for quiet waits for writers that begin later, too.
        let later = CoreScene.write(one, 2, CoreScene.path("/later/inside"))
        scene.send(.requested(CoreScene.write(two, 2, CoreScene.path("/later/inside"))), second)
        scene.send(.requested(later), first)
        scene.send(.quietWanted(1, [CoreScene.path("/later/inside")]), third)
        _ = scene.take(first)
        scene.send(.ended(AccessID(client: two, number: 2), []), second)
        #expect(scene.take(first) == [.awaited(later.id), .granted(later.id, [], isObserved: false)])
        // What was asked for before all was known that is held waits for that.
        scene = CoreScene(absentees: [one, two])
        let (again, other) = (scene.connect(one), scene.connect(two))
        scene.send(.requested(next), other)
        scene.send(.caughtUp, other)
        scene.send(.held(held), again)
        scene.send(.caughtUp, again)
        #expect(scene.take(again).last == .awaited(held.id))
    }

    @Test("Nobody posts the end of an access of another, or of one that waits")
    func postedByOthers() {
        var scene = CoreScene()
        let (first, second) = (scene.connect(one), scene.connect(two))
        let (held, wanted) = (CoreScene.write(one, 1), CoreScene.write(two, 1))
        scene.send(.requested(held), first)
        scene.send(.requested(wanted), second)
        #expect(scene.core.endPosted(held.id, by: second, now: scene.now) == [])
        #expect(scene.core.endPosted(wanted.id, by: second, now: scene.now) == [])
    }

    @Test("While it is not known what is held, nothing counts as quiet")
    func quietWhileCollecting() {
        var scene = CoreScene(absentees: [one, two])
        var sent: [AgentMessage]
        let second = scene.connect(two)
        scene.send(.caughtUp, second)
        scene.send(.quietWanted(1, [CoreScene.item]), second)
        sent = scene.take(second)
        #expect(!sent.contains(.quiet(1)))
        let first = scene.connect(one)
        scene.send(.held(CoreScene.write(one, 1)), first)
        scene.send(.caughtUp, first)
        sent = scene.take(second)
        #expect(!sent.contains(.quiet(1)))
        scene.close(first)
        sent = scene.take(second)
        #expect(sent.contains(.quiet(1)))
    }

    @Test("A move that several processes see is told once; one that is made again is told again")
    func seenMoves() {
        var scene = CoreScene()
        let (first, second) = (scene.connect(one), scene.connect(two))
        let (source, target) = (CoreScene.path("/d/a"), CoreScene.path("/d/b"))
        let presenter = PresenterID(client: two, number: 1)
        scene.send(.presenterAdded(presenter, at: CoreScene.path("/d"), typeName: "P"), second)
        _ = scene.take(second)
        func move(
            _ source: ItemPath,
            _ target: ItemPath,
            _ purpose: Purpose = .outsideChanges
        ) -> ArbiterEvent {
            .itemMoved(ItemMove(from: source, to: target, inside: [], purpose: purpose, presenter: nil))
        }
        let notice = AgentMessage.told(presenter, .subitemDidMove(from: source, to: target))
        for purpose in [Purpose.outsideChanges, .coordinator(one, 7)] {
            scene.send(move(source, target, purpose), first)
            #expect(scene.take(second) == [notice])
            scene.send(move(source, target), second)
            #expect(scene.take(second) == [])
            if purpose != .outsideChanges {
                scene.send(move(source, target), first)
                #expect(scene.take(second) == [])
            }
            // Seen again by one that has seen it: it was made again.
            scene.send(move(source, target), second)
            #expect(scene.take(second) == [notice])
            scene.send(move(target, source), first)
            _ = scene.take(second)
        }
        scene.send(move(source, target), first)
        _ = scene.take(second)
        // Who presents what is at the source now has to hear of it, whoever says it.
        let late = PresenterID(client: two, number: 2)
        scene.send(.presenterAdded(late, at: source, typeName: "P"), second)
        scene.send(move(source, target), second)
        let sent = scene.take(second)
        #expect(sent.contains(.told(late, .itemDidMove(to: target))))
        scene.send(move(target, source), first)
        scene.send(move(source, target), first)
        _ = scene.take(second)
        scene.pass(nanoseconds: 11_000_000_000)
        scene.send(move(source, target), second)
        #expect(scene.take(second) == [notice])
    }
}

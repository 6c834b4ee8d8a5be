import Cryptography
import Sync
import Testing

@testable import Sealing

@Suite("Pairing")
struct PairingTests {
    private let world: SealingWorld

    init() throws { world = try SealingWorld(seed: 11) }

    /// One side, its person and its shell: what it sent, and what came of it.
    private struct Side {
        var sent: [[UInt8]] = []
        var phrase: [String]?
        var added: PublicIdentity?
        var kept: PairingGift?
        var isFinished = false
        var end: PairingEnd?

        mutating func take(_ actions: [PairingAction]) {
            for action in actions {
                switch action {
                case .send(let message): sent.append(message)
                case .show(let phrase): self.phrase = phrase
                case .add(let identity): added = identity
                case .keep(let gift): kept = gift
                case .finished: isFinished = true
                case .ended(let end): self.end = end
                }
            }
        }
    }

    private func code(_ pairing: String = "7K3M9QXD") throws -> PairingCode {
        try PairingCode(pairing: pairing, random: world.random.source)
    }

    private func first(_ code: PairingCode) throws -> FirstPairing {
        try FirstPairing(code, random: world.random.source)
    }

    private func second(_ code: PairingCode) throws -> SecondPairing {
        let identity = world.stranger.publicIdentity(named: "new phone")
        return try SecondPairing(code, as: identity, random: world.random.source)
    }

    private var gift: PairingGift { PairingGift(world.keys, invitation: "come in", list: world.list.mark) }

    /// Both sides up to the phrases.
    private func compared() throws -> (first: FirstPairing, second: SecondPairing, here: Side, there: Side) {
        let code = try code()
        var (first, second) = (try first(code), try second(PairingCode(typed: code.description)))
        var (here, there) = (Side(), Side())
        there.take(try second.begin())
        here.take(try first.handle(.message(there.sent[0])))
        there.take(try second.handle(.message(here.sent[0])))
        here.take(try first.handle(.message(there.sent[1])))
        return (first, second, here, there)
    }

    @Test(
        "Two devices show one phrase; when both people say that it is the same, the keys go over",
        arguments: [true, false]
    )
    func success(firstPersonIsFaster: Bool) throws {
        var (first, second, here, there) = try compared()
        #expect(here.phrase?.count == 4 && here.phrase == there.phrase)
        if firstPersonIsFaster {
            here.take(try first.handle(.same))
            #expect(here.added == nil)
            there.take(try second.handle(.same))
            here.take(try first.handle(.message(there.sent[2])))
        } else {
            there.take(try second.handle(.same))
            here.take(try first.handle(.message(there.sent[2])))
            #expect(here.added == nil)
            here.take(try first.handle(.same))
        }
        #expect(here.added == world.stranger.publicIdentity(named: "new phone"))
        #expect(here.sent.count == 1)
        here.take(try first.give(gift))
        there.take(try second.handle(.message(here.sent[1])))
        #expect(there.kept == gift)
        there.take(try second.received())
        here.take(try first.handle(.message(there.sent[3])))
        #expect(here.isFinished && here.end == nil && there.end == nil)
        #expect(here.sent.count + there.sent.count == 6)
        // It is over: nothing more is said, whatever comes.
        #expect(try first.handle(.time(10_000)).isEmpty && second.handle(.different).isEmpty)
    }

    @Test("Nothing that goes over the relay shows the keys")
    func secrecy() throws {
        var (first, second, here, there) = try compared()
        here.take(try first.handle(.same))
        there.take(try second.handle(.same))
        here.take(try first.handle(.message(there.sent[2])))
        here.take(try first.give(gift))
        for message in here.sent + there.sent {
            for secret in [world.keys.namingKey, Array("come in".utf8), Array("new phone".utf8)] {
                #expect(
                    !(0...max(0, message.count - secret.count)).contains {
                        Array(message[$0..<min(message.count, $0 + secret.count)]) == secret
                    }
                )
            }
        }
    }

    @Test("As many keys as there can be fit into one message of the relay")
    func size() throws {
        var keys = world.keys
        while keys.keys.count < ContainerKeys.generationCountMax {
            try keys.add(try keys.nextKey(world.list, random: world.random.source))
        }
        var (first, second, here, there) = try compared()
        here.take(try first.handle(.same))
        there.take(try second.handle(.same))
        here.take(try first.handle(.message(there.sent[2])))
        let invitation = String(repeating: "i", count: PairingGift.invitationByteCountMax)
        here.take(try first.give(PairingGift(keys, invitation: invitation, list: world.list.mark)))
        #expect(here.sent[1].count <= 4096)
        there.take(try second.handle(.message(here.sent[1])))
        #expect(there.kept?.keys == keys)
        let long = PairingGift(keys, invitation: invitation + "i", list: world.list.mark)
        #expect(
            SealingError.Code.of {
                var (first, second, here, there) = try compared()
                here.take(try first.handle(.same))
                there.take(try second.handle(.same))
                here.take(try first.handle(.message(there.sent[2])))
                _ = try first.give(long)
            } == .beyondLimit
        )
    }

    @Test("Who is in the middle makes two phrases", arguments: 0..<20)
    func middle(attempt: Int) throws {
        // The attacker knows the code, which the person read out aloud.
        let code = try code()
        var (first, second) = (try first(code), try second(code))
        var (toFirst, toSecond) = (try self.second(code), try self.first(code))
        var (here, there, middle) = (Side(), Side(), Side())
        there.take(try second.begin())
        middle.take(try toSecond.handle(.message(there.sent[0])))
        there.take(try second.handle(.message(middle.sent[0])))
        middle.take(try toSecond.handle(.message(there.sent[1])))
        let knownPhrase = middle.phrase
        #expect(knownPhrase == there.phrase)
        middle.take(try toFirst.begin())
        here.take(try first.handle(.message(middle.sent[1])))
        middle.take(try toFirst.handle(.message(here.sent[0])))
        here.take(try first.handle(.message(middle.sent[2])))
        #expect(here.phrase != nil && here.phrase != there.phrase)
        // A person says so, and nobody gets anything.
        here.take(try first.handle(.different))
        #expect(here.end == .differentPhrases && here.added == nil)
        middle.take(try toFirst.handle(.same))
        #expect(try first.handle(.message(middle.sent[3])).isEmpty)
        there.take(try second.handle(.message(here.sent[1])))
        #expect(there.end == .differentPhrases && there.kept == nil)
    }

    @Test("Who is in the middle cannot try shares until the phrases are the same")
    func commitment() throws {
        let code = try code()
        var first = try first(code)
        var (here, middle) = (Side(), Side())
        // Committed to one share, shows another.
        var (promised, shown) = (try second(code), try second(code))
        middle.take(try promised.begin())
        here.take(try first.handle(.message(middle.sent[0])))
        var other = Side()
        other.take(try shown.begin())
        other.take(try shown.handle(.message(here.sent[0])))
        here.take(try first.handle(.message(other.sent[1])))
        #expect(here.end == .interfered && here.phrase == nil)
        middle.take(try promised.handle(.message(here.sent[1])))
        #expect(middle.end == .interfered)
    }

    @Test("A key that every other agrees with is refused")
    func weakKey() throws {
        let code = try code()
        var second = try second(code)
        var there = Side()
        there.take(try second.begin())
        there.take(try second.handle(.message([1, 2] + [UInt8](repeating: 0, count: 64))))
        #expect(there.end == .interfered)
    }

    @Test("A code that is not the one shown ends it on both sides")
    func wrongCode() throws {
        let (shown, typed) = (try code(), try code())
        #expect(shown.pairing == typed.pairing && shown != typed)
        var (first, second) = (try first(shown), try second(typed))
        var (here, there) = (Side(), Side())
        there.take(try second.begin())
        here.take(try first.handle(.message(there.sent[0])))
        there.take(try second.handle(.message(here.sent[0])))
        here.take(try first.handle(.message(there.sent[1])))
        #expect(here.end == .wrongCode && here.phrase == nil)
        there.take(try second.handle(.message(here.sent[1])))
        #expect(there.end == .wrongCode)
    }

    @Test("What was said may come twice, and does nothing")
    func repetition() throws {
        var (first, second, here, there) = try compared()
        for message in there.sent { #expect(try first.handle(.message(message)).isEmpty) }
        for message in here.sent { #expect(try second.handle(.message(message)).isEmpty) }
        here.take(try first.handle(.same))
        there.take(try second.handle(.same))
        for _ in 0..<2 { here.take(try first.handle(.message(there.sent[2]))) }
        here.take(try first.give(gift))
        #expect(try first.give(gift).isEmpty)
        for _ in 0..<2 { there.take(try second.handle(.message(here.sent[1]))) }
        #expect(there.kept == gift && there.end == nil)
    }

    @Test("Messages in another order, left out, or of a third device end it")
    func order() throws {
        let sound = try compared()
        var fresh = try first(code())
        var here = Side()
        here.take(try fresh.handle(.message(sound.there.sent[1])))
        #expect(here.end == .interfered)
        var (first, _, _, _) = sound
        var other = Side()
        other.take(try second(sound.first.code).begin())
        here = Side()
        here.take(try first.handle(.message(other.sent[0])))
        #expect(here.end == .interfered)
        var waiting = try second(code())
        var there = Side()
        there.take(try waiting.handle(.message([1, 5] + [UInt8](repeating: 0, count: 80))))
        #expect(there.end == .interfered)
    }

    @Test("A message of another pairing, or altered, ends it")
    func replay() throws {
        var (former, latter) = (try compared(), try compared())
        former.there.take(try former.second.handle(.same))
        latter.here.take(try latter.first.handle(.same))
        latter.here.take(try latter.first.handle(.message(former.there.sent[2])))
        #expect(latter.here.end == .interfered && latter.here.added == nil)
        var altered = try compared()
        altered.there.take(try altered.second.handle(.same))
        var message = altered.there.sent[2]
        message[20] ^= 1
        altered.here.take(try altered.first.handle(.message(message)))
        #expect(altered.here.end == .interfered)
    }

    @Test("Time, a person, or another version ends it, and the other side is told")
    func endings() throws {
        for (event, end) in [
            (PairingEvent.time(600), PairingEnd.timedOut), (.cancel, .cancelled),
            (.different, .differentPhrases),
        ] {
            var (first, second, here, there) = try compared()
            #expect(try first.handle(.time(599)).isEmpty)
            here.take(try first.handle(event))
            #expect(here.end == end)
            there.take(try second.handle(.message(here.sent[1])))
            #expect(there.end == end)
        }
        var first = try first(code())
        var here = Side()
        here.take(try first.handle(.message([2, 1])))
        guard case .malformed(let error) = here.end else {
            Issue.record("\(String(describing: here.end))")
            return
        }
        #expect(error.code == .versionUnknown)
    }

    @Test("Who types the code of a pairing once more that the other device has ended hears that it is over")
    func oldCode() throws {
        var (first, second, here, there) = try compared()
        there.take(try second.handle(.cancel))
        here.take(try first.handle(.message(there.sent[2])))
        #expect(here.end == .cancelled)
        var again = try self.second(first.code)
        var later = Side()
        later.take(try again.begin())
        // The relay has all that the first device has said.
        for message in here.sent { later.take(try again.handle(.message(message))) }
        #expect(later.end == .cancelled && later.kept == nil)
    }

    @Test("Keys that come before the person has compared are not taken")
    func earlyGift() throws {
        let code = try code()
        var second = try second(code)
        var there = Side()
        there.take(try second.begin())
        // A first device that does not wait.
        let (key, share) = try PairingWords.newShare(world.random.source)
        there.take(try second.handle(.message(PairingWords.encode(.answer, share.bytes))))
        var reader = ByteReader(Array(there.sent[1].dropFirst(2)), "An opening")
        let other = try PairingWords.Share(from: &reader)
        let made = try PairingKeys(own: key, other: other.key, code: code, first: share, second: other)
        let keys = try #require(made)
        #expect(keys.phrase == there.phrase)
        there.take(try second.handle(.message(PairingWords.seal(gift.encoded(), keys.gift, .gift))))
        #expect(there.end == .interfered && there.kept == nil)
    }

    @Test("A person who says that phrases are the same before any is shown says nothing")
    func haste() throws {
        var (first, second) = (try first(code()), try second(code()))
        #expect(try first.handle(.same).isEmpty && second.handle(.same).isEmpty)
        #expect(try first.give(gift).isEmpty && second.received().isEmpty)
    }

    @Test("A code is typed in any case, with any dashes, and as a QR code; a wrong sign is found")
    func codes() throws {
        for _ in 0..<20 {
            let code = try code()
            #expect(code.description.count == 14 && code.pairing == "7K3M9QXD")
            let text = code.text(hub: "https://hub.example:8443/")
            #expect(PairingCode.hubAddress(in: text) == "https://hub.example:8443/")
            for typed in [
                code.description, code.description.lowercased(), text, " " + code.description + "\n",
            ] {
                #expect(try PairingCode(typed: typed) == code)
            }
            let signs = Array(code.description)
            for index in signs.indices where signs[index] != "-" {
                var wrong = signs
                wrong[index] = signs[index] == "Z" ? "Y" : "Z"
                #expect(SealingError.Code.of { _ = try PairingCode(typed: String(wrong)) } == .mistyped)
            }
        }
        for typed in ["", "7K3M", "7K3M-9QXD-UUUU", "é"] {
            #expect(SealingError.Code.of { _ = try PairingCode(typed: typed) } == .mistyped)
        }
        for pairing in ["7k3m9qxd", "7K3M9QX", "7K3M9QXU", ""] {
            #expect(SealingError.Code.of { _ = try code(pairing) } == .malformed)
        }
    }

    @Test("Bytes of no sense end it, or do nothing", arguments: [UInt64(8)])
    func hostile(seed: UInt64) throws {
        let random = SeededRandom(seed)
        for _ in 0..<100 {
            var (first, second, here, there) = try compared()
            if random.below(2) == 0 { there.take(try second.handle(.same)) }
            if random.below(2) == 0 { here.take(try first.handle(.same)) }
            var message = random.bytes(random.below(100))
            if message.count > 1, random.below(3) > 0 {
                message[0] = 1
                message[1] = UInt8(random.below(8))
            }
            here.take(try first.handle(.message(message)))
            there.take(try second.handle(.message(message)))
            #expect(here.end != nil && there.end != nil, "seed \(seed)")
            #expect(here.added == nil && there.kept == nil, "seed \(seed)")
        }
    }
}

import Coordination
import Testing

@Suite("AccessArbiter")
struct AccessArbiterTests {
    static let reading = AccessClaim.Use.reading(savesFirst: true)
    static let updating = AccessClaim.Use.writing(.updating)
    static let deleting = AccessClaim.Use.writing(.deleting)
    static let moving = AccessClaim.Use.writing(.moving)
    static let replacing = AccessClaim.Use.writing(.replacing)

    @Test(
        "Who waits for whom, whichever comes first",
        arguments: [
            ("/a", reading, "/a", reading, false), ("/a", reading, "/a", updating, true),
            ("/a", updating, "/a", updating, true), ("/a", updating, "/b", updating, false),
            ("/d", updating, "/d/a", updating, false), ("/d", reading, "/d/a", updating, false),
            ("/d", deleting, "/d/a", reading, true), ("/d", moving, "/d/x/a", updating, true),
            ("/d", replacing, "/d/a", reading, true), ("/d/a", deleting, "/d", reading, false),
            ("/d", .writing(.merging), "/d/a", reading, false), ("/d", deleting, "/dx", reading, false),
            ("/x.pkg", reading, "/x.pkg/m", updating, true),
            ("/x.pkg/m", updating, "/x.pkg/n", reading, true),
            ("/x.pkg/y.pkg/m", updating, "/x.pkg/n", reading, true),
            ("/x.pkg/m", reading, "/x.pkg/n", reading, false),
            ("/d", deleting, "/d/x.pkg/m", reading, true), ("/x.pkg", updating, "/y.pkg", updating, false),
        ] as [(String, AccessClaim.Use, String, AccessClaim.Use, Bool)]
    )
    func conflicts(first: String, firstUse: AccessClaim.Use, second: String, use: AccessClaim.Use, isSo: Bool)
    {
        let claims = [ArbiterScript.claim(first, firstUse), ArbiterScript.claim(second, use)]
        for (earlier, later) in [(claims[0], claims[1]), (claims[1], claims[0])] {
            var script = ArbiterScript()
            #expect(script.request("one", earlier) == ["grant one \(earlier.item)"])
            #expect(script.request("two", later) == (isSo ? [] : ["grant two \(later.item)"]))
            #expect(script.waits("two") == (isSo ? ["one"] : []))
            #expect(script.end("one") == (isSo ? ["grant two \(later.item)"] : []))
        }
    }

    @Test("Readers that come after a waiting writer wait for it; readers of other items do not")
    func noOvertaking() {
        var script = ArbiterScript()
        _ = script.read("r1", "/a")
        #expect(script.write("w", "/a") == [])
        #expect(script.read("r2", "/a") == [])
        #expect(script.read("r3", "/b") == ["grant r3 /b"])
        #expect(script.waits("r2") == ["w"])
        #expect(script.end("r1") == ["grant w /a"])
        #expect(script.end("w") == ["grant r2 /a"])
    }

    @Test("An access of a purpose that holds the item passes those that wait for it")
    func nesting() {
        var script = ArbiterScript()
        let (read, write) = (
            ArbiterScript.claim("/a", Self.reading), ArbiterScript.claim("/a", Self.updating)
        )
        _ = script.request("outer", write, purpose: "p")
        _ = script.request("other", write, ArbiterScript.claim("/b", Self.updating))
        #expect(script.request("inner", read, purpose: "p") == ["grant inner /a"])
        #expect(
            script.request("inner b", ArbiterScript.claim("/b", Self.updating), purpose: "p") == [
                "grant inner b /b"
            ]
        )
        #expect(script.read("stranger", "/b") == [])
        #expect(script.end("inner b") + script.end("inner") == [])
        #expect(script.end("outer") == ["grant other /a /b"])
    }

    @Test("Accesses to several items are granted as a whole")
    func several() {
        var script = ArbiterScript()
        let (one, two) = (ArbiterScript.claim("/a", Self.updating), ArbiterScript.claim("/b", Self.updating))
        #expect(script.request("m1", one, two) == ["grant m1 /a /b"])
        #expect(script.request("m2", two, one) == [])
        #expect(script.read("r", "/a") == [])
        #expect(script.waits("r") == ["m1", "m2"])
        #expect(script.end("m1") == ["grant m2 /b /a"])
        #expect(script.cancel("r") == ["fail r cancelled"])
        #expect(script.cancel("r") + script.cancel("m2") + script.end("m2") == [])
    }

    @Test(
        "What presenters are asked, in order",
        arguments: [
            ("/d/x.pkg/m", reading, "m: toReader save, x: toReader save"),
            ("/d/x.pkg/m", .reading(savesFirst: false), "m: toReader, x: toReader"),
            ("/d/x.pkg/m", updating, "m: toWriter, x: toWriter"),
            ("/d/x.pkg/m", .writing(.merging), "m: toWriter save, x: toWriter save"),
            ("/d/x.pkg/m", deleting, "m: toWriter deletion, x: toWriter deletion of /d/x.pkg/m"),
            ("/d/x.pkg/m", replacing, "m: toWriter deletion, x: toWriter deletion of /d/x.pkg/m"),
            ("/d/x.pkg", deleting, "m: toWriter deletion, x: toWriter deletion"),
            ("/d/x.pkg", updating, "x: toWriter"), ("/d", reading, "d: toReader save"),
            ("/d", updating, "d: toWriter"),
            ("/d", moving, "d: toWriter, m: toWriter, x: toWriter"),
            ("/d", deleting, "d: toWriter deletion, m: toWriter deletion, x: toWriter deletion"),
        ] as [(String, AccessClaim.Use, String)]
    )
    func questions(path: String, use: AccessClaim.Use, expected: String) {
        var script = ArbiterScript()
        for (name, place) in [("d", "/d"), ("x", "/d/x.pkg"), ("m", "/d/x.pkg/m"), ("z", "/z")] {
            script.present(Character(name), place)
        }
        script.present("o", path)
        var asked: [String: [String]] = [:]
        var open = script.request("a", ArbiterScript.claim(path, use), for: "o")
        while !open.isEmpty, open != ["grant a \(path)"] {
            let message = open.removeFirst()
            asked[String(message.prefix(1)), default: []].append(String(message.dropFirst(2)))
            open += script.reply(message)
        }
        #expect(open == ["grant a \(path)"])
        let text = asked.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: " "))" }
        #expect(text.joined(separator: ", ") == expected)
    }

    @Test("Changes are told before those who made way reacquire, and not to the owner")
    func changes() {
        var script = ArbiterScript()
        for (name, path) in [("p", "/d/a"), ("o", "/d/a"), ("d", "/d"), ("r", "/")] {
            script.present(Character(name), path)
        }
        #expect(script.write("w", "/d/a", for: "o") == ["p toWriter"])
        #expect(script.reply("p toWriter", .relinquished(hasReacquirer: true)) == ["grant w /d/a"])
        #expect(script.end("w") == ["p changed", "d changed /d/a", "r changed /d/a", "reacquire p toWriter"])
        _ = script.write("new", "/d/b")
        #expect(
            script.end("new", WriteOutcome(existedBefore: false, existsAfter: true)) == [
                "d appeared /d/b", "r appeared /d/b",
            ]
        )
    }

    @Test("What goes is told to presenters above, however it went and whether or not they were asked")
    func deletions() {
        let gone = WriteOutcome(existedBefore: true, existsAfter: false)
        var script = ArbiterScript()
        for (name, path) in [("p", "/d/a"), ("d", "/d"), ("x", "/d/x.pkg"), ("r", "/"), ("o", "/")] {
            script.present(Character(name), path)
        }
        _ = script.write("plain", "/d/b", .deleting, for: "o")
        #expect(script.end("plain", gone) == ["d changed /d/b", "r changed /d/b"])
        _ = script.write("asked", "/d/a", .deleting, for: "o")
        _ = script.reply("p toWriter")
        #expect(script.reply("p deletion") == ["grant asked /d/a"])
        #expect(script.end("asked", gone) == ["d changed /d/a", "r changed /d/a"])
        _ = script.write("member", "/d/x.pkg/m", .deleting, for: "o")
        _ = script.reply("x toWriter")
        #expect(script.reply("x deletion of /d/x.pkg/m") == ["grant member /d/x.pkg/m"])
        #expect(
            script.end("member", gone) == [
                "x changed /d/x.pkg/m", "d changed /d/x.pkg/m", "r changed /d/x.pkg/m",
            ]
        )
        // Written by one who gave no notice that it would go.
        _ = script.write("updating", "/d/c", for: "o")
        #expect(script.end("updating", gone) == ["d changed /d/c", "r changed /d/c"])
        // Nothing was there to go.
        _ = script.write("never", "/d/c", .deleting, for: "o")
        #expect(script.end("never", WriteOutcome(existedBefore: false, existsAfter: false)) == [])
    }

    @Test("What a presenter writes while it saves waits neither for the reader nor for those behind it")
    func savingWrites() {
        var script = ArbiterScript()
        script.present("p", "/a")
        script.present("q", "/a")
        _ = script.read("r", "/a")
        #expect(script.write("before", "/a", for: "p") == [])
        #expect(script.reply("p toReader", .relinquished(hasReacquirer: false)) == ["p save", "q toWriter"])
        #expect(script.reply("q toWriter") == ["grant before /a"])
        _ = script.write("stranger", "/a")
        #expect(script.end("before") == ["q changed"])
        #expect(script.write("saving", "/a", for: "p") == ["q toWriter for saving"])
        #expect(script.reply("q toReader") == ["q save"])
        #expect(script.reply("q save") + script.reply("p save") == [])
        #expect(script.waits("r") == ["saving"])
        #expect(script.reply("q toWriter for saving") == ["grant saving /a"])
        #expect(script.end("saving") == ["q changed", "grant r /a"])
        #expect(script.waits("stranger") == ["r"])
    }

    @Test(
        "A failed answer, a late one and a cancellation give way back; late answers are reacquired at once"
    )
    func failures() {
        for (ending, text) in [(0, "refused by q"), (1, "late: q toReader"), (2, "cancelled")] {
            var script = ArbiterScript()
            script.present("p", "/a")
            script.present("q", "/a")
            _ = script.read("r", "/a")
            _ = script.write("w", "/a", for: "q")
            #expect(script.reply("p toReader", .relinquished(hasReacquirer: true)) == ["p save"])
            let effects =
                switch ending {
                case 0: script.reply("q toReader", .failed)
                case 1: script.expire("q toReader")
                default: script.cancel("r")
                }
            #expect(effects == ["fail r \(text)", "reacquire p toReader", "p toWriter"])
            let late = script.reply("q toReader", .relinquished(hasReacquirer: true))
            #expect(late == ["reacquire q toReader"])
            #expect(script.expire("q toReader") + script.reply("p save") == [])
        }
    }

    @Test("A presenter that leaves holds no one up")
    func withdrawals() {
        var script = ArbiterScript()
        script.present("p", "/a")
        _ = script.read("r", "/a")
        #expect(script.withdraw("p") == ["grant r /a"])
        #expect(script.end("r") == [])
        #expect(script.arbiter.presenters(of: ItemPath("/a")!).isEmpty)
    }

    @Test("A presenter that made way is not asked again by the same purpose, and reacquires after the last")
    func preparation() {
        var script = ArbiterScript()
        script.present("p", "/a")
        let (read, write) = (
            ArbiterScript.claim("/a", Self.reading), ArbiterScript.claim("/a", Self.updating)
        )
        _ = script.request("all", write, purpose: "u", isPreparation: true)
        #expect(script.reply("p toWriter", .relinquished(hasReacquirer: true)) == ["grant all /a"])
        #expect(script.request("one", write, purpose: "u") == ["grant one /a"])
        #expect(script.end("one") == ["p changed"])
        #expect(script.request("two", read, purpose: "u") == ["grant two /a"])
        #expect(script.end("all") == [])
        #expect(script.end("two") == ["reacquire p toWriter"])
    }

    @Test("A move takes presenters and waiting accesses with it, and is told when the mover ends")
    func moves() {
        var script = ArbiterScript()
        for (name, path) in [("p", "/d/a"), ("d", "/d"), ("e", "/e"), ("r", "/")] {
            script.present(Character(name), path)
        }
        _ = script.request(
            "mover",
            ArbiterScript.claim("/d", Self.moving),
            ArbiterScript.claim("/e/x.pkg", Self.replacing),
            purpose: "m"
        )
        _ = script.reply("d toWriter")
        #expect(script.reply("p toWriter") == ["grant mover /d /e/x.pkg"])
        _ = script.read("reader", "/d/a")
        _ = script.write("replacer", "/d/a", .replacing)
        #expect(script.move("/d", "/d", by: "m") == [])
        #expect(script.move("/d", "/e/x.pkg", by: "m") == [])
        #expect(script.waits("reader") == ["mover"])
        let told = script.end("mover", WriteOutcome(existedBefore: true, existsAfter: false), .changed)
        #expect(
            told == [
                "d moved to /e/x.pkg", "p moved to /e/x.pkg/a", "r moved /d to /e/x.pkg",
                "e appeared /e/x.pkg",
                "d toReader", "p toReader", "grant replacer /d/a",
            ]
        )
        _ = script.reply("d toReader")
        _ = script.reply("p toReader")
        _ = script.reply("d save")
        #expect(script.reply("p save") == ["grant reader /e/x.pkg/a"])
        #expect(
            script.end("replacer", WriteOutcome(existedBefore: false, existsAfter: true)) == [
                "r appeared /d/a"
            ]
        )
    }

    @Test("What a mover holds it keeps, where it was and where it is")
    func movedLocks() {
        var script = ArbiterScript()
        _ = script.request("mover", ArbiterScript.claim("/a", Self.updating), purpose: "m")
        _ = script.move("/a", "/b", by: "m")
        #expect(script.read("old", "/a") + script.read("new", "/b") == [])
        #expect(script.end("mover") == ["grant old /a", "grant new /b"])
    }

    @Test("What a mover moves on is its own still, and told with the rest when it ends")
    func movedTwice() {
        var script = ArbiterScript()
        script.present("p", "/a/x.pkg/m")
        _ = script.request("mover", ArbiterScript.claim("/a/x.pkg/m", Self.updating), purpose: "m")
        #expect(script.reply("p toWriter") == ["grant mover /a/x.pkg/m"])
        #expect(script.move("/a", "/b", by: "m") + script.move("/b", "/c", by: "m") == [])
        // Back and forth it comes to no new place.
        for _ in 0..<40 { #expect(script.move("/c", "/b", by: "m") + script.move("/b", "/c", by: "m") == []) }
        for name in ["a", "b", "c"] {
            #expect(script.read(name, "/\(name)/x.pkg/n") == [])
            #expect(script.waits(name) == ["mover"])
        }
        let told = script.end("mover")
        #expect(told.prefix(2) == ["p moved to /b/x.pkg/m", "p moved to /c/x.pkg/m"])
        #expect(told.suffix(3) == ["grant a /a/x.pkg/n", "grant b /b/x.pkg/n", "grant c /c/x.pkg/n"])
    }

    @Test("A client that goes takes all it had with it")
    func lostClient() {
        var script = ArbiterScript()
        script.present("p", "/b")
        _ = script.write("w", "/a")
        _ = script.read("waiting", "/a")
        _ = script.read("asking", "/b")
        #expect(script.loseClient() == [])
        #expect(script.arbiter.waits.isEmpty && script.read("next", "/a") == ["grant next /a"])
        #expect(script.write("b", "/b") == ["grant b /b"])
    }

    @Test("Ending what does not run traps")
    func trapsOnWrongEnd() async {
        await #expect(processExitsWith: .failure) {
            var script = ArbiterScript()
            _ = script.end("never")
        }
    }
}

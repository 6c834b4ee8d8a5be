import Coordination
import Testing

@Suite("Deadlocks")
struct AccessArbiterCyclesTests {
    private static func write(_ path: String) -> AccessClaim {
        ArbiterScript.claim(path, .writing(.updating))
    }

    private static func read(_ path: String) -> AccessClaim {
        ArbiterScript.claim(path, .reading(savesFirst: true))
    }

    @Test("Two who hold one item each and ask inside for the other's: the later one fails, the other goes on")
    func crossed() {
        var script = ArbiterScript()
        #expect(script.write("A", "/a") == ["grant A /a"])
        #expect(script.write("B", "/b") == ["grant B /b"])
        #expect(script.request("A2", Self.write("/b"), in: "A") == [])
        #expect(
            script.request("B2", Self.write("/a"), in: "B") == [
                "fail B2 deadlock: B2 for /a, A inside, A2 for /b, B inside"
            ]
        )
        #expect(script.end("B") == ["grant A2 /b"])
        #expect(script.end("A2") + script.end("A") == [])
    }

    @Test("Three in a ring, through packages and a folder that is to go")
    func ring() {
        var script = ArbiterScript()
        _ = script.write("A", "/d/x.pkg/m")
        _ = script.request("B", Self.read("/e"))
        _ = script.write("C", "/c")
        #expect(script.request("A2", Self.write("/e"), in: "A") == [])
        #expect(script.request("B2", Self.read("/c"), in: "B") == [])
        #expect(
            script.request("C2", ArbiterScript.claim("/d", .writing(.deleting)), in: "C") == [
                "fail C2 deadlock: C2 for /d, A inside, A2 for /e, B inside, B2 for /c, C inside"
            ]
        )
    }

    @Test("Who wants inside, for another purpose, what itself holds fails at once")
    func itself() {
        var script = ArbiterScript()
        _ = script.write("A", "/a")
        #expect(
            script.request("A2", Self.read("/a"), in: "A") == ["fail A2 deadlock: A2 for /a, A inside"]
        )
        #expect(script.end("A") == [])
    }

    @Test("An access passes those that wait for the one it is nested in, whatever its purpose")
    func nestedPasses() {
        var script = ArbiterScript()
        _ = script.write("A", "/a")
        #expect(script.request("other", Self.write("/a"), Self.write("/b")) == [])
        #expect(script.request("A2", Self.read("/c"), in: "A") == ["grant A2 /c"])
        #expect(script.request("A3", Self.write("/b"), in: "A2") == ["grant A3 /b"])
        #expect(script.end("A3") + script.end("A2") == [])
        #expect(script.end("A") == ["grant other /a /b"])
    }

    @Test("The youngest fails, even when an older one closes the cycle")
    func youngest() {
        var script = ArbiterScript()
        _ = script.write("A", "/a")
        _ = script.write("B", "/b")
        _ = script.request("A2", Self.write("/x"), in: "A")
        _ = script.request("B2", Self.read("/free"), in: "B")
        #expect(script.request("B3", Self.write("/a"), in: "B2") == [])
        #expect(script.request("A3", Self.write("/b"), in: "A2").first?.hasPrefix("fail A3 deadlock") == true)
        // The move makes an older access want what the younger one's holder has.
        var moved = ArbiterScript()
        _ = moved.write("A", "/a")
        _ = moved.write("B", "/b")
        _ = moved.write("M", "/m")
        #expect(moved.request("A2", Self.write("/m"), in: "A") == [])
        #expect(moved.request("B2", Self.write("/a"), in: "B") == [])
        #expect(
            moved.move("/m", "/b", by: "M") == ["fail B2 deadlock: B2 for /a, A inside, A2 for /b, B inside"]
        )
    }

    @Test("A presenter that asks inside its answer for what the asker keeps is refused, and can still answer")
    func answers() {
        var script = ArbiterScript()
        script.present("p", "/a")
        #expect(script.read("r", "/a") == ["p toReader"])
        #expect(
            script.request("w", Self.write("/a"), for: "p", answering: "p toReader") == [
                "fail w deadlock: w for /a, r for p toReader"
            ]
        )
        #expect(script.reply("p toReader") == ["p save"])
        // Asked to save, the presenter may write first.
        #expect(script.request("s", Self.write("/a"), for: "p", answering: "p save") == ["grant s /a"])
        #expect(script.end("s") == [])
        #expect(script.reply("p save") == ["grant r /a"])
    }

    @Test("Two presenters that each ask the other before they answer")
    func crossedAnswers() {
        var script = ArbiterScript()
        script.present("p", "/a")
        script.present("q", "/b")
        #expect(script.read("a", "/a") == ["p toReader"])
        #expect(script.write("b", "/b") == ["q toWriter"])
        #expect(script.request("p1", Self.write("/b"), for: "p", answering: "p toReader") == [])
        #expect(
            script.request("q1", Self.write("/a"), for: "q", answering: "q toWriter") == [
                "fail q1 deadlock: q1 for /a, a for p toReader, p1 for /b, b for q toWriter"
            ]
        )
        #expect(script.reply("q toWriter") == ["grant b /b"])
        #expect(script.end("b") == ["q changed", "q toWriter for p1"])
        #expect(script.reply("q toWriter for p1") == ["grant p1 /b"])
        #expect(script.end("p1") == ["q changed"])
        #expect(script.reply("p toReader") == ["p save"])
    }

    @Test("A cycle is found that goes through what another arbiter had granted")
    func rejoined() {
        var script = ArbiterScript()
        let isHeld = [
            script.hold("A", Self.write("/a")), script.hold("A2", Self.write("/free"), in: "A"),
            script.hold("B", Self.write("/b")),
        ]
        #expect(isHeld == [true, true, true])
        #expect(script.request("A3", Self.write("/b"), in: "A2") == [])
        #expect(
            script.request("B2", Self.write("/a"), in: "B") == [
                "fail B2 deadlock: B2 for /a, A inside, A2 inside, A3 for /b, B inside"
            ]
        )
        #expect(script.end("B") == ["grant A3 /b"])
        #expect(script.end("A3") + script.end("A2") + script.end("A") == [])
    }

    @Test(
        "Who waits without a cycle is left alone: outside work, an answered message, another client's claim"
    )
    func noFalseAlarm() {
        var script = ArbiterScript()
        script.present("p", "/a")
        _ = script.write("A", "/b")
        #expect(script.read("r", "/a") == ["p toReader"])
        // The presenter's own access waits, but no thread that answers does.
        #expect(script.write("w", "/a", for: "p") == [])
        #expect(script.reply("p toReader") == ["p save", "grant w /a"])
        // What is asked for after the answer, still on the answering thread, holds no one up.
        #expect(script.request("late", Self.read("/b"), answering: "p toReader") == [])
        #expect(script.end("w") == [])
        #expect(script.reply("p save") == ["grant r /a"])
        #expect(script.request("x", Self.write("/a"), in: "nobody") == [])
        #expect(script.end("r") == ["p toWriter"])
    }

    @Test("When a cycle is broken, what its presenters left behind is run")
    func reacquiring() {
        var script = ArbiterScript()
        script.present("p", "/b")
        _ = script.write("A", "/a")
        _ = script.write("B", "/c")
        #expect(script.request("A2", Self.write("/c"), in: "A") == [])
        #expect(script.request("B2", Self.write("/b"), Self.read("/d"), in: "B") == ["p toWriter"])
        #expect(
            script.request("p1", Self.write("/a"), answering: "p toWriter") == [
                "fail p1 deadlock: p1 for /a, A inside, A2 for /c, B inside, B2 for p toWriter"
            ]
        )
        #expect(script.reply("p toWriter", .relinquished(hasReacquirer: true)) == ["grant B2 /b /d"])
        #expect(script.end("B2") == ["p changed", "reacquire p toWriter"])
        #expect(script.end("B") == ["grant A2 /c"])
    }
}

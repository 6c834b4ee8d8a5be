import Coordination
import Foundation
import Testing

@Suite("CoordinationReport")
struct CoordinationReportTests {
    private static let labels = CoordinationLabels(
        processes: [ArbiterScript.client: .init(id: 71, name: "Scrapbook")],
        presenters: [
            ArbiterScript.presenter("p"): .init(typeName: "Page", since: 5, place: "App/Page.swift:31")
        ]
    )

    @Test("Claims, waits and presenters are listed with who, what and since when")
    func listed() throws {
        var script = ArbiterScript()
        script.pass(to: 10)
        script.present("p", "/a")
        _ = script.write("w", "/b", for: "p")
        _ = script.request("i", ArbiterScript.claim("/x", .writing(.moving)), purpose: "u", in: "w")
        script.pass(to: 12.5)
        _ = script.read("r", "/b")
        _ = script.write("d", "/a", .deleting)
        script.pass(to: 20)
        let report = CoordinationReport(of: script.arbiter, Self.labels)
        #expect(report.time == 20)
        #expect(report.claims.flatMap(\.items).map(\.path) == ["/b", "/x"])
        #expect(report.claims.flatMap(\.items).map(\.use) == [.write, .move])
        #expect(report.claims.map(\.since) == [10, 10])
        #expect(report.claims[0].party.name == "Page in Scrapbook (process 71)")
        #expect(
            report.claims[0].party.description(at: report.time)
                == "Page (registered at App/Page.swift:31, 15.0 s ago) in Scrapbook (process 71)"
        )
        #expect(report.presenters.map(\.registeredAt) == ["App/Page.swift:31"])
        #expect(report.claims[1].party.purpose == "u")
        #expect(report.claims[1].insideOf == report.claims[0].party.access)
        #expect(report.waits.map(\.since) == [12.5, 12.5])
        #expect(report.waits[0].waitsFor == [.access(report.claims[0].party.access)])
        let message = "relinquishPresentedItem(toWriter:)"
        #expect(report.waits[1].waitsFor == [.answer(report.presenters[0], message: message)])
        #expect(report.presenters.map(\.path) == ["/a"])
        #expect(report.presenters.map(\.since) == [5])
        let copy = try JSONDecoder().decode(CoordinationReport.self, from: JSONEncoder().encode(report))
        #expect(copy == report)
    }

    @Test("A claim is dated from when it was granted")
    func granted() {
        var script = ArbiterScript()
        script.pass(to: 1)
        _ = script.write("w", "/a")
        _ = script.read("r", "/a")
        script.pass(to: 9)
        _ = script.end("w")
        #expect(CoordinationReport(of: script.arbiter, Self.labels).claims.map(\.since) == [9])
    }

    @Test("A deadlock is told in one sentence that names everyone")
    func sentence() throws {
        var arbiter = AccessArbiter()
        let (one, two) = (ClientID(1), ClientID(2))
        func request(
            _ client: ClientID,
            _ number: UInt64,
            _ path: String,
            in outer: UInt64? = nil
        ) throws
            -> AccessRequest
        {
            AccessRequest(
                id: AccessID(client: client, number: number),
                purpose: .coordinator(client, number),
                claims: [AccessClaim(try #require(ItemPath(path)), use: .writing(.updating))],
                nestedIn: outer.map { AccessID(client: client, number: $0) }
            )
        }
        arbiter.now = 100
        _ = try arbiter.request(request(one, 1, "/a"))
        _ = try arbiter.request(request(two, 1, "/b"))
        arbiter.now = 102.25
        _ = try arbiter.request(request(one, 2, "/b", in: 1))
        let effects = try arbiter.request(request(two, 2, "/a", in: 1))
        guard case .fail(_, .deadlock(let cycle)) = effects.first else {
            Issue.record("no deadlock in \(effects)")
            return
        }
        let labels = CoordinationLabels(
            processes: [one: .init(id: 71, name: "Scrapbook"), two: .init(id: 72, name: "Color")]
        )
        let broken = BrokenCycle(cycle, in: arbiter, labels)
        #expect(
            broken.sentence == """
                Color (process 72) waits to write “/a”, where Scrapbook (process 71) has been writing for \
                2.2 s; inside that, Scrapbook (process 71) waits to write “/b”, where Color (process 72) has \
                been writing for 2.2 s; inside that, the first was asked for
                """
        )
        let report = CoordinationReport(of: arbiter, labels, brokenCycles: [broken])
        let copy = try JSONDecoder().decode(CoordinationReport.self, from: JSONEncoder().encode(report))
        #expect(copy.brokenCycles == [broken])
    }
}

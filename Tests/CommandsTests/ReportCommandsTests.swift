import Commands
import Coordination
import Foundation
import Testing

@Suite("sheaf locks, sheaf doctor")
struct ReportCommandsTests {
    private static let now: Double = 1000

    /// One writer, one reader that waits for it, one that waits for a presenter, and a deadlock of before.
    private static func report() throws -> CoordinationReport {
        var arbiter = AccessArbiter()
        let (one, two) = (ClientID(1), ClientID(2))
        let presenter = PresenterID(client: one, number: 9)
        func request(
            _ client: ClientID,
            _ number: UInt64,
            _ path: String,
            _ use: AccessClaim.Use,
            in outer: UInt64? = nil
        )
            throws -> AccessRequest
        {
            AccessRequest(
                id: AccessID(client: client, number: number),
                purpose: .coordinator(client, number),
                claims: [AccessClaim(try #require(ItemPath(path)), use: use)],
                nestedIn: outer.map { AccessID(client: client, number: $0) }
            )
        }
        arbiter.presenterAdded(presenter, at: ItemPath("/docs/Sea.txt"))
        arbiter.now = now - 20
        _ = try arbiter.request(request(one, 1, "/docs/a", .writing(.updating)))
        arbiter.now = now - 10
        _ = try arbiter.request(request(two, 2, "/docs/a", .reading(savesFirst: true)))
        arbiter.now = now - 0.25
        _ = try arbiter.request(request(two, 3, "/docs/Sea.txt", .writing(.deleting)))
        let labels = CoordinationLabels(
            processes: [one: .init(id: 71, name: "Scrapbook"), two: .init(id: 72, name: "Color\u{1B}[2J")],
            presenters: [presenter: .init(typeName: "Note", since: now - 300, place: "App/Note.swift:12")]
        )
        let failed = try arbiter.request(request(one, 4, "/docs/a", .reading(savesFirst: true), in: 1))
        guard case .fail(_, .deadlock(let cycle)) = failed.first else {
            throw CocoaError(.featureUnsupported)
        }
        var earlier = arbiter
        earlier.now = now - 60
        let broken = BrokenCycle(cycle, in: earlier, labels)
        arbiter.now = now
        return CoordinationReport(of: arbiter, labels, brokenCycles: [broken])
    }

    @Test("Locks shows claims, waits and presenters, with names and times")
    func locks() throws {
        let report = try Self.report()
        let tool = Tool.sheaf(reports: ReportSource { report })
        let expected = """
            held:
              write  /docs/a
                     Scrapbook (process 71), for 20.0 s
            waiting:
              read   /docs/a
                     Color?[2J (process 72), for 10.0 s
                     because Scrapbook (process 71) has had it for 20.0 s
              delete /docs/Sea.txt
                     Color?[2J (process 72), for 250 ms
                     because Note (registered at App/Note.swift:12, 5 min ago) in Scrapbook (process 71) has not answered relinquishPresentedItem(toWriter:)
            presented:
              /docs/Sea.txt
                     Note in Scrapbook (process 71), for 5 min, registered at App/Note.swift:12

            """
        #expect(outcome(["locks"], of: tool) == (expected, "", .success))
        let json = outcome(["locks", "--json"], of: tool)
        #expect(try JSONDecoder().decode(CoordinationReport.self, from: Data(json.said.utf8)) == report)
        #expect(json.code == .success)
    }

    @Test("The doctor tells of deadlocks and long waits, and ends with 1 if there are any")
    func doctor() throws {
        let report = try Self.report()
        let sick = outcome(["doctor"], of: Tool.sheaf(reports: ReportSource { report }))
        #expect(
            sick.said == """
                A deadlock was broken 1 min ago: Scrapbook (process 71) waits to read “/docs/a”, where \
                Scrapbook (process 71) has been writing for 0 ms; inside that, the first was asked for.

                Color?[2J (process 72) has waited 10.0 s to read “/docs/a”: Scrapbook (process 71) has had it \
                for 20.0 s.

                """
        )
        #expect(sick.code == .failure && sick.complained.isEmpty)
        let empty = CoordinationReport(of: AccessArbiter(), CoordinationLabels())
        let tool = Tool.sheaf(reports: ReportSource { empty })
        #expect(outcome(["doctor"], of: tool) == ("Nothing is wrong.\n", "", .success))
        #expect(outcome(["locks"], of: tool).said == "held: nothing\nwaiting: nothing\npresented: nothing\n")
    }

    @Test(
        "The doctor tells what is wrong with folders in step, with what helps, whether or not anybody coordinates"
    )
    func doctorOfFolders() throws {
        let findings = [
            DoctorRole.Finding("notRunning", "Nothing is kept in step.", remedy: "Start it: sheaf up."),
            DoctorRole.Finding("noRoom", folder: "/me/Shared", "There is no room.", remedy: "Make some."),
        ]
        let report = try Self.report()
        let absent = ReportSource { throw CocoaError(.fileNoSuchFile) }
        let tool = Tool.sheaf(reports: absent, doctor: DoctorRole { findings })
        let sick = outcome(["doctor"], of: tool)
        #expect(
            sick.said == """
                Nothing is kept in step.
                  Next: Start it: sheaf up.

                /me/Shared: There is no room.
                  Next: Make some.

                """
        )
        #expect(sick.code == .failure && sick.complained.hasPrefix("Accesses are not looked at: "))
        let well = outcome(["doctor"], of: Tool.sheaf(reports: absent, doctor: DoctorRole { [] }))
        #expect(well.said == "Nothing is wrong.\n" && well.code == .success)
        let both = Tool.sheaf(reports: ReportSource { report }, doctor: DoctorRole { findings })
        let json = outcome(["doctor", "--json"], of: both)
        #expect(json.code == .failure && json.complained.isEmpty)
        #expect(try JSONDecoder().decode(CoordinationReport.self, from: Data(json.said.utf8)) == report)
        struct Found: Decodable { var findings: [DoctorRole.Finding] }
        let found = try JSONDecoder().decode(Found.self, from: Data(json.said.utf8)).findings
        #expect(found.map(\.kind) == ["accesses", "accesses", "notRunning", "noRoom"])
        #expect(Array(found.suffix(2)) == findings)
        // What cannot be looked at is no folder that nothing is wrong with.
        let blind = Tool.sheaf(
            reports: ReportSource { report },
            doctor: DoctorRole { throw CocoaError(.fileReadUnknown) }
        )
        #expect(outcome(["doctor"], of: blind).code == .failure)
        #expect(outcome(["doctor"], of: blind).said.isEmpty)
    }

    @Test("A report that was saved can be shown again; what is none is refused")
    func saved() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "commands-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A leftover in the temporary directory fails no test.
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("report.json").path
        let report = try Self.report()
        let json = outcome(["locks", "--json"], of: Tool.sheaf(reports: ReportSource { report })).said
        try Data(json.utf8).write(to: URL(fileURLWithPath: file))
        #expect(outcome(["locks", "--json", "--from", file], of: Tool.sheaf()).said == json)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
        let refused = outcome(["doctor", "--from", file], of: Tool.sheaf())
        #expect(
            refused.complained == "sheaf doctor: \(file) is no report as “sheaf locks --json” prints it\n"
        )
        #expect(refused.code == .failure)
        #expect(outcome(["locks", "--from", file + "x"], of: Tool.sheaf()).code == .failure)
        let unread = outcome(["locks", "--from", folder.path], of: Tool.sheaf()).complained
        #expect(unread == "sheaf locks: \(folder.path) cannot be read\n")
        #expect(
            outcome(["locks"], of: Tool.sheaf()).complained
                == "sheaf locks: there is nobody to ask; give a report with --from FILE\n"
        )
    }

    @Test("The example in Docs/formats/report.md is a report, and says all that one can")
    func example() throws {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("Docs/formats/report.md"),
            encoding: .utf8
        )
        let parts = page.components(separatedBy: "```")
        let json = Data(try #require(parts.count == 3 ? parts[1].dropFirst("json".count) : nil).utf8)
        let report = try JSONDecoder().decode(CoordinationReport.self, from: json)
        let again = try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? NSDictionary
        #expect(again == (try JSONSerialization.jsonObject(with: json) as? NSDictionary))
        #expect(report.waits.first?.waitsFor.count == 2 && report.brokenCycles.first?.members.count == 2)
        #expect(report.findings.count == 2)
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Write it anew with `UPDATE_DOCS=1 swift test --filter CommandsTests`.
    @Test("Docs/command.md is what the commands say of themselves, and nothing is wider than 80 columns")
    func manual() throws {
        let page = Self.root.appendingPathComponent("Docs/command.md")
        let manual = Tool.sheaf().manual
        if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
            try Data(manual.utf8).write(to: page)
        }
        #expect(try String(contentsOf: page, encoding: .utf8) == manual)
        for line in manual.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test("What is said of --json is how each command writes times: only accesses have them in seconds")
    func times() {
        let parts = Tool.sheaf().manual.components(separatedBy: "\n## ")
        let inSeconds = parts.filter { $0.contains("seconds since 1970") }
        let names = inSeconds.compactMap { $0.split(separator: "\n").first.map(String.init) }
        #expect(names == ["sheaf locks", "sheaf doctor"])
        let log = parts.first { $0.hasPrefix("sheaf log\n") }
        #expect(log?.contains("each event as a line of JSON") == true)
    }
}

import Commands
import Foundation
import StandardStreams
import Testing

/// What other devices and other people have named, on one's own terminal.
@Suite("What goes to a terminal")
struct PrintableTests {
    private struct Refused: Error, CustomStringConvertible { let description: String }

    /// Erases a screen, and forges a line.
    private static let wicked = "\u{1B}[2J\nfake"
    private static let shown = "?[2J?fake"

    private static func event(_ name: String) -> SyncRole.Event {
        SyncRole.Event(
            date: "2026-05-01T10:00:00Z",
            folder: "/\(name)",
            text: "received \(name)",
            isWrong: false
        )
    }

    private static func folder(_ name: String) -> SyncRole.Folder {
        var folder = SyncRole.Folder(
            folder: "/\(name)",
            hub: "http://\(name)",
            line: "down",
            lineFailure: name,
            itemCount: 40,
            unsettledCount: 2,
            isSettled: false,
            stuck: [name: name]
        )
        folder.lineRemedy = name
        var open = SyncRole.HubDeed(kind: "altered", since: "2026", text: name, next: name)
        open.path = name
        var ended = open
        ended.putRight = "2027"
        folder.hubDeeds = [open, ended]
        folder.notes = [.init(path: name, text: name, isLeftOut: true)]
        folder.noteCount = 2
        folder.brakes = [.init(isLeaving: true, waitingCount: 20, itemCount: 40)]
        return folder
    }

    private static func folders(_ name: String) -> [SyncRole.Folder] {
        var gone = folder(name)
        gone.brakes = []
        gone.largeChange = .init(itemCount: 40, restorePoint: 41)
        return [folder(name), gone]
    }

    private static func item(_ name: String) -> SyncRole.Item {
        let cause = SyncRole.Item.Cause("paused", name, remedy: name)
        var item = SyncRole.Item(path: name, isSettled: true, change: "none", causes: [cause], next: name)
        (item.notes, item.whereabouts) = ([name], ["It is on “\(name)”."])
        item.devices = [.init(name: name, isThis: false, standing: "current", asked: nil)]
        return item
    }

    private static func sync(_ name: String) -> SyncRole {
        SyncRole(
            join: { _, _ in "“\(name)” is joined" },
            pair: { _, _, _ in },
            up: { _, _ in },
            status: { folders(name) },
            explain: { path in path == "/none" ? nil : item(name) },
            log: { _, tell in tell(event(name)) },
            decide: { _, _ in throw Refused(description: name) },
            goBack: { _ in SyncRole.WayBack(itemCount: 1, restorePoint: 1, newer: [name], lost: [name]) },
            limit: { _, _ in name },
            evict: { _ in throw Refused(description: name) },
            pause: { _ in throw Refused(description: name) },
            resume: { _, _ in throw Refused(description: name) },
            download: { _, _ in throw Refused(description: name) }
        )
    }

    private static func devices(_ name: String) -> [SharingRole.Device] {
        [
            SharingRole.Device(id: "0000aa", name: "desk", since: nil, isThis: true),
            SharingRole.Device(id: "1111aa", name: name, since: "2026", letInBy: "desk"),
            SharingRole.Device(
                id: "2222aa",
                name: name,
                since: nil,
                isRevoked: true,
                revokedBy: name,
                letInBy: name,
                letInByID: "1111aa"
            ),
        ]
    }

    private static func sharing(_ name: String) -> SharingRole {
        SharingRole(
            devices: { _ in devices(name) },
            revoke: { _, device in "“\(device.name)” is shut out.\nIt may share others:\n" },
            letIn: { _, device in
                device.id == "2222aa" ? [] : [.init(id: "4444aa", name: name, since: nil, letInBy: name)]
            },
            leave: { _ in },
            forget: { _, _ in },
            makeRecoveryKey: { _, _, show in try show(["KEY1", "KEY2"]) },
            checkRecoveryKey: { _, _ in throw Refused(description: name) },
            ask: { question, console in
                console.say(question)
                return .yes
            }
        )
    }

    private static func version(_ name: String) -> VersionsRole.Version {
        VersionsRole.Version(
            id: "00aa",
            date: "2026",
            device: name,
            reason: name,
            byteCount: 1,
            isConflict: false
        )
    }

    private static func condition(_ name: String) -> VaultRole.Condition {
        VaultRole.Condition(
            checkedByteCount: 1,
            versionCount: 1,
            faults: [name],
            brokenVersions: [.init(id: "00aa", item: name, date: "2026")]
        )
    }

    private static func finding(_ name: String) -> DoctorRole.Finding {
        DoctorRole.Finding("noRoom", folder: "/\(name)", name, remedy: name)
    }

    private static func tool(_ name: String) -> Tool {
        Tool.sheaf(
            reports: ReportSource { throw Refused(description: name) },
            hub: HubRole(
                serve: { _, _ in throw Refused(description: name) },
                invite: { _ in "" },
                accounts: { _ in ["1  1 folder  \(name)", "2  no folder  \(name)"] },
                folders: { _ in [HubRole.Folder(id: "00aa", account: 1, devices: [.init(name: name)])] },
                remove: { _, _ in },
                keep: { _, _ in },
                ask: { _, _ in .no },
                backUp: { _, _ in },
                restore: { _, _ in }
            ),
            sync: sync(name),
            sharing: sharing(name),
            versions: VersionsRole(
                list: { _ in [version(name)] },
                restore: { _, _, _ in },
                settle: { _ in throw Refused(description: name) }
            ),
            vault: VaultRole(verify: { condition(name) }, repair: { _ in condition(name) }),
            doctor: DoctorRole { [finding(name)] },
            diagnosis: DiagnosisRole(report: { _ in [name: name] }, write: { _, _ in })
        )
    }

    private struct Outcome {
        let said: String
        let complained: String
        let code: ExitCode

        init(_ tool: Tool, _ words: [String]) {
            let (said, complained) = (Transcript(), Transcript())
            code = tool.run(words, Console(say: said.add, complain: complained.add))
            (self.said, self.complained) = (said.text, complained.text)
        }

        var lineCount: Int { (said + complained).unicodeScalars.count { $0 == "\n" } }
    }

    /// Lines after which a name is shown: one that was given, or typed.
    private static func lines(_ name: String) -> [[String]] {
        [
            ["status"], ["explain", "a"], ["log"], ["log", "-f"], ["doctor"], ["locks"], ["vault"],
            ["diagnose"],
            ["join", "/f", "--hub", "h", "--code", "c"], ["explain", "/none", name], ["locks", name],
            ["decide", "/f", "--back"], ["decide", "/f", "--go-on"], ["decide", "/f", "--brake", "30%"],
            ["evict", "a"], ["pause", "a"], ["resume", "a"], ["download", "a"],
            ["devices", "/f"], ["revoke", "/f", "1111"], ["revoke", "/f", "2222"],
            ["revoke", "--yes", "/f", "1111"], ["revoke", "--only", "/f", "1111"],
            ["revoke", "/f", "3333\(name)"],
            ["revoke", "/f", "desk"], ["revoke", "/\(name)", "desk"], ["recovery", "/\(name)"],
            ["recovery", "/f", "--check"], ["versions", "a"], ["versions", name, "--restore", "00aa"],
            ["versions", "a", "--restore", name], ["versions", "a", "--settle"],
            ["hub"], ["hub", "accounts"], ["hub", "folders"], ["hub", name],
        ]
    }

    @Test("A name moves no cursor and forges no line, wherever it comes from")
    func names() {
        let (wicked, harmless) = (Self.tool(Self.wicked), Self.tool("name"))
        for (words, plainWords) in zip(Self.lines(Self.wicked), Self.lines("name")) {
            let (found, plain) = (Outcome(wicked, words), Outcome(harmless, plainWords))
            let text = found.said + found.complained
            let isPlain = text.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.properties.generalCategory != .control
            }
            #expect(isPlain, "\(words): \(text)")
            #expect(text.contains(Self.shown), "\(words): \(text)")
            #expect(found.lineCount == plain.lineCount && found.code == plain.code, "\(words): \(text)")
            let isElsewhereTheSame =
                Self.plainly(found.said) == plain.said && Self.plainly(found.complained) == plain.complained
            #expect(isElsewhereTheSame, "\(words): \(text)")
        }
    }

    /// What is said of the wicked name as if it were the harmless one: also in a command to copy, where it is one word.
    private static func plainly(_ text: String) -> String {
        text.replacing("/\(wicked)".shellWord, with: "/name".shellWord).replacing(shown, with: "name")
    }

    private func decoded<Value: Decodable>(_ words: String...) throws -> Value {
        let json = Outcome(Self.tool(Self.wicked), words).said
        return try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }

    @Test("In JSON a name is what it is")
    func json() throws {
        let name = Self.wicked
        #expect(try decoded("status", "--json") == Self.folders(name))
        #expect(try decoded("explain", "--json", "a") == Self.item(name))
        #expect(try decoded("log", "--json") == Self.event(name))
        #expect(try decoded("devices", "--json", "/f") == Self.devices(name))
        #expect(try decoded("versions", "--json", "a") == [Self.version(name)])
        #expect(try decoded("vault", "--json") == Self.condition(name))
        #expect(try decoded("diagnose", "--json") == [name: name])
        struct Found: Decodable { var findings: [DoctorRole.Finding] }
        let found: Found = try decoded("doctor", "--json")
        #expect(found.findings == [Self.finding(name)])
    }

    @Test(
        "What is harmless stays as it is, and what a terminal would obey is taken out, wherever it stands",
        arguments: [
            ("", ""), ("plain ~ text", "plain ~ text"), ("café 文書", "café 文書"), ("\u{1F}", "?"),
            ("tab\tand\rreturn", "tab?and?return"), ("\u{7F}", "?"), ("é\u{9B}2J", "é?2J"), ("a\n", "a?"),
        ]
    )
    func printable(text: String, shown: String) {
        #expect(text.printable == shown)
    }
}

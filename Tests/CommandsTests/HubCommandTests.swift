import Commands
import Testing

@Suite("sheaf hub")
struct HubCommandTests {
    @Test("An invitation is for the first account, another one, or a new one, and not for two of them")
    func accounts() {
        let invited = Transcript()
        let tool = Self.tool([], Transcript()) { choices in
            invited.add("\(choices.invitedAccount ?? 0),")
            return "AAAAA"
        }
        let complained = Transcript()
        func run(_ words: String...) -> ExitCode {
            tool.run(["hub", "invite"] + words, Console(say: { _ in }, complain: complained.add))
        }
        #expect(run() == .success && run("--account", "2") == .success && run("--new-account") == .success)
        #expect(invited.text == "1,2,0," && complained.text == "")
        #expect(run("--account", "2", "--new-account") == .wrongUse)
        #expect(complained.text.contains("either --account or --new-account"))
        #expect(invited.text == "1,2,0,")
    }

    private static let id = "0123456789abcdef0123456789abcdef"

    /// A hub's folders, what is asked and answered, and what is done.
    private func tool(
        _ done: Transcript,
        _ standing: HubRole.Folder.Standing = .kept,
        answer: SharingRole.Answer = .unanswered
    ) -> Tool {
        var folder = HubRole.Folder(id: Self.id, account: 2, commitCount: 12, byteCount: 3_210_000)
        folder.devices = [.init(name: "Phone"), .init(name: "La\u{1B}ptop", asked: "2026-05-01T10:00:00Z")]
        (folder.changed, folder.standing) = ("2026-05-02T10:00:00Z", standing)
        let folders = [
            folder, HubRole.Folder(id: "0123f" + Self.id.dropFirst(5), account: 1, standing: .gone),
        ]
        return Self.tool(folders, done, answer: answer)
    }

    private static func tool(
        _ folders: [HubRole.Folder],
        _ done: Transcript,
        answer: SharingRole.Answer = .unanswered,
        invite: @escaping @Sendable (HubChoices) -> String = { _ in "" }
    ) -> Tool {
        Tool.sheaf(
            hub: HubRole(
                serve: { _, _ in },
                invite: invite,
                accounts: { _ in [] },
                folders: { _ in folders },
                remove: { choices, id in done.add("remove \(id) \(choices.data ?? "");") },
                keep: { _, id in done.add("keep \(id);") },
                ask: { _, _ in answer },
                backUp: { _, _ in },
                restore: { _, _ in }
            )
        )
    }

    private func run(_ tool: Tool, _ words: String...) -> (code: ExitCode, said: String, complained: String) {
        let (said, complained) = (Transcript(), Transcript())
        let code = tool.run(["hub"] + words, Console(say: said.add, complain: complained.add))
        return (code, said.text, complained.text)
    }

    @Test(
        "Folders are listed with what they take and whose they are, nothing that a terminal would obey among it"
    )
    func folders() {
        let tool = tool(Transcript())
        let line = "\(Self.id)  account 2  12 commits  3.2 MB  changed 2026-05-02T10:00:00Z  Phone, La"
        #expect(run(tool, "folders").said.hasPrefix(line))
        #expect(!run(tool, "folders").said.contains("\u{1B}"))
        #expect(run(tool, "folders").said.contains("removed, and nothing of it is left\n"))
        let json = run(tool, "folders", "--json").said
        #expect(json.hasPrefix("[") && json.contains("\"byteCount\" : 3210000"))
        #expect(
            json.contains("\"asked\" : \"2026-05-01T10:00:00Z\"") && json.contains("\"standing\" : \"gone\"")
        )
    }

    @Test("A folder is removed once somebody has said yes, or was not to be asked")
    func removing() {
        let done = Transcript()
        #expect(run(tool(done), "remove", "01234").code == .failure)
        #expect(run(tool(done, answer: .no), "remove", Self.id).said.contains("Nothing was changed."))
        #expect(done.text == "")
        let asked = run(tool(done, answer: .yes), "remove", "01234", "--data", "/a b")
        #expect(asked.code == .success && done.text == "remove \(Self.id) /a b;")
        #expect(asked.said.contains("sheaf hub keep \(Self.id) --data '/a b'"))
        #expect(run(tool(done), "remove", "01234", "--yes").code == .success)
        #expect(done.text == "remove \(Self.id) /a b;remove \(Self.id) ;")
        // It was before.
        let again = run(tool(done, .removed), "remove", "01234")
        #expect(again.code == .success && again.said.contains("“keep” has it back"))
        #expect(run(tool(done, .removed), "keep", "01234").said.contains("again"))
        #expect(done.text == "remove \(Self.id) /a b;remove \(Self.id) ;keep \(Self.id);")
    }

    @Test("Which folder is meant has to be clear")
    func unclear() {
        let done = Transcript()
        #expect(run(tool(done), "remove", "--yes").complained.contains("sheaf hub remove ID"))
        #expect(run(tool(done), "remove", "0123", "--yes").complained.contains("give more of it"))
        #expect(run(tool(done), "remove", "012", "--yes").complained.contains("no folder “012”"))
        #expect(run(tool(done), "keep", "ffff").complained.contains("sheaf hub folders"))
        #expect(done.text == "")
    }

    @Test(
        "Numbers of bytes are short",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (999_999, "999.9 kB"),
            (1_000_000, "1.0 MB"), (3_210_000_000, "3.2 GB"), (9_000_000_000_000_000, "9000.0 TB"),
        ]
    )
    func bytes(count: Int, text: String) {
        let folder = HubRole.Folder(id: Self.id, account: 1, byteCount: count)
        #expect(
            run(Self.tool([folder], Transcript()), "folders").said
                == "\(Self.id)  account 1  0 commits  \(text)  no device\n"
        )
    }
}

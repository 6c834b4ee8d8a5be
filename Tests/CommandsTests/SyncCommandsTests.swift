import Commands
import Foundation
import Testing

/// The commands about folders that are kept in step: what they say, and how they end.
@Suite("Commands about folders in step")
struct SyncCommandsTests {
    /// What a line came to.
    private struct Answer {
        let said = Transcript()
        let complained = Transcript()
        let code: ExitCode

        init(_ tool: Tool, _ words: String...) { self.init(tool, words) }

        init(_ tool: Tool, _ words: [String]) {
            code = tool.run(words, Console(say: said.add, complain: complained.add))
        }
    }

    private struct Refused: Error, CustomStringConvertible { let description: String }

    func role(
        _ folders: [SyncRole.Folder] = [],
        _ item: SyncRole.Item? = nil,
        join: @escaping @Sendable (SyncRole.Join, Console) throws -> String = { request, _ in
            "joined \(request.folder) at \(request.hub ?? request.code ?? "")"
        }
    ) -> SyncRole {
        SyncRole(
            join: join,
            pair: { _, showsQRCode, console in if showsQRCode { console.say("▀▄\n") } },
            up: { _, _ in },
            status: { folders },
            explain: { _ in item },
            log: { isFollowed, tell in
                for number in 1...(isFollowed ? 2 : 1) {
                    tell(
                        SyncRole.Event(
                            date: "2026-05-01T10:00:00Z",
                            folder: "/shared",
                            text: "event \(number)",
                            isWrong: number == 2
                        )
                    )
                }
            },
            decide: { _, _ in },
            goBack: { folder in
                SyncRole.WayBack(
                    itemCount: 38,
                    restorePoint: 40,
                    newer: ["a.txt"],
                    lost: folder == "/poor" ? ["b.txt"] : []
                )
            },
            limit: { folder, limit in "\(folder): \(limit)" },
            evict: { path in if path != "a.txt" { throw Refused(description: "“\(path)” stays here") } },
            pause: { path in if path != "a.txt" { throw Refused(description: "“\(path)” is busy") } },
            resume: { _, resumption in
                if resumption == .failOnConflict { throw Refused(description: "changed elsewhere") }
            },
            download: { path, progress in
                guard path == "a.txt" else { throw Refused(description: "“\(path)” is not there") }
                progress(0.5)
                progress(1)
            }
        )
    }

    func folder(_ isSettled: Bool, stuck: [String: String] = [:]) -> SyncRole.Folder {
        SyncRole.Folder(
            folder: "/shared/Documents",
            hub: "http://127.0.0.1:7433",
            line: isSettled ? "up" : "down",
            lineFailure: isSettled ? nil : "nobody answers",
            itemCount: 1,
            unsettledCount: isSettled ? 0 : 1,
            isSettled: isSettled,
            stuck: stuck
        )
    }

    @Test("A folder in step is said so, with success")
    func settled() {
        let answer = Answer(Tool.sheaf(sync: role([folder(true)])), "status")
        #expect(answer.code == .success)
        #expect(answer.said.text == "/shared/Documents (http://127.0.0.1:7433)\n  in step: 1 item\n")
    }

    @Test("What there is to know of names is said, and is no failure")
    func notes() throws {
        var noted = folder(true)
        noted.notes = [
            .init(path: "con", text: "Windows keeps it.", isLeftOut: false),
            .init(path: "pipe", text: "It is a pipe.", isLeftOut: true),
        ]
        noted.noteCount = 5
        let answer = Answer(Tool.sheaf(sync: role([noted])), "status")
        #expect(answer.code == .success)
        #expect(
            answer.said.text.hasSuffix(
                """
                  in step: 1 item
                  note: con has a name that is none elsewhere. Windows keeps it.
                  note: pipe is left alone. It is a pipe.
                  note: 3 more names like these

                """
            )
        )
        let json = Answer(Tool.sheaf(sync: role([noted])), "status", "--json")
        #expect(json.code == .success && json.said.text.contains("\"noteCount\""))
        var item = SyncRole.Item(
            path: "con",
            isSettled: true,
            change: "none",
            causes: [SyncRole.Item.Cause("settled", "It is.")],
            next: "Nothing."
        )
        item.notes = ["Windows keeps it."]
        let explained = Answer(Tool.sheaf(sync: role([], item)), "explain", "con")
        #expect(explained.code == .success)
        #expect(explained.said.text == "con\n  It is.\n  Note: Windows keeps it.\n  Next: Nothing.\n")
    }

    @Test("A folder that is not says what keeps it, with failure")
    func unsettled() {
        let answer = Answer(
            Tool.sheaf(sync: role([folder(false, stuck: ["a.txt": "it is locked"])])),
            "status"
        )
        #expect(answer.code == .failure)
        #expect(answer.said.text.contains("no line to the hub: nobody answers"))
        #expect(answer.said.text.contains("a.txt: it is locked"))
    }

    @Test("What cannot go on for one reason is said together, with what helps, and not all of it is named")
    func remedies() throws {
        let names = (0..<12).map { "a\($0 + 10).txt" }
        var full = folder(
            false,
            stuck: Dictionary(uniqueKeysWithValues: names.map { ($0, "the hub is full") })
        )
        full.remedies = Dictionary(uniqueKeysWithValues: names.map { ($0, "Ask for more.") })
        full.stuck["z.txt"] = "it is locked"
        let answer = Answer(Tool.sheaf(sync: role([full])), "status")
        #expect(
            answer.said.text.hasSuffix(
                """
                  a19.txt: the hub is full
                  2 more: the hub is full
                  next: Ask for more.
                  z.txt: it is locked

                """
            ),
            "\(answer.said.text)"
        )
        let json = Answer(Tool.sheaf(sync: role([full])), "status", "--json").said.text
        #expect(json.contains("\"remedies\" : {"))
    }

    @Test("What somebody has to do for the line to be up again is said below it")
    func lineRemedy() {
        var down = folder(false)
        down.lineRemedy = "Register it again."
        let answer = Answer(Tool.sheaf(sync: role([down])), "status")
        #expect(
            answer.said.text.hasSuffix("  no line to the hub: nobody answers\n  next: Register it again.\n")
        )
        let json = Answer(Tool.sheaf(sync: role([down])), "status", "--json")
        #expect(json.said.text.contains(#""lineRemedy" : "Register it again.""#))
    }

    @Test("An item is explained, cause by cause, with the next step")
    func explained() {
        let item = SyncRole.Item(
            path: "a.txt",
            isSettled: false,
            change: "here",
            causes: [
                SyncRole.Item.Cause("nameTaken", "One."),
                SyncRole.Item.Cause("paused", "Two.", since: "2026-01-02T03:04:05Z", remedy: "Resume it."),
            ],
            next: "Wait."
        )
        let answer = Answer(Tool.sheaf(sync: role([], item)), "explain", "a.txt")
        #expect(answer.code == .failure)
        #expect(answer.said.text == "a.txt\n  One.\n  Two.\n  Next: Wait.\n")
        let unknown = Answer(Tool.sheaf(sync: role()), "explain", "b.txt")
        #expect(
            unknown.code == .failure
                && unknown.complained.text.contains("is in no folder that is kept in step")
        )
    }

    @Test("On which devices an item is, and how far its contents have come, is in the text and the JSON")
    func devices() throws {
        var item = SyncRole.Item(
            path: "a.txt",
            isSettled: true,
            change: "none",
            causes: [SyncRole.Item.Cause("settled", "One.")],
            next: "Nothing."
        )
        item.whereabouts = ["It is on “laptop” (this device).", "Not yet on “phone”."]
        item.devices = [
            .init(name: "laptop", isThis: true, standing: "current", asked: nil),
            .init(name: "phone", isThis: false, standing: "behind", asked: "2026-05-01T10:00:00Z"),
        ]
        item.upload = .init(5, of: 10, objects: (1, 2))
        let tool = Tool.sheaf(sync: role([], item))
        #expect(
            Answer(tool, "explain", "a.txt").said.text
                == "a.txt\n  One.\n  It is on “laptop” (this device).\n  Not yet on “phone”.\n  Next: Nothing.\n"
        )
        let json = Answer(tool, "explain", "--json", "a.txt").said.text
        #expect(try JSONDecoder().decode(SyncRole.Item.self, from: Data(json.utf8)) == item)
        for member in ["standing", "isThis", "asked", "doneObjectCount", "totalByteCount", "whereabouts"] {
            #expect(json.contains("\"\(member)\" : "), "\(json)")
        }
    }

    @Test("A folder itself is called as it was typed, and what is not counted is said")
    func folderItself() {
        let item = SyncRole.Item(path: "", isSettled: true, change: "none", causes: [], next: "Nothing.")
        let explained = Answer(Tool.sheaf(sync: role([], item)), "explain", "My Notes").said.text
        #expect(explained == "My Notes\n  Next: Nothing.\n")
        var folder = folder(false, stuck: ["a": "cannot be read"])
        folder.unsettledCount = 0
        let status = Answer(Tool.sheaf(sync: role([folder])), "status").said.text
        #expect(status.contains("  1 item here; not all is in step\n"))
    }

    @Test("Contents go and come, and what keeps them is said")
    func contents() {
        let tool = Tool.sheaf(sync: role())
        #expect(Answer(tool, "pause", "a.txt").code == .success)
        #expect(Answer(tool, "pause", "b.txt").code == .failure)
        #expect(Answer(tool, "resume", "--json", "a.txt").said.text.contains("\"isPaused\" : false"))
        #expect(Answer(tool, "resume", "--fail-on-conflict", "a.txt").code == .failure)
        #expect(Answer(tool, "resume", "--drop-local", "--fail-on-conflict", "a.txt").code == .wrongUse)
        #expect(Answer(tool, "evict", "a.txt").code == .success)
        let stays = Answer(tool, "evict", "b.txt")
        #expect(stays.code == .failure && stays.complained.text.contains("“b.txt” stays here"))
        let come = Answer(tool, "download", "a.txt")
        #expect(come.code == .success && come.said.text == "50 %\n100 %\n")
        let json = Answer(tool, "download", "--json", "a.txt")
        #expect(json.said.text == "{\n  \"isHere\" : true,\n  \"path\" : \"a.txt\"\n}\n")
        #expect(Answer(tool, "download", "b.txt").code == .failure)
    }

    @Test("To join, a hub is needed, and an invitation or a code")
    func joining() {
        let tool = Tool.sheaf(sync: role())
        #expect(Answer(tool, "join", "x", "--invitation", "y").complained.text.contains("--hub is missing"))
        let both = Answer(tool, "join", "x", "--hub", "h", "--invitation", "y", "--code", "z")
        #expect(both.code == .wrongUse && both.complained.text.contains("either --invitation or --code"))
        let paper = Answer(tool, "join", "x", "--hub", "h", "--code", "z", "--recovery")
        #expect(paper.code == .wrongUse && paper.complained.text.contains("--recovery wants an --invitation"))
        let bare = Answer(tool, "join", "x", "--hub", "h", "--recovery")
        #expect(bare.code == .wrongUse && bare.complained.text.contains("--recovery wants an --invitation"))
        #expect(Answer(tool, "join", "x", "--hub", "h", "--code", "z").said.text == "joined x at h\n")
        #expect(Answer(tool, "join", "x", "--code", "z").complained.text.contains("--hub is missing"))
        // Of a folder that is joined the hub is at another address.
        #expect(Answer(tool, "join", "x", "--hub", "h").said.text == "joined x at h\n")
        let named = Answer(tool, "join", "x", "--hub", "h", "--name", "n")
        #expect(named.code == .wrongUse && named.complained.text.contains("either --invitation or --code"))
        // A QR code's text names the hub.
        #expect(Answer(tool, "join", "x", "--code", "h#pair=z").said.text == "joined x at h#pair=z\n")
        #expect(Answer(tool, "pair", "--qr").said.text == "▀▄\nThe other device has the keys now.\n")
        #expect(Answer(tool, "pair").said.text == "The other device has the keys now.\n")
    }

    @Test("Versions are listed, and one is named by its first digits")
    func versions() {
        @Sendable func version(_ id: String, _ isConflict: Bool) -> VersionsRole.Version {
            VersionsRole.Version(
                id: id,
                date: "2026-05-01T10:00:00Z",
                device: "desk",
                reason: "saved",
                byteCount: 12,
                isConflict: isConflict
            )
        }
        let restored = Transcript()
        let tool = Tool.sheaf(
            versions: VersionsRole(
                list: { _ in [version("00aa11bb22", true), version("00bb11bb22", false)] },
                restore: { path, id, target in restored.add("\(path) \(id) \(target ?? "-");") },
                settle: { _ in 1 }
            )
        )
        let listed = Answer(tool, "versions", "a.txt").said.text
        #expect(
            listed == """
                00aa11bb  2026-05-01T10:00:00Z  12 bytes  desk  conflict
                00bb11bb  2026-05-01T10:00:00Z  12 bytes  desk  saved

                """
        )
        #expect(Answer(tool, "versions", "a.txt", "--restore", "00BB").code == .success)
        #expect(Answer(tool, "versions", "a.txt", "--restore", "00aa", "--to", "b.txt").code == .success)
        #expect(restored.text == "a.txt 00bb11bb22 -;a.txt 00aa11bb22 b.txt;")
        #expect(
            Answer(tool, "versions", "a.txt", "--restore", "00").complained.text.contains("several versions")
        )
        #expect(Answer(tool, "versions", "a.txt", "--restore", "cc").complained.text.contains("no version"))
        #expect(Answer(tool, "versions", "a.txt", "--to", "b.txt").code == .wrongUse)
        #expect(Answer(tool, "versions", "a.txt", "--settle").said.text == "Settled: 1.\n")
        let both = Answer(tool, "versions", "a.txt", "--settle", "--restore", "00bb")
        #expect(both.code == .wrongUse && both.complained.text.contains("see sheaf versions --help"))
    }

    @Test("What has come of restoring and settling can be read by scripts")
    func versionsForScripts() throws {
        let tool = Tool.sheaf(
            versions: VersionsRole(
                list: { _ in
                    [
                        VersionsRole.Version(
                            id: "00aa11bb22",
                            date: "2026-05-01T10:00:00Z",
                            device: nil,
                            reason: nil,
                            byteCount: nil,
                            isConflict: false
                        )
                    ]
                },
                restore: { _, _, _ in },
                settle: { _ in 2 }
            )
        )
        func outcome(_ words: String...) throws -> NSDictionary? {
            let said = Answer(tool, ["versions", "--json", "a.txt"] + words).said.text
            return try JSONSerialization.jsonObject(with: Data(said.utf8)) as? NSDictionary
        }
        #expect(try outcome("--settle") == ["path": "a.txt", "settledCount": 2])
        #expect(try outcome("--restore", "00a") == ["path": "a.txt", "version": "00aa11bb22"])
        #expect(
            try outcome("--restore", "00a", "--to", "b.txt") == ["path": "b.txt", "version": "00aa11bb22"]
        )
    }

    @Test("A vault that is whole says so; what is damaged is told, and what still is after a repair")
    func vault() {
        let broken = VaultRole.Condition(
            checkedByteCount: 900,
            versionCount: 3,
            faults: ["damaged: a.pack, 10 bytes from 112 on"],
            brokenVersions: [.init(id: "00aa11bb22", item: "/a.txt", date: "2026-05-01T10:00:00Z")]
        )
        let taken = Transcript()
        let tool = Tool.sheaf(
            vault: VaultRole(
                verify: { broken },
                repair: { vaults in
                    taken.add(vaults.joined(separator: ";"))
                    return .init(checkedByteCount: 900, versionCount: 3, faults: [], brokenVersions: [])
                }
            )
        )
        let verified = Answer(tool, "vault")
        #expect(verified.code == .failure)
        #expect(
            verified.said.text == """
                Of 3 versions, 900 bytes, not all is whole.
                damaged: a.pack, 10 bytes from 112 on
                00aa11bb  2026-05-01T10:00:00Z  /a.txt

                """
        )
        let repaired = Answer(tool, "vault", "--repair", "--from", "/x", "--from", "/y")
        #expect(repaired.code == .success && taken.text == "/x;/y")
        #expect(repaired.said.text == "All is whole: 3 versions, 900 bytes.\n")
        #expect(Answer(tool, "vault", "--from", "/x").complained.text.contains("give both"))
        #expect(Answer(tool, "vault", "--json").said.text.contains("\"brokenVersions\""))
    }

    @Test("The log is told line by line, as text and as JSON")
    func log() {
        let first = "2026-05-01T10:00:00Z   /shared: event 1\n"
        #expect(Answer(Tool.sheaf(sync: role()), "log").said.text == first)
        #expect(
            Answer(Tool.sheaf(sync: role()), "log", "-f").said.text
                == first + "2026-05-01T10:00:00Z ! /shared: event 2\n"
        )
        let json = Answer(Tool.sheaf(sync: role()), "log", "--json", "--follow").said.text
        #expect(json.split(separator: "\n").count == 2 && json.contains(#""isWrong":true"#))
    }

    @Test("What the hub has done is said with what helps, or since when it is put right")
    func hubDeeds() {
        var told = folder(true)
        var open = SyncRole.HubDeed(
            kind: "altered",
            since: "2026-05-01T10:00:00Z",
            text: "The hub has altered it.",
            next: "Have it mended."
        )
        open.path = "a.txt"
        var ended = SyncRole.HubDeed(
            kind: "rolledBack",
            since: "2026-05-01T10:00:00Z",
            text: "The hub was put back to entry 7 of its log.",
            next: "Nothing."
        )
        ended.entry = 7
        ended.putRight = "2026-05-01T10:01:00Z"
        told.hubDeeds = [ended, open]
        let answer = Answer(Tool.sheaf(sync: role([told])), "status")
        #expect(
            answer.said.text.contains(
                "the hub: The hub was put back to entry 7 of its log. Noticed 2026-05-01T10:00:00Z, put right 2026-05-01T10:01:00Z."
            )
        )
        #expect(
            answer.said.text.contains("the hub, a.txt: The hub has altered it. Since 2026-05-01T10:00:00Z.")
        )
        #expect(answer.said.text.contains("next: Have it mended."))
        #expect(!answer.said.text.contains("Nothing."))
        let json = Answer(Tool.sheaf(sync: role([told])), "status", "--json").said.text
        #expect(json.contains("\"kind\" : \"rolledBack\"") && json.contains("\"entry\" : 7"), "\(json)")
    }
}

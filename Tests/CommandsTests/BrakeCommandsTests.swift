import Commands
import Foundation
import Testing

/// What people say of large changes, and what they are told.
@Suite("Commands about large changes")
struct BrakeCommandsTests {
    private struct Answer {
        let said = Transcript()
        let complained = Transcript()
        let code: ExitCode

        init(_ tool: Tool, _ words: String...) {
            code = tool.run(words, Console(say: said.add, complain: complained.add))
        }
    }

    private var role: SyncRole { SyncCommandsTests().role() }

    @Test("Exactly one thing is decided at a time")
    func oneAtATime() {
        for words in [[], ["--go-on", "--put-back"], ["--go-on", "--back"], ["--back", "--brake", "30%"]] {
            let said = Transcript()
            let complained = Transcript()
            let console = Console(say: said.add, complain: complained.add)
            let code = Tool.sheaf(sync: role).run(["decide", "/f"] + words, console)
            #expect(code == .wrongUse && complained.text.contains("give one of"), "\(words)")
        }
        #expect(Answer(Tool.sheaf(sync: role), "decide", "/f", "--go-on").said.text == "It goes on.\n")
    }

    @Test("A share is 1% to 99%, or off", arguments: ["0%", "100%", "-3%", "half", "", "1e1", "٣٠%", "30 %"])
    func wrongShare(typed: String) {
        let answer = Answer(Tool.sheaf(sync: role), "decide", "/f", "--brake", typed)
        #expect(answer.code != .success && answer.said.text == "")
        #expect(answer.complained.text.contains("--brake"), "\(answer.complained.text)")
    }

    @Test("A count is a number from 1 on, and goes with no brake that is off")
    func wrongCount() {
        for typed in ["0", "-1", "x", "9999999999999999999"] {
            let answer = Answer(Tool.sheaf(sync: role), "decide", "/f", "--at-least", typed)
            #expect(answer.code != .success && answer.complained.text.contains("--at-least"), "\(typed)")
        }
        let off = Answer(Tool.sheaf(sync: role), "decide", "/f", "--brake", "off", "--at-least", "3")
        #expect(off.code == .wrongUse && off.complained.text.contains("leave --at-least out"))
    }

    @Test("What is right is passed on, by decide and by join")
    func limits() {
        let answer = Answer(Tool.sheaf(sync: role), "decide", "/f", "--brake", "30%", "--at-least", "5")
        #expect(answer.code == .success)
        #expect(answer.said.text == "/f: \(BrakeLimit(share: .percent(30), countMin: 5))\n")
        let off = Answer(Tool.sheaf(sync: role), "decide", "/f", "--brake", "off")
        #expect(off.said.text == "/f: \(BrakeLimit(share: .off, countMin: nil))\n")
        let asked = Transcript()
        let tool = Tool.sheaf(
            sync: SyncCommandsTests().role(join: { request, _ in
                asked.add("\(request.brake.map { "\($0)" } ?? "nothing")")
                return "joined"
            })
        )
        let hub = ["join", "/f", "--hub", "h", "--invitation", "i"]
        #expect(tool.run(hub + ["--brake", "20"], Console(say: { _ in }, complain: { _ in })) == .success)
        #expect(asked.text == "\(BrakeLimit(share: .percent(20), countMin: nil))")
    }

    @Test("Who goes back is told what comes back, what is newer, and what cannot be had")
    func back() {
        let answer = Answer(Tool.sheaf(sync: role), "decide", "/f", "--back")
        #expect(answer.code == .success)
        #expect(
            answer.said.text == """
                38 items come back, as of entry 40 of the log.
                edited since, stays as it is: a.txt

                """
        )
        let poor = Answer(Tool.sheaf(sync: role), "decide", "/poor", "--back")
        #expect(poor.code == .failure)
        #expect(poor.complained.text == "cannot be had any more, here or at the hub: b.txt\n")
    }

    @Test("The question names its restore point, and later how to go back")
    func status() throws {
        var folder = SyncCommandsTests().folder(false)
        var brake = SyncRole.Folder.Brake(isLeaving: true, waitingCount: 20, itemCount: 40)
        (brake.doneCount, brake.restorePoint) = (20, 41)
        folder.brakes = [brake]
        let asked = Answer(Tool.sheaf(sync: SyncCommandsTests().role([folder])), "status").said.text
        #expect(asked.contains("20 of 40 items were removed or replaced here, after 20 others.\n"))
        #expect(asked.contains("  restore point: entry 41 of the log\n"))
        folder.brakes = []
        folder.largeChange = .init(itemCount: 40, restorePoint: 41)
        folder.brakeLimits = .init(isOff: false, sharePercent: 30, countMin: 5)
        let later = Answer(Tool.sheaf(sync: SyncCommandsTests().role([folder])), "status").said.text
        #expect(later.contains("To go back: sheaf decide /shared/Documents --back\n"))
        folder.folder = "/shared/My Notes"
        let spaced = Answer(Tool.sheaf(sync: SyncCommandsTests().role([folder])), "status").said.text
        #expect(spaced.contains("To go back: sheaf decide '/shared/My Notes' --back\n"))
        #expect(
            later.contains(
                "  you are asked before more than 30 % of all items, and at least 5, go or are replaced\n"
            )
        )
        let json = Answer(Tool.sheaf(sync: SyncCommandsTests().role([folder])), "status", "--json").said.text
        let told = try #require(
            try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        ).first
        #expect((told?["brakeLimits"] as? [String: Any])?["sharePercent"] as? Int == 30)
        #expect((told?["largeChange"] as? [String: Any])?["restorePoint"] as? Int == 41)
    }
}

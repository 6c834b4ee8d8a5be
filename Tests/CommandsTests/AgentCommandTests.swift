import Commands
import Testing

@Suite("sheaf agent")
struct AgentCommandTests {
    /// What a line came to, and how the agent was started by it.
    private struct Answer {
        let said = Transcript()
        let complained = Transcript()
        let started = Transcript()
        let code: ExitCode

        init(_ words: [String]) {
            let started = started
            let role = AgentRole { isOnDemand, presenterLimitSeconds in
                started.add("\(isOnDemand) \(presenterLimitSeconds)")
            }
            code = Tool.sheaf(agent: role).run(words, Console(say: said.add, complain: complained.add))
        }
    }

    @Test("An agent is told the limit for presenters, five seconds where none is said")
    func limits() {
        for (words, started) in [
            (["agent"], "false 5.0"), (["agent", "--on-demand"], "true 5.0"),
            (["agent", "--presenter-limit", "0.3"], "false 0.3"),
            (["agent", "--presenter-limit=3600", "--on-demand"], "true 3600.0"),
            (["agent", "--presenter-limit", "1", "--presenter-limit", "2"], "false 2.0"),
        ] {
            let answer = run(words)
            #expect(answer.code == .success && answer.started.text == started, "\(words)")
        }
        let help = run(["agent", "--help"])
        #expect(help.said.text.contains("how long a presenter may take to answer; else 5"))
        #expect(help.started.text == "")
    }

    @Test("What is no limit is named, and no agent begins")
    func wrong() {
        for value in ["0", "-1", "3600.5", "1e9", "nan", "inf", "soon", "0.3s", " 1"] {
            let answer = run(["agent", "--presenter-limit", value])
            #expect(answer.code == .wrongUse, "\(value)")
            #expect(answer.complained.text.contains("“\(value)” is no SECONDS for --presenter-limit"))
            #expect(answer.started.text == "")
        }
        for words in [["--presenter-limit"], ["--presenter-limit", ""]] {
            let missing = run(["agent"] + words)
            #expect(missing.code == .wrongUse && missing.started.text == "")
            #expect(
                missing.complained.text
                    .contains("--presenter-limit needs a value: --presenter-limit SECONDS")
            )
        }
    }

    @Test("A program that cannot be an agent says so")
    func nobody() {
        let complained = Transcript()
        let console = Console(say: { _ in }, complain: complained.add)
        #expect(Tool.sheaf().run(["agent"], console) == .failure)
        #expect(complained.text.contains("this program cannot be an agent"))
    }

    private func run(_ words: [String]) -> Answer { Answer(words) }
}

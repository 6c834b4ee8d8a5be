import Commands
import Testing

/// The command about reports.
@Suite("sheaf diagnose")
struct DiagnoseCommandTests {
    private struct Report: Encodable {
        struct Part: Encodable {
            var count = 1
            var isSo = false
            var list = [1, 0]
            var none: [String] = []
        }
        struct Row: Encodable {
            var kind: String
            var item: String?
        }

        var name = "folder-1"
        var part = Part()
        var rows = [Row(kind: "line up"), Row(kind: "received", item: "item-1")]
        var share = 0.5
    }

    private let said = Transcript()
    private let written = Transcript()

    private func run(_ words: String...) -> ExitCode {
        let role = DiagnosisRole(
            report: { _ in Report() },
            write: { [written] text, path in written.add("\(path): \(text)") }
        )
        return Tool.sheaf(diagnosis: role).run(words, Console(say: said.add, complain: said.add))
    }

    @Test("It is said in lines, or as JSON, or written into a file")
    func forms() {
        let lines = """
            name: folder-1
            part:
              count: 1
              isSo: no
              list: 1, 0
              none: none
            rows:
              - kind: line up
              - item: item-1, kind: received
            share: 0.5

            """
        #expect(run("diagnose", "/shared") == .success)
        #expect(said.text == lines)
        #expect(run("diagnose", "--output", "report") == .success && said.text == lines)
        #expect(written.text == "report: \(lines)")
        #expect(run("diagnose", "--json") == .success && said.text.contains("\"isSo\" : false"))
    }
}

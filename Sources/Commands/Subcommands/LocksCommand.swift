internal import Coordination

extension Command {
    /// `sheaf locks`
    package static func locks(_ source: ReportSource?) -> Command {
        Command(
            "locks",
            summary: "show who uses which item, who waits for whom, and who presents what",
            details: """
                An access is held from when it is granted until its accessor has returned. A presenter is an \
                object that is asked before others touch its item and told after, such as an open document.
                """,
            [.flag(ReportParameters.json), .option(ReportParameters.from)]
        ) { arguments, console in
            let report = try ReportParameters.report(arguments, source)
            console.say(
                arguments[ReportParameters.json] ? try ReportParameters.json(report) : report.locksText
            )
            return .success
        }
    }
}

internal import Coordination

extension Command {
    /// `sheaf doctor`
    package static func doctor(_ source: ReportSource?) -> Command {
        Command(
            "doctor",
            summary: "find what keeps programs waiting: deadlocks lately, and long waits",
            details: """
                A deadlock is broken when it arises: of those who would have waited for one another for ever, \
                the one that asked last fails. What is shown here is who they were. A wait is long after \
                \(Int(CoordinationReport.longWaitSeconds)) seconds.

                Ends with 1 when it finds anything.
                """,
            [.flag(ReportParameters.json), .option(ReportParameters.from)]
        ) { arguments, console in
            let report = try ReportParameters.report(arguments, source)
            let findings = report.findings
            if arguments[ReportParameters.json] {
                console.say(try ReportParameters.json(report))
            } else {
                console.say(
                    findings.isEmpty
                        ? "Nothing is wrong.\n" : findings.map { $0 + ".\n" }.joined(separator: "\n")
                )
            }
            return findings.isEmpty ? .success : .failure
        }
    }
}

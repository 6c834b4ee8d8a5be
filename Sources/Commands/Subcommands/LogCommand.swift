extension Command {
    /// `sheaf log`
    package static func log(_ role: SyncRole?) -> Command {
        let follow = Flag("follow", letter: "f", "go on with what happens, until told to end")
        return Command(
            "log",
            summary: "show what has happened to the folders that are kept in step",
            details:
                """
                The newest comes last: the last thousand events since sheaf up was started. What was before is kept \
                nowhere but where sheaf up has printed it. “!” is for you to look at.
                """,
            [.flag(follow), .flag(ReportParameters.jsonLines)]
        ) { arguments, console in
            let isJSON = arguments[ReportParameters.jsonLines]
            try SyncRole.required(role).log(arguments[follow]) { event in
                let mark = event.isWrong ? "!" : " "
                let line = ["\(event.date) \(mark) \(event.folder): \(event.text)"].printableLines
                // What is made of text and numbers can be written down.
                console.say(isJSON ? (try? ReportParameters.jsonLine(event)) ?? line : line)
            }
            return .success
        }
    }
}

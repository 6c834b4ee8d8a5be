extension Command {
    /// `sheaf explain`
    package static func explain(_ role: SyncRole?) -> Command {
        Command(
            "explain",
            summary: "say why a file is as it is, what helps, and who else knows of it",
            details: "Ends with 0 for what is in step, else with 1.",
            [
                .flag(ReportParameters.jsonWithDates),
                .positional(Positional("ITEM", "a file, a package or a folder")),
            ]
        ) { arguments, console in
            let path = arguments.items[0]
            guard let item = try SyncRole.required(role).explain(path) else {
                throw ReportError(
                    description: "“\(path)” is in no folder that is kept in step; see sheaf status"
                )
            }
            if arguments[ReportParameters.jsonWithDates] {
                console.say(try ReportParameters.json(item))
            } else {
                // The folder itself has no path in it.
                var lines = [item.path.isEmpty ? path : item.path] + item.causes.map { "  \($0.text)" }
                lines += item.whereabouts.map { "  \($0)" } + item.notes.map { "  Note: \($0)" }
                console.say((lines + ["  Next: \(item.next)"]).printableLines)
            }
            return item.isSettled ? .success : .failure
        }
    }
}

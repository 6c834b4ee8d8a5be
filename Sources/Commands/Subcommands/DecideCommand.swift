extension Command {
    /// `sheaf decide`
    package static func decide(_ role: SyncRole?) -> Command {
        let goOn = Flag("go-on", "the change is right: it is carried out everywhere")
        let putBack = Flag("put-back", "it is not: what was removed or replaced comes back")
        return Command(
            "decide",
            summary: "say what becomes of a change so large that you are asked first",
            details: """
                A change that removes or replaces more than half of all items, and at least twenty, waits for a person, on the \
                device where it was made and on each that it comes to. What is new, moved or merged goes on meanwhile. \
                sheaf status says when something waits.
                """,
            [
                .flag(goOn), .flag(putBack),
                .positional(Positional("FOLDER", "the folder that is kept in step")),
            ]
        ) { arguments, console in
            guard arguments[goOn] != arguments[putBack] else {
                throw ReportError(description: "give either --go-on or --put-back")
            }
            try SyncRole.required(role).decide(arguments.items[0], arguments[goOn])
            console.say(arguments[goOn] ? "It goes on.\n" : "What was comes back.\n")
            return .success
        }
    }
}

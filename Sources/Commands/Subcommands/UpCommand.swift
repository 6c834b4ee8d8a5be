extension Command {
    /// `sheaf up`
    package static func up(_ role: SyncRole?) -> Command {
        let quiet = Flag("quiet", "say only what goes wrong")
        return Command(
            "up",
            summary: "keep all joined folders in step, until told to end",
            details: """
                Ends by an interrupt, by SIGTERM and, unless begun by nohup, with its terminal. What was under way \
                goes on at the next start; nothing is lost.
                """,
            [.flag(quiet)]
        ) { arguments, console in
            try SyncRole.required(role).up(arguments[quiet], console)
            return .success
        }
    }
}

/// What became of an item that was to be paused or resumed.
private struct PauseOutcome: Encodable {
    let path: String
    let isPaused: Bool
}

extension Command {
    private static let item = Positional("ITEM", "a file, a package, or a folder for all that is in it now")

    /// `sheaf pause`
    package static func pause(_ role: SyncRole?) -> Command {
        Command(
            "pause",
            summary:
                "have nothing of files go to other devices, and nothing of theirs come, until they are resumed",
            details: """
                What is done here and elsewhere meanwhile waits, and none of it is lost. Ends with 1 for what is just being \
                brought up to date.
                """,
            [.flag(ReportParameters.jsonOutcome), .positional(item)]
        ) { arguments, console in
            let path = arguments.items[0]
            try SyncRole.required(role).pause(path)
            if arguments[ReportParameters.jsonOutcome] {
                console.say(try ReportParameters.json(PauseOutcome(path: path, isPaused: true)))
            }
            return .success
        }
    }

    /// `sheaf resume`
    package static func resume(_ role: SyncRole?) -> Command {
        let drop = Flag("drop-local", "what the hub has comes; what was done here stays among the versions")
        let fail = Flag(
            "fail-on-conflict",
            "stay paused, and end with 1, if others have changed it meanwhile"
        )
        return Command(
            "resume",
            summary: "have paused files go to other devices again",
            details: """
                What was done here and elsewhere meanwhile is merged, or becomes versions in conflict, as if this device had \
                been away.
                """,
            [.flag(drop), .flag(fail), .flag(ReportParameters.jsonOutcome), .positional(item)]
        ) { arguments, console in
            guard !(arguments[drop] && arguments[fail]) else {
                throw UsageError(
                    description: "--drop-local and --fail-on-conflict do not go together: choose one"
                )
            }
            let path = arguments.items[0]
            let resumption: SyncRole.Resumption =
                arguments[drop] ? .dropLocal : arguments[fail] ? .failOnConflict : .preserveLocal
            try SyncRole.required(role).resume(path, resumption)
            if arguments[ReportParameters.jsonOutcome] {
                console.say(try ReportParameters.json(PauseOutcome(path: path, isPaused: false)))
            }
            return .success
        }
    }
}

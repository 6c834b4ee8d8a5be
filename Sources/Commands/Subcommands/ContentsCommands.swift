/// What became of an item whose contents were to go or to come.
private struct ContentsOutcome: Encodable {
    let path: String
    /// Whether the contents are here now.
    let isHere: Bool
}

extension Command {
    /// `sheaf evict`
    package static func evict(_ role: SyncRole?) -> Command {
        Command(
            "evict",
            summary: "have the contents of files leave this device, which the hub has",
            details: """
                A placeholder takes the place of each, a hidden file named .NAME.icloud: whoever renames, moves or removes it \
                does so with the file. Apps that coordinate get the contents back when they read; for other programs, run \
                sheaf download first. What an app has asked for and is not here yet does not come.

                Stays here: what the hub does not have as it is, what is in conflict, what somebody has open who objects, \
                what a program has open for writing. Then it ends with 1.
                """,
            [
                .flag(ReportParameters.jsonOutcome),
                .positional(Positional("ITEM", "a file, a package, or a folder for all that is in it")),
            ]
        ) { arguments, console in
            try SyncRole.required(role).evict(arguments.items[0])
            if arguments[ReportParameters.jsonOutcome] {
                console.say(
                    try ReportParameters.json(ContentsOutcome(path: arguments.items[0], isHere: false))
                )
            }
            return .success
        }
    }

    /// `sheaf download`
    package static func download(_ role: SyncRole?) -> Command {
        Command(
            "download",
            summary: "have the contents of files come to this device, and wait for them",
            details: "Ends with 0 when all of them are here, else with 1 and the reason.",
            [
                .flag(ReportParameters.jsonOutcome),
                .positional(Positional("ITEM", "a file, a package, or a folder for all that is in it")),
            ]
        ) { arguments, console in
            let isJSON = arguments[ReportParameters.jsonOutcome]
            try SyncRole.required(role).download(arguments.items[0]) { share in
                if !isJSON { console.say("\(Int(share * 100)) %\n") }
            }
            if isJSON {
                console.say(
                    try ReportParameters.json(ContentsOutcome(path: arguments.items[0], isHere: true))
                )
            }
            return .success
        }
    }
}

extension Command {
    /// `sheaf up`
    package static func up(_ role: SyncRole?) -> Command {
        let quiet = Flag("quiet", "say only what goes wrong")
        return Command(
            "up",
            summary: "keep all joined folders in step, until told to end",
            details:
                "Ends by an interrupt or SIGTERM. What was under way goes on at the next start; nothing is lost.",
            [.flag(quiet)]
        ) { arguments, console in
            try SyncRole.required(role).up(arguments[quiet], console)
            return .success
        }
    }

    /// `sheaf status`
    package static func status(_ role: SyncRole?) -> Command {
        Command(
            "status",
            summary: "show how the folders stand that are kept in step",
            details: "Ends with 0 when all is in step, else with 1.",
            [.flag(ReportParameters.json)]
        ) { arguments, console in
            let folders = try SyncRole.required(role).status()
            console.say(arguments[ReportParameters.json] ? try ReportParameters.json(folders) : text(folders))
            return folders.allSatisfy(\.isSettled) ? .success : .failure
        }
    }

    private static func text(_ folders: [SyncRole.Folder]) -> String {
        folders.map { folder in
            var lines = ["\(folder.folder) (\(folder.hub))"]
            if folder.isSettled {
                lines.append("  in step: \(folder.itemCount) \(folder.itemCount == 1 ? "item" : "items")")
            } else {
                let count = folder.unsettledCount
                let items = folder.itemCount == 1 ? "item" : "items"
                lines.append("  \(folder.itemCount) \(items) here; not in step: \(count)")
            }
            if folder.line != "up" {
                lines.append("  no line to the hub: \(folder.lineFailure ?? "it has not been tried yet")")
            }
            for brake in folder.brakes {
                let place = brake.isLeaving ? "here" : "on another device"
                lines.append(
                    """
                      waits for you: \(brake.waitingCount) of \(brake.itemCount) items were removed or replaced \(place).
                      Say: sheaf decide \(folder.folder) --go-on, or --put-back
                    """
                )
            }
            lines += folder.stuck.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
            return lines.joined(separator: "\n") + "\n"
        }.joined()
    }

    /// `sheaf log`
    package static func log(_ role: SyncRole?) -> Command {
        let follow = Flag("follow", letter: "f", "go on with what happens, until told to end")
        return Command(
            "log",
            summary: "show what has happened to the folders that are kept in step",
            details:
                "The newest comes last: the last thousand events since sheaf up was started. “!” is for you to look at.",
            [.flag(follow), .flag(ReportParameters.json)]
        ) { arguments, console in
            let isJSON = arguments[ReportParameters.json]
            try SyncRole.required(role).log(arguments[follow]) { event in
                let line = "\(event.date) \(event.isWrong ? "!" : " ") \(event.folder): \(event.text)\n"
                // What is made of text and numbers can be written down.
                console.say(isJSON ? (try? ReportParameters.jsonLine(event)) ?? line : line)
            }
            return .success
        }
    }

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

    /// `sheaf explain`
    package static func explain(_ role: SyncRole?) -> Command {
        Command(
            "explain",
            summary: "say why a file is as it is, what it waits for, and what helps",
            details: "Ends with 0 for what is in step, else with 1.",
            [.flag(ReportParameters.json), .positional(Positional("ITEM", "a file, a package or a folder"))]
        ) { arguments, console in
            let path = arguments.items[0]
            guard let item = try SyncRole.required(role).explain(path) else {
                throw ReportError(
                    description: "“\(path)” is in no folder that is kept in step; see sheaf status"
                )
            }
            if arguments[ReportParameters.json] {
                console.say(try ReportParameters.json(item))
            } else {
                let causes = item.causes.map { "  \($0)\n" }.joined()
                console.say("\(item.path)\n\(causes)  Next: \(item.next)\n")
            }
            return item.isSettled ? .success : .failure
        }
    }
}

extension Command {
    /// `sheaf decide`
    package static func decide(_ role: SyncRole?) -> Command {
        let goOn = Flag("go-on", "the change is right: it is carried out everywhere")
        let putBack = Flag(
            "put-back",
            "it is not: what waits of it does not happen, and what was is there again"
        )
        let back = Flag("back", "it was not, and has gone on: have back what it has removed or replaced")
        let limit = BrakeLimit.Options()
        return Command(
            "decide",
            summary: "say what becomes of a change so large that you are asked first",
            details: """
                A change that removes or replaces more than half of all items, and at least twenty, waits for a person, on the \
                device where it was made and on each that it comes to. What is new, moved or merged goes on meanwhile. \
                Each item counts once, for ten to twenty minutes: so a change that comes bit by bit is one. \
                sheaf status says when something waits, and names the restore point, the entry of the log after which it came.

                With --back what the last such change has removed or replaced is again what it was at the restore point, as new \
                changes, as long as this device or the hub has it: the hub keeps it for 30 days. What was edited since stays.

                --brake and --at-least say for this device from when on you are asked, from the next change on.
                """,
            [.flag(goOn), .flag(putBack), .flag(back)] + limit.parameters + [
                .positional(Positional("FOLDER", "the folder that is kept in step"))
            ]
        ) { arguments, console in
            let role = try SyncRole.required(role)
            let folder = arguments.items[0]
            let decisions = [goOn, putBack, back].filter { arguments[$0] }
            let limit = try limit.value(arguments)
            guard decisions.count + (limit == nil ? 0 : 1) == 1 else {
                throw UsageError(
                    description: "give one of --go-on, --put-back, --back, or --brake and --at-least"
                )
            }
            if let limit {
                console.say([try role.limit(folder, limit)].printableLines)
            } else if arguments[back] {
                return say(try role.goBack(folder), console)
            } else {
                try role.decide(folder, arguments[goOn])
                console.say(arguments[goOn] ? "It goes on.\n" : "What was comes back.\n")
            }
            return .success
        }
    }

    private static func say(_ back: SyncRole.WayBack, _ console: Console) -> ExitCode {
        let items = back.itemCount == 1 ? "item comes" : "items come"
        console.say("\(back.itemCount) \(items) back, as of entry \(back.restorePoint) of the log.\n")
        for path in back.newer { console.say(["edited since, stays as it is: \(path)"].printableLines) }
        for path in back.lost {
            console.complain(["cannot be had any more, here or at the hub: \(path)"].printableLines)
        }
        return back.lost.isEmpty ? .success : .failure
    }
}

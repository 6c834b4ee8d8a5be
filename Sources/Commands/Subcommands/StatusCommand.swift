internal import StandardStreams

extension Command {
    /// `sheaf status`
    package static func status(_ role: SyncRole?) -> Command {
        Command(
            "status",
            summary: "show how the folders stand that are kept in step",
            details: "Ends with 0 when all is in step, else with 1.",
            [.flag(ReportParameters.jsonWithDates)]
        ) { arguments, console in
            let folders = try SyncRole.required(role).status()
            let isJSON = arguments[ReportParameters.jsonWithDates]
            console.say(isJSON ? try ReportParameters.json(folders) : text(folders))
            return folders.allSatisfy(\.isSettled) ? .success : .failure
        }
    }

    private static func text(_ folders: [SyncRole.Folder]) -> String {
        folders.map { folder in
            var lines = [folder.hub.map { "\(folder.folder) (\($0))" } ?? folder.folder]
            if folder.isSettled {
                lines.append("  in step: \(folder.itemCount) \(folder.itemCount == 1 ? "item" : "items")")
            } else if folder.hub != nil {
                let count = folder.unsettledCount
                let items = folder.itemCount == 1 ? "item" : "items"
                // What keeps others from being looked at is none of them.
                let rest = count == 0 ? "not all is in step" : "not in step: \(count)"
                lines.append("  \(folder.itemCount) \(items) here; \(rest)")
            }
            if folder.line != "up" {
                let what = folder.line == "stopped" ? "stopped" : "no line to the hub"
                lines.append("  \(what): \(folder.lineFailure ?? "it has not been tried yet")")
                if let remedy = folder.lineRemedy { lines.append("  next: \(remedy)") }
            }
            lines += folder.hubDeeds.flatMap { deed -> [String] in
                let subject = deed.path.map { "the hub, \($0)" } ?? "the hub"
                guard let putRight = deed.putRight else {
                    return ["  \(subject): \(deed.text) Since \(deed.since).", "  next: \(deed.next)"]
                }
                return ["  \(subject): \(deed.text) Noticed \(deed.since), put right \(putRight)."]
            }
            for brake in folder.brakes {
                let place = brake.isLeaving ? "here" : "on another device"
                let after = brake.doneCount == 1 ? "1 other" : "\(brake.doneCount) others"
                let others = brake.doneCount == 0 ? "" : ", after \(after)"
                lines += [
                    """
                      waits for you: \(brake.waitingCount) of \(brake.itemCount) items were removed or replaced \(place)\
                    \(others).
                    """,
                    "  restore point: entry \(brake.restorePoint) of the log",
                    "  Say: sheaf decide \(folder.folder.shellWord) --go-on, or --put-back",
                ]
            }
            if let change = folder.largeChange, folder.brakes.isEmpty {
                let items = change.itemCount == 1 ? "item" : "items"
                lines.append(
                    """
                      a large change of \(change.itemCount) \(items) has gone on; restore point: entry \(change.restorePoint) of \
                    the log. To go back: sheaf decide \(folder.folder.shellWord) --back
                    """
                )
            }
            if let limits = folder.brakeLimits, limits != .standard { lines.append("  \(limits.text)") }
            lines += stuckLines(folder)
            lines += folder.notes.map {
                "  note: \($0.path) \($0.isLeftOut ? "is left alone. " : "has a name that is none elsewhere. ")\($0.text)"
            }
            let restCount = folder.noteCount - folder.notes.count
            if restCount > 0 { lines.append("  note: \(restCount) more names like these") }
            return lines.printableLines
        }.joined()
    }

    /// Of items that cannot go on for one reason so many are named.
    private static let namedCountMax = 10

    /// Each item that cannot go on, with the reason; those of one reason together, and below them what helps.
    private static func stuckLines(_ folder: SyncRole.Folder) -> [String] {
        struct Reason: Hashable {
            let why: String
            let helps: String?
        }
        let alike = Dictionary(grouping: folder.stuck) { Reason(why: $1, helps: folder.remedies[$0]) }
            .map { (reason: $0, paths: $1.map(\.key).sorted()) }
        return alike.sorted { $0.paths[0] < $1.paths[0] }.flatMap { reason, paths in
            var lines = paths.prefix(namedCountMax).map {
                "  \($0.isEmpty ? "the folder" : $0): \(reason.why)"
            }
            let restCount = paths.count - lines.count
            if restCount > 0 { lines.append("  \(restCount) more: \(reason.why)") }
            if let helps = reason.helps { lines.append("  next: \(helps)") }
            return lines
        }
    }
}

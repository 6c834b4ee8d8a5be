internal import StandardStreams

extension Command {
    private static let folder = Positional("FOLDER", "the folder that is kept in step")

    /// `sheaf devices`
    package static func devices(_ role: SharingRole?) -> Command {
        Command(
            "devices",
            summary: "list the devices that share a folder, and those that were shut out",
            details: """
                Names and identifiers are what the devices themselves have signed, and so is which one has let in which: all but \
                the first came by another one. Since when one is there is the hub's word. What is called “on paper” has the name \
                of a recovery key; that it is one nobody can tell.
                """,
            [.flag(ReportParameters.jsonWithDates), .positional(folder)]
        ) { arguments, console in
            let devices = try SharingRole.required(role).devices(arguments.items[0])
            console.say(
                arguments[ReportParameters.jsonWithDates]
                    ? try ReportParameters.json(devices)
                    : devices.map { deviceLine($0, among: devices) }.printableLines
            )
            return .success
        }
    }

    /// - Parameter others: Those that it is listed with: where several have the name of the one that has let it in, that is
    ///   told by its identifier.
    static func deviceLine(_ device: SharingRole.Device, among others: [SharingRole.Device]) -> String {
        var words = [device.id, device.name]
        if let since = device.since { words.append("since \(since)") }
        if let name = device.letInBy {
            let isPlain = others.count { $0.name == name } <= 1
            words.append("let in by \(name)" + (isPlain ? "" : device.letInByID.map { " (\($0))" } ?? ""))
        }
        if device.isPaper { words.append("(on paper)") }
        if device.isThis { words.append("(this device)") }
        if device.isRevoked {
            words.append(device.revokedBy.map { "(shut out by \($0))" } ?? "(shut out)")
        }
        return words.joined(separator: "  ")
    }

    /// `sheaf recovery`
    package static func recovery(_ role: SharingRole?) -> Command {
        let replace = Flag("replace", "make a new one though there is one, which opens nothing from then on")
        let check = Flag("check", "ask for the key on paper, and say whether it is right")
        return Command(
            "recovery",
            summary: "make a key on paper, which opens a folder when all devices are lost",
            details: """
                It is shown once, to be written down; nothing of it is kept. With it, sheaf join FOLDER --recovery brings back \
                all that the hub has. It goes on being right when devices are shut out later. Whoever finds it can do the \
                same, given an invitation of the hub: put it away well.
                """,
            [.flag(replace), .flag(check), .positional(folder)]
        ) { arguments, console in
            guard !(arguments[check] && arguments[replace]) else {
                throw UsageError(description: "give either --check or --replace")
            }
            let role = try SharingRole.required(role)
            let folder = arguments.items[0]
            if arguments[check] {
                try role.checkRecoveryKey(folder, console)
                console.say("It is right.\n")
            } else {
                // Said before a former one is shut out: cut off then, this one is in somebody's hands.
                try role.makeRecoveryKey(folder, arguments[replace]) { console.say(paper($0, folder)) }
            }
            return .success
        }
    }

    private static func paper(_ groups: [String], _ folder: String) -> String {
        let lines = stride(from: 0, to: groups.count, by: 4).map { start in
            "    " + groups[start..<min(start + 4, groups.count)].joined(separator: "  ")
        }
        return """
            The recovery key of “\(folder.printable)”. Write it down; it is not shown again.

            \(lines.joined(separator: "\n"))

            Try what you have written: sheaf recovery \(folder.shellWord) --check

            """
    }
}

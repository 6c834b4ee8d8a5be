extension Command {
    private static let folder = Positional("FOLDER", "the folder that is kept in step")

    /// `sheaf devices`
    package static func devices(_ role: SharingRole?) -> Command {
        Command(
            "devices",
            summary: "list the devices that share a folder, and those that were shut out",
            details: """
                Names and identifiers are what the devices themselves have signed. Since when one is there is the hub's word.
                """,
            [.flag(ReportParameters.jsonWithDates), .positional(folder)]
        ) { arguments, console in
            let devices = try SharingRole.required(role).devices(arguments.items[0])
            console.say(
                arguments[ReportParameters.jsonWithDates]
                    ? try ReportParameters.json(devices) : devices.map(line).printableLines
            )
            return .success
        }
    }

    private static func line(_ device: SharingRole.Device) -> String {
        var words = [device.id, device.name]
        if let since = device.since { words.append("since \(since)") }
        if device.isPaper { words.append("(on paper)") }
        if device.isThis { words.append("(this device)") }
        if device.isRevoked {
            words.append(device.revokedBy.map { "(shut out by \($0))" } ?? "(shut out)")
        }
        return words.joined(separator: "  ")
    }

    /// `sheaf revoke`
    package static func revoke(_ role: SharingRole?) -> Command {
        let yes = Flag("yes", "do not ask")
        let alone = Flag(
            "without-hub",
            "for this device: have the folder forgotten here although the hub is gone, or this is the last device"
        )
        return Command(
            "revoke",
            summary: "shut a device out of a folder, such as one that was lost",
            details: """
                The hub refuses it from then on, and all others seal what is new under a new key, by themselves, also those that \
                are off now. It keeps what it has, and what it has read it may have kept; nothing that is written after \
                reaches it. What was changed on it and not sent stays on it. It does not come back: paired again it is a new \
                device.

                This device itself may be given: it leaves. Its folder stays as it is, and is forgotten here.
                """,
            [
                .flag(yes), .flag(alone), .positional(folder),
                .positional(Positional("DEVICE", "its name, or the first digits of its identifier")),
            ]
        ) { arguments, console in
            let role = try SharingRole.required(role)
            let (folder, name) = (arguments.items[0], arguments.items[1])
            if arguments[alone] { return try forget(folder, name, role, asks: !arguments[yes], console) }
            let device = try role.device(name, of: folder)
            guard device.isThis else {
                // What is said of it has several lines, and its name in one of them.
                var named = device
                named.name = device.name.printable
                let said = try role.revoke(folder, named).split(separator: "\n").map(String.init)
                console.say(said.printableLines)
                return .success
            }
            if device.isRevoked {
                try role.leave(folder)
                console.say(
                    [
                        "This device was shut out before; the hub refuses it now. What is in “\(folder)” stays as it is, and is forgotten here."
                    ].printableLines
                )
                return .success
            }
            let others = try role.devices(folder).filter { !$0.isRevoked && !$0.isThis }
            guard !others.isEmpty else {
                throw ReportError(
                    description: """
                        this is the last device that shares the folder: nobody could read what the hub has any more, and nothing \
                        was changed. Have another device join, or keep a key on paper first: sheaf recovery \(folder)
                        """
                )
            }
            console.say(leaving(folder, others))
            guard arguments[yes] || role.ask("Leave? [yes/no] ", console) else {
                console.say("Nothing was changed.\n")
                return .failure
            }
            try role.leave(folder)
            console.say(["This device has left. What is in “\(folder)” stays as it is."].printableLines)
            return .success
        }
    }

    /// Leaves without a word to anybody.
    private static func forget(
        _ folder: String,
        _ name: String,
        _ role: SharingRole,
        asks: Bool,
        _ console: Console
    ) throws -> ExitCode {
        var isDone = true
        try role.forget(folder) { own in
            guard own.isMeant(by: name) else {
                throw ReportError(
                    description: "without the hub only this device can leave, which is called “\(own.name)”"
                )
            }
            console.say(
                [
                    "“\(folder)” stays as it is and is kept in step no more on this device. What was changed here and not sent stays here alone.",
                    "Other devices do not hear of it: shut this one out from one of them, too, if there are any.",
                ].printableLines
            )
            isDone = !asks || role.ask("Forget it? [yes/no] ", console)
            return isDone
        }
        console.say(isDone ? "It is forgotten here.\n" : "Nothing was changed.\n")
        return isDone ? .success : .failure
    }

    private static func leaving(_ folder: String, _ others: [SharingRole.Device]) -> String {
        let folder = folder.printable
        let rest =
            others.allSatisfy(\.isPaper)
            ? "Only the key on paper opens what the hub has then; whoever has lost it has lost that."
            : "Others go on: \(others.filter { !$0.isPaper }.map(\.name.printable).joined(separator: ", "))."
        return """
            This is the device that you are at. It leaves: “\(folder)” stays as it is and is kept in step no more, and what \
            was changed here and not sent stays here alone. \(rest)

            """
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
        let folder = folder.printable
        return """
            The recovery key of “\(folder)”. Write it down; it is not shown again.

            \(lines.joined(separator: "\n"))

            Try what you have written: sheaf recovery \(folder) --check

            """
    }
}

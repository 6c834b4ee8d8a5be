internal import StandardStreams

extension Command {
    /// `sheaf revoke`
    package static func revoke(_ role: SharingRole?) -> Command {
        let yes = Flag("yes", "do not ask")
        let withLetIn = Flag("with-let-in", "shut out, too, what the device has let in, and what that has")
        let only = Flag("only", "shut out the device alone")
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

                What it has let in goes on reading. Whoever found it may have paired a device of his own, so all that came by it, \
                at any depth, is listed, and you are asked about each. With --with-let-in all of that goes, with --only nothing. \
                Where nobody answers, or --yes is given alone, it stays, is named, and the command ends with 1. This device, and \
                what came by it, is not among it.

                This device itself may be given: it leaves. Its folder stays as it is, and is forgotten here.
                """,
            [
                .flag(yes), .flag(withLetIn), .flag(only), .flag(alone),
                .positional(Positional("FOLDER", "the folder that is kept in step")),
                .positional(Positional("DEVICE", "its name, or the first digits of its identifier")),
            ]
        ) { arguments, console in
            let role = try SharingRole.required(role)
            let (folder, name) = (arguments.items[0], arguments.items[1])
            let given = [withLetIn, only, alone].filter { arguments[$0] }
            guard given.count <= 1 else {
                throw UsageError(description: "give one of --with-let-in, --only and --without-hub")
            }
            if arguments[alone] { return try forget(folder, name, role, asks: !arguments[yes], console) }
            let device = try role.device(name, of: folder)
            guard device.isThis else {
                let answers: [(Flag, SharingRole.Answer)] = [
                    (withLetIn, .yes), (only, .no), (yes, .unanswered),
                ]
                let answer = answers.first { arguments[$0.0] }?.1
                return try shutOut(device, of: folder, role, answer, console)
            }
            guard given.isEmpty else {
                throw UsageError(description: "--with-let-in and --only are about another device than this")
            }
            return try leave(device, folder, role, asks: !arguments[yes], console)
        }
    }

    // MARK: Another device

    /// Shuts out a device, which nothing holds up, and then what it has let in, as far as that is wanted.
    ///
    /// - Parameter answer: What is said about each that it has let in; nil where a person is asked.
    private static func shutOut(
        _ device: SharingRole.Device,
        of folder: String,
        _ role: SharingRole,
        _ answer: SharingRole.Answer?,
        _ console: Console
    ) throws -> ExitCode {
        try shutOut(device, of: folder, role, console)
        var answer = answer
        var seen: Set<String> = []
        var unsaid: [SharingRole.Device] = []
        var isAnyOut = true
        // What goes may have let in one more until it went.
        while isAnyOut {
            isAnyOut = false
            let found = try role.letIn(folder, device).filter { seen.insert($0.id).inserted }
            guard !found.isEmpty else { break }
            let head = "“\(device.name)” has let in what shares the folder still:"
            let lines = found.map { "    " + deviceLine($0, among: found + [device]) }
            console.say(([head] + lines).printableLines)
            for other in found {
                switch answer ?? role.ask(question(about: other), console) {
                case .yes:
                    try shutOut(other, of: folder, role, console)
                    isAnyOut = true
                case .no: break
                case .unanswered:
                    unsaid.append(other)
                    // Nor is there anybody who would answer the next one.
                    answer = .unanswered
                }
            }
        }
        guard unsaid.isEmpty else { throw unanswered(unsaid, letInBy: device, folder) }
        return .success
    }

    private static func shutOut(
        _ device: SharingRole.Device,
        of folder: String,
        _ role: SharingRole,
        _ console: Console
    ) throws {
        // What is said of it has several lines, and its name in one of them.
        var named = device
        named.name = device.name.printable
        let said = try role.revoke(folder, named).split(separator: "\n").map(String.init)
        console.say(said.printableLines)
    }

    private static func question(about device: SharingRole.Device) -> String {
        "Shut out “\(device.name.printable)” (\(device.id)), too? [yes/no] "
    }

    private static func unanswered(
        _ devices: [SharingRole.Device],
        letInBy device: SharingRole.Device,
        _ folder: String
    ) -> ReportError {
        let names = devices.map { "“\($0.name)” (\($0.id))" }.joined(separator: ", ")
        let folder = folder.shellWord
        return ReportError(
            description: """
                nobody has said what becomes of \(names): that goes on reading what is new. Shut it out, too, unless it is your \
                own: all by sheaf revoke --with-let-in \(folder) \(device.id), one by sheaf revoke \(folder) and its identifier
                """
        )
    }

    // MARK: This device

    private static func leave(
        _ device: SharingRole.Device,
        _ folder: String,
        _ role: SharingRole,
        asks: Bool,
        _ console: Console
    ) throws -> ExitCode {
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
                    was changed. Have another device join, or keep a key on paper first: \
                    sheaf recovery \(folder.shellWord)
                    """
            )
        }
        console.say(leaving(folder, others))
        guard !asks || role.ask("Leave? [yes/no] ", console) == .yes else {
            console.say("Nothing was changed.\n")
            return .failure
        }
        try role.leave(folder)
        console.say(["This device has left. What is in “\(folder)” stays as it is."].printableLines)
        return .success
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
            isDone = !asks || role.ask("Forget it? [yes/no] ", console) == .yes
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
}

extension Command {
    /// `sheaf join`
    package static func join(_ role: SyncRole?) -> Command {
        let options = JoinOptions()
        return Command(
            "join",
            summary: "have a folder kept in step with those of other devices",
            details: """
                The first device begins a container with an invitation, which sheaf hub says when it starts. --invitation - asks \
                for it: whoever lists the machine's processes sees what is given on the command line, until it is used. Every \
                other one shares it: run sheaf pair on one that has it, and give the code it shows here. Both then show \
                a phrase, which has to be the same: else somebody is between them.

                When all devices are lost, --recovery with an invitation of the hub brings back what that has: see sheaf recovery.

                A hub that was put back to a backup does not know the devices that joined after that: sheaf status says so. \
                End sheaf up there, and give the same FOLDER with the hub's address and an invitation of sheaf hub invite: the \
                device is registered again, as what it was.

                A hub that is at another address by now is told by --hub alone, with a FOLDER that is joined: as long as it knows the \
                device, all else is as it was.

                A folder that is gone for good is replaced by an empty one with --instead-of, once sheaf up has ended: the device \
                goes on as what it is to the others, and all comes from the hub.

                What is in the folder already goes to the container, too. sheaf up keeps it in step from then on; one that \
                runs already has to be ended, and started again.
                """,
            [.positional(Positional("FOLDER", "which; made when it is not there"))] + options.parameters
        ) { arguments, console in
            let request = try options.request(arguments)
            console.say([try SyncRole.required(role).join(request, console)].printableLines)
            return .success
        }
    }

    /// `sheaf pair`
    package static func pair(_ role: SyncRole?) -> Command {
        let qr = Flag("qr", "show a QR code also where this is no terminal")
        return Command(
            "pair",
            summary: "let another device share a folder's container",
            details: """
                Shows a code for sheaf join on the other device, on a terminal as a QR code, too, and then a phrase on both, \
                which has to be the same. The keys go straight from one device to the other, sealed; the hub cannot read \
                them.
                """,
            [
                .positional(Positional("FOLDER", "whose; not needed when there is one", count: .optional)),
                .flag(qr),
            ]
        ) { arguments, console in
            try SyncRole.required(role).pair(arguments.items.first, arguments[qr], console)
            console.say("The other device has the keys now.\n")
            return .success
        }
    }
}

/// What may be said of how a folder is joined.
private struct JoinOptions: Sendable {
    let hub = ValueOption("hub", "ADDRESS", "where the hub is, such as http://127.0.0.1:7433")
    let invitation = ValueOption(
        "invitation",
        "TEXT",
        "begin a new container, by the hub's invitation; or have a hub know this device again; - asks for it, or reads it from standard input"
    )
    let code = ValueOption(
        "code",
        "CODE",
        "share what another device has, by the code that sheaf pair shows there; or by its QR code's text, without --hub"
    )
    let former = ValueOption(
        "instead-of",
        "FORMER",
        "take the place of a folder that is joined here and gone for good, without --hub"
    )
    let recovery = Flag(
        "recovery",
        "bring back what all devices have lost: asks for the key on paper, or reads it from standard input"
    )
    let plain = Flag(
        "without-tls",
        "take a hub at a plain http address of another machine, where the way there is closed to others, as in a VPN"
    )
    let name = ValueOption("name", "NAME", "what to call this device; else the machine's name")
    let identifier = ValueOption(
        "identifier",
        "ID",
        "what apps call the container, such as iCloud.com.example.notes; else it is any app's"
    )
    let limit = BrakeLimit.Options()

    var parameters: [Parameter] {
        [
            .option(hub), .option(invitation), .option(code), .option(former), .flag(recovery), .flag(plain),
            .option(name), .option(identifier),
        ] + limit.parameters
    }

    /// - Throws: `UsageError` for what does not go together.
    func request(_ arguments: Arguments) throws -> SyncRole.Join {
        var request = SyncRole.Join(
            folder: arguments.items[0],
            hub: arguments[hub].last,
            invitation: arguments[invitation].last,
            code: arguments[code].last,
            name: arguments[name].last,
            identifier: arguments[identifier].last
        )
        request.isRecovery = arguments[recovery]
        request.isWithoutTLS = arguments[plain]
        request.brake = try limit.value(arguments)
        request.former = arguments[former].last
        if request.former != nil {
            guard request.hub == nil, request.invitation == nil, request.code == nil, !request.isRecovery,
                request.name == nil, request.identifier == nil, request.brake == nil, !request.isWithoutTLS
            else { throw UsageError(description: "--instead-of stands alone: all else is as it was") }
            return request
        }
        // A QR code's text begins with the hub's address.
        guard request.hub != nil || request.code?.contains("#") == true else {
            throw UsageError(description: "--hub is missing: give the hub's address")
        }
        guard !request.isRecovery || request.invitation != nil else {
            throw UsageError(
                description: "--recovery wants an --invitation: sheaf hub invite prints one at the hub"
            )
        }
        // Without any of that the hub of a folder that is joined is at another address.
        let isMove =
            request.invitation == nil && request.code == nil && request.name == nil
            && request.identifier == nil && request.brake == nil
        guard isMove || (request.invitation == nil) != (request.code == nil) else {
            throw UsageError(description: "give either --invitation or --code")
        }
        return request
    }
}

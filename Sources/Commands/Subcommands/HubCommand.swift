/// What a hub's owner chose.
package struct HubChoices: Hashable, Sendable {
    /// The folder; nil for the user's own.
    package var data: String?
    /// The address as typed; nil for the usual one.
    package var address: String?
    package var isBehindProxy = false
    /// What each account may keep, in bytes; nil for as much as there is room for.
    package var quotaByteCount: Int?
    /// How long released blobs are kept, in days.
    package var retentionDays = 30
    /// Requests a second of one device, in the long run.
    package var deviceRate = 500.0
    /// Requests a second without a token of one address, in the long run.
    package var addressRate = 0.5
    /// Whether a list is printed as JSON.
    package var isJSON = false
    /// Whether nobody is asked before something goes.
    package var isSure = false
    /// Whose device is invited, by the account's number; nil for another person's.
    package var invitedAccount: Int? = 1

    package init() {}
}

/// What a hub does, and what is done to one.
package struct HubRole: Sendable {
    let serve: @Sendable (HubChoices, Console) throws -> Void
    let invite: @Sendable (HubChoices) throws -> String
    let accounts: @Sendable (HubChoices) throws -> [String]
    let folders: @Sendable (HubChoices) throws -> [Folder]
    let remove: @Sendable (HubChoices, _ id: String) throws -> Void
    let keep: @Sendable (HubChoices, _ id: String) throws -> Void
    let ask: @Sendable (_ question: String, Console) -> SharingRole.Answer
    let backUp: @Sendable (HubChoices, String) throws -> Void
    let restore: @Sendable (HubChoices, String) throws -> Void

    /// - Parameters:
    ///   - serve: Returns when the hub has ended well.
    ///   - invite: Returns an invitation.
    ///   - accounts: Returns a line for each account.
    ///   - folders: Returns what is kept, account by account.
    ///   - remove: Removes a folder from the hub, by its whole identifier.
    ///   - keep: Has a folder that was removed be there again.
    ///   - ask: Asks a person something, until he says yes or no.
    ///   - backUp: Copies a hub's folder to another one.
    ///   - restore: Makes a hub's folder of such a copy.
    package init(
        serve: @escaping @Sendable (HubChoices, Console) throws -> Void,
        invite: @escaping @Sendable (HubChoices) throws -> String,
        accounts: @escaping @Sendable (HubChoices) throws -> [String],
        folders: @escaping @Sendable (HubChoices) throws -> [Folder],
        remove: @escaping @Sendable (HubChoices, _ id: String) throws -> Void,
        keep: @escaping @Sendable (HubChoices, _ id: String) throws -> Void,
        ask: @escaping @Sendable (_ question: String, Console) -> SharingRole.Answer,
        backUp: @escaping @Sendable (HubChoices, String) throws -> Void,
        restore: @escaping @Sendable (HubChoices, String) throws -> Void
    ) {
        (self.serve, self.invite, self.accounts) = (serve, invite, accounts)
        (self.folders, self.remove, self.keep, self.ask) = (folders, remove, keep, ask)
        (self.backUp, self.restore) = (backUp, restore)
    }
}

/// The options of `sheaf hub`.
private struct HubOptions {
    let data = ValueOption("data", "DIR", "what the hub keeps is here; else ~/.local/share/sheaf/hub")
    let listen = ValueOption("listen", "ADDRESS:PORT", "where it listens, in numbers; else 127.0.0.1:7433")
    let proxy = Flag("behind-proxy", "a proxy with TLS is in front of it; needed beyond the loopback")
    let quota = ValueOption(
        "quota",
        "BYTES",
        "what each account may keep, such as 50G; else as much as there is room for"
    ) { byteCount($0) }
    let retention = ValueOption("retention", "DAYS", "how long unneeded blobs are kept; else 30") {
        Int($0).flatMap { (0...36_500).contains($0) ? $0 : nil }
    }
    let deviceRate = ValueOption("device-rate", "N", "requests a second of one device; else 500") { rate($0) }
    let addressRate = ValueOption(
        "address-rate",
        "N",
        "requests a second of one address without a token; else 0.5"
    ) { rate($0) }

    let account = ValueOption(
        "account",
        "N",
        "with “invite”: for a device of this account, as “accounts” numbers them; else of the first"
    ) { Int($0).flatMap { $0 > 0 ? $0 : nil } }
    let newAccount = Flag(
        "new-account",
        "with “invite”: for another person, whose folders, devices and quota are apart from all others"
    )

    let yes = Flag("yes", "with “remove”: do not ask")

    var parameters: [Parameter] {
        [
            .option(account), .flag(newAccount), .flag(yes), .flag(ReportParameters.jsonOfFolders),
            .option(data), .option(listen), .flag(proxy), .option(quota), .option(retention),
            .option(deviceRate), .option(addressRate),
        ]
    }

    /// - Throws: `UsageError` for what does not go together.
    func choices(_ arguments: Arguments) throws -> HubChoices {
        if arguments[newAccount], arguments[account].last != nil {
            throw UsageError(description: "give either --account or --new-account")
        }
        var choices = HubChoices()
        choices.data = arguments[data].last
        choices.address = arguments[listen].last
        choices.isBehindProxy = arguments[proxy]
        choices.quotaByteCount = arguments[quota].last
        choices.retentionDays = arguments[retention].last ?? choices.retentionDays
        choices.deviceRate = arguments[deviceRate].last ?? choices.deviceRate
        choices.addressRate = arguments[addressRate].last ?? choices.addressRate
        (choices.isJSON, choices.isSure) = (arguments[ReportParameters.jsonOfFolders], arguments[yes])
        choices.invitedAccount = arguments[newAccount] ? nil : arguments[account].last ?? 1
        return choices
    }

    private static func rate(_ text: String) -> Double? {
        Double(text).flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
    }

    /// Reads a number of bytes, with K, M, G or T for powers of 1024.
    private static func byteCount(_ text: String) -> Int? {
        let units: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]
        let shift = text.last.flatMap { units[$0] }
        guard let number = Int(shift == nil ? text : String(text.dropLast())), number > 0 else { return nil }
        let (byteCount, overflows) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
        return overflows ? nil : byteCount
    }
}

extension Command {
    /// `sheaf hub`
    package static func hub(_ role: HubRole?) -> Command {
        let options = HubOptions()
        let action = Positional(
            "ACTION",
            "“invite” prints an invitation for one more device, “accounts” lists whose documents are here, “folders” what "
                + "is here, “remove” removes the folder ID from the hub, “keep” has one that was removed back, “backup” "
                + "copies the hub to DIR, “restore” makes a hub of the copy in DIR; without one the hub runs until it is told "
                + "to end",
            count: .optional
        )
        let folder = Positional(
            "DIR|ID",
            "for a backup: a folder that is not there yet; else what “folders” calls it, or how that begins",
            count: .optional
        )
        return Command(
            "hub",
            summary: "keep the documents of one's devices in step, without seeing what is in them",
            details: """
                Prints its address, and an invitation for the first device. An invitation works once, and for an \
                hour.

                It speaks HTTP. Beyond the loopback it listens only with --behind-proxy, and then wants a proxy \
                with TLS in front of it: see Docs/hub.md.

                What is removed from the hub no device reaches any more, and each says so; what is in its folder stays as it \
                is. The hub keeps it for as long as what devices have deleted, and has it back with “keep” until then.

                All but “restore” work while it runs, and while it does not. “restore” wants --data, or the usual folder, not \
                to be there.
                """,
            [.positional(action), .positional(folder)] + options.parameters
        ) { arguments, console in
            guard let role else { throw ReportError(description: "this program cannot be a hub") }
            return try run(role, try options.choices(arguments), arguments.items, console)
        }
    }

    private static func run(
        _ role: HubRole,
        _ choices: HubChoices,
        _ items: [String],
        _ console: Console
    ) throws -> ExitCode {
        switch (items.first, items.dropFirst().first) {
        case (nil, _): try role.serve(choices, console)
        case ("invite", nil): console.say(try role.invite(choices) + "\n")
        case ("accounts", nil): console.say(try role.accounts(choices).printableLines)
        case ("folders", nil): try list(role, choices, console)
        case ("remove", let name?): return try remove(name, role, choices, console)
        case ("keep", let name?): try keep(name, role, choices, console)
        case ("remove", nil), ("keep", nil):
            throw UsageError(
                description: "which folder? Say “sheaf hub \(items[0]) ID”; “sheaf hub folders” lists them"
            )
        case ("backup", let folder?): try role.backUp(choices, folder)
        case ("restore", let folder?): try role.restore(choices, folder)
        case ("backup", nil), ("restore", nil):
            throw UsageError(description: "which folder? Say “sheaf hub \(items[0]) DIR”")
        default:
            let line = items.joined(separator: " ")
            throw UsageError(description: "“\(line)” is nothing that a hub does")
        }
        return .success
    }
}

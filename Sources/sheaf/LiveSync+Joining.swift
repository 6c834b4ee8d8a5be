internal import Commands
internal import DeviceSync
internal import FileSystem
internal import Foundation
internal import QRCodes
internal import Sealing
internal import SyncMessages

// How a folder comes to be kept in step here, and how this device lets in another.
extension LiveSync {
    /// Has a folder take the place of one that is gone for good.
    private static func replace(_ former: String, by folder: String) throws -> String {
        let home = try DeviceHome(environment: environment)
        let joined = try joined(former, in: home)
        let settings = try home.replaceFolder(of: joined, by: place(folder))
        return """
            “\(settings.folder)” takes the place of “\(joined.settings.folder)”, and gets what the hub has. Keep it in step with: \
            sheaf up
            """
    }

    static func join(_ request: SyncRole.Join, _ console: Console) throws -> String {
        if let former = request.former { return try replace(former, by: request.folder) }
        guard let address = request.hub ?? request.code.flatMap(PairingCode.hubAddress) else {
            throw Refusal(
                "The code names no hub. Give the hub's address with --hub, or type the code once more."
            )
        }
        guard let hub = URL(string: address), hub.host != nil,
            ["http", "https"].contains(hub.scheme?.lowercased())
        else {
            throw UsageError(
                description: "“\(address)” is not the address of a hub: give one like http://127.0.0.1:7433"
            )
        }
        guard !isInTheClear(hub) || request.isWithoutTLS else {
            throw Refusal(
                """
                “\(address)” has no TLS: whoever listens on the way could be this device to the hub. Give its https address. \
                --without-tls takes it all the same, where the way there is closed to others, as in a VPN.
                """
            )
        }
        // A hub refuses a name with control characters, and others would have it on their terminals.
        let name = (request.name ?? ProcessInfo.processInfo.hostName).printable
        let joining = Joining(
            try DeviceHome(environment: environment),
            at: hub,
            named: name,
            identifier: request.identifier
        )
        var (settings, said) = try joined(request, by: joining, console)
        if let brake = request.brake {
            settings.brake = LiveBrake.limits(settings.brake, with: brake)
            try DeviceHome(environment: environment).limit(
                settings.container,
                settings.brake ?? BrakeLimits()
            )
        }
        let next =
            isRunning
            ? "sheaf up runs already, and does not know of it yet: end it, and start it again."
            : "Keep it in step with: sheaf up"
        return "“\(settings.folder)” \(said). \(next)"
    }

    /// - Returns: What is kept of a container now, and what has become of its folder.
    private static func joined(
        _ request: SyncRole.Join,
        by joining: Joining,
        _ console: Console
    ) throws -> (ContainerSettings, String) {
        let folder = place(request.folder)
        let invitation = try request.invitation.map { try asked(forInvitation: $0, console) }
        if request.isRecovery {
            let settings = try joining.recover(folder, invitation: invitation ?? "") {
                try LiveSharing.recoveryKey(console)
            }
            return (settings, "is joined")
        }
        if let invitation {
            if let known = try joining.registerAgain(folder, invitation: invitation) {
                return (known, "is registered at the hub again, as the device that it was")
            }
            if let moved = try joining.move(folder) { return (moved, said(of: moved)) }
            return (try joining.begin(folder, invitation: invitation), "is joined")
        }
        if let code = request.code {
            return (try joining.join(folder, code: try self.code(code), person(console)), "is joined")
        }
        if let moved = try joining.move(folder) { return (moved, said(of: moved)) }
        guard try DeviceHome(environment: environment).joined(in: folder) != nil else {
            throw UsageError(description: "give either --invitation or --code")
        }
        throw Refusal("“\(folder)” is kept in step with the hub at that address already.")
    }

    /// An invitation as it was given; for “-” what is typed now, or comes from standard input: an argument is seen by all who list
    /// the machine's processes.
    private static func asked(forInvitation given: String, _ console: Console) throws -> String {
        guard given == "-" else { return given }
        console.say("The hub's invitation: ")
        let typed = (readLine() ?? "").trimmingCharacters(in: .whitespaces)
        guard !typed.isEmpty else { throw Refusal("No invitation was typed.") }
        return typed
    }

    private static func said(of moved: ContainerSettings) -> String {
        "is kept in step with its hub at \(moved.hub) from now on"
    }

    /// - Throws: `Refusal` where it was mistyped.
    private static func code(_ typed: String) throws -> PairingCode {
        do { return try PairingCode(typed: typed) } catch { throw Refusal(error.detail) }
    }

    /// Whether others may listen to what is said to a hub.
    private static func isInTheClear(_ hub: URL) -> Bool {
        hub.scheme?.lowercased() == "http" && !HubClient.isOnThisMachine(hub)
    }

    static func pair(_ folder: String?, _ showsQRCode: Bool, _ console: Console) throws {
        let home = try DeviceHome(environment: environment)
        let joined: JoinedContainer
        if let folder {
            joined = try Self.joined(folder, in: home)
        } else {
            let (all, unreadable) = try home.readContainers()
            if all.isEmpty, let first = unreadable.first { throw first }
            guard let only = all.first, all.count + unreadable.count == 1 else {
                throw Refusal(
                    all.isEmpty
                        ? "No folder is kept in step on this device. Join one first: sheaf join."
                        : "Several folders are kept in step here. Say which: sheaf pair FOLDER."
                )
            }
            joined = only
        }
        let settings = joined.settings
        let joining = Joining(home, at: settings.hub, named: settings.deviceName)
        let plain = isInTheClear(settings.hub) ? " --without-tls" : ""
        let person = PairingPerson(
            show: { code in
                console.say(
                    """
                    On the other device, within ten minutes:

                        sheaf join FOLDER --hub \(settings.hub) --code \(code)\(plain)


                    """
                )
                if HubClient.isOnThisMachine(settings.hub) {
                    console.say("\(Self.ownAddress)\n\n")
                }
                if showsQRCode || isatty(STDOUT_FILENO) == 1 {
                    showQRCode(code.text(hub: "\(settings.hub)"), console)
                }
            },
            compare: person(console).compare
        )
        try joining.invite(to: joined, person)
    }

    private static let ownAddress = """
        At that address the hub is on this machine; another one needs an address that it can reach: see Docs/hub.md.
        """

    private static func showQRCode(_ text: String, _ console: Console) {
        do {
            let code = try QRCode(text)
            console.say(code.terminalText + "\n")
        } catch {
            // There is the code to type.
            console.complain("\(error)\n")
        }
    }

    private static func person(_ console: Console) -> PairingPerson {
        PairingPerson(
            show: { _ in },
            compare: { phrase in
                console.say("This device shows: \(phrase.joined(separator: " "))\n")
                console.say("Does the other one show the same? [yes/no] ")
                while let line = readLine() {
                    switch line.trimmingCharacters(in: .whitespaces).lowercased() {
                    case "y", "yes": return true
                    case "n", "no": return false
                    default: console.say("Type yes or no: ")
                    }
                }
                throw Refusal(
                    """
                    Nobody has said whether the phrases are the same: no keys went over. Begin again, and say yes or no.
                    """
                )
            }
        )
    }
}

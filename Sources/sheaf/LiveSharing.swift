internal import Commands
internal import DeviceSync
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import StandardStreams
internal import Sync

/// What the commands about the devices of a folder do on this machine.
enum LiveSharing {
    static let role = SharingRole(
        devices: devices,
        revoke: { folder, device in try with(folder) { try revoke(device, $0, $1) } },
        letIn: { folder, asked in
            try with(folder) { sharing, _ in try sharing.letIn(by: try id(of: asked)).map(device) }
        },
        leave: { folder in try with(folder) { home, joined, client in try home.leave(joined, at: client) } },
        forget: forget,
        makeRecoveryKey: { folder, replacesFormer, show in
            try with(folder) { sharing, _ in
                try sharing.makeRecoveryKey(replacesFormer: replacesFormer) { groups in
                    try show(groups)
                    // Nobody may have seen it: a former one is to stay right.
                    if let failure = streams.outputFailure { throw failure }
                }
            }
        },
        checkRecoveryKey: { folder, console in
            try with(folder) { sharing, _ in try sharing.check(try recoveryKey(console)) }
        },
        ask: { question, console in ask(question, console) }
    )

    private static func with<Value>(
        _ folder: String,
        _ body: (DeviceHome, JoinedContainer, HubClient) throws -> Value
    ) throws -> Value {
        let home = try DeviceHome(environment: ProcessInfo.processInfo.environment)
        let joined = try LiveSync.joined(folder, in: home)
        let client = try HubClient(joined.settings.hub, token: joined.settings.credentials.token)
        defer { client.close() }
        return try body(home, joined, client)
    }

    private static func with<Value>(
        _ folder: String,
        _ body: (Sharing, [JoinedContainer]) throws -> Value
    ) throws -> Value {
        try with(folder) { home, joined, client in
            // What cannot be read of another is for those who ask about that.
            let others = try home.readContainers().joined.filter {
                $0.settings.container != joined.settings.container
            }
            return try body(home.sharing(of: joined, at: client), others)
        }
    }

    /// All of them; where the hub refuses this one nothing is known of the others.
    private static func devices(_ folder: String) throws -> [SharingRole.Device] {
        do {
            return try with(folder) { sharing, _ in
                let devices = try sharing.devices { error in
                    streams.complain("These are not all, maybe: \("\(error)".printable)\n")
                }
                return devices.map(device)
            }
        } catch let failure as HubFailure where failure.error.code == .revoked {
            return try with(folder) { _, joined, _ in
                var own = own(joined)
                own.isRevoked = true
                return [own]
            }
        }
    }

    private static func own(_ joined: JoinedContainer) -> SharingRole.Device {
        SharingRole.Device(
            id: HexadecimalText.text(of: joined.identity.id.bytes),
            name: joined.settings.deviceName,
            since: nil,
            isThis: true
        )
    }

    private static func forget(_ folder: String, _ isMeant: (SharingRole.Device) throws -> Bool) throws {
        try with(folder) { home, joined, _ in
            guard try isMeant(own(joined)) else { return }
            try home.forget(joined.settings.container)
        }
    }

    private static func device(_ device: SharingDevice) -> SharingRole.Device {
        SharingRole.Device(
            id: HexadecimalText.text(of: device.id.bytes),
            name: device.name,
            since: device.since?.formatted(.iso8601),
            isThis: device.isThis,
            isPaper: device.isPaper,
            isRevoked: device.isRevoked,
            revokedBy: device.revokedBy,
            letInBy: device.letInBy,
            letInByID: device.letInByID.map { HexadecimalText.text(of: $0.bytes) }
        )
    }

    private static func id(of device: SharingRole.Device) throws -> DeviceID {
        guard let bytes = HexadecimalText.bytes(of: device.id) else {
            throw Refusal("“\(device.id)” is no device's identifier.")
        }
        return DeviceID(bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    private static func revoke(
        _ device: SharingRole.Device,
        _ sharing: Sharing,
        _ others: [JoinedContainer]
    ) throws -> String {
        var rest = "All others have a new key."
        switch try sharing.revoke(try id(of: device)) {
        case .wasRevoked(let by, let isRefusedNow):
            let whom = by.map { " by “\($0.printable)”" } ?? ""
            // The hub knows nothing of what is on paper.
            if device.isPaper { return "The key on paper was shut out before\(whom), and opens nothing.\n" }
            return "“\(device.name)” was shut out before\(whom). \(refusal(isRefusedNow))\n"
        case .hadLeft(let isRefusedNow):
            let key = "What is new is sealed under a key that it has not made."
            return "“\(device.name)” had left by itself. \(refusal(isRefusedNow)) \(key)\n"
        case .revokedWithoutKeys(let names): rest = UngivenKeys(names.map(\.printable)).description
        case .revoked: break
        }
        let said =
            device.isPaper
            ? "The key on paper opens nothing any more. \(rest)\n" : "“\(device.name)” is shut out. \(rest)\n"
        let elsewhere = others.map { "    sheaf devices \($0.settings.folder.shellWord)\n" }.joined()
        return said + (others.isEmpty ? "" : "It may share other folders, too:\n\(elsewhere)")
    }

    private static func refusal(_ isNew: Bool) -> String {
        isNew ? "The hub refuses it from now on." : "The hub refuses it already."
    }

    /// Asks whoever types, until he says yes or no.
    static func ask(_ question: String, _ console: Console) -> SharingRole.Answer {
        console.say(question)
        while let line = readLine() {
            switch line.trimmingCharacters(in: .whitespaces).lowercased() {
            case "y", "yes": return .yes
            case "n", "no": return .no
            default: console.say("Type yes or no: ")
            }
        }
        return .unanswered
    }

    /// What is typed from the paper, or comes from standard input: never an argument, which others could see.
    static func recoveryKey(_ console: Console) throws -> RecoveryKey {
        console.say("The recovery key, as it stands on the paper: ")
        var failure: any Error = Refusal("No recovery key was typed.")
        var typed = ""
        while let line = readLine() {
            // It may be typed in several lines, as it stands there; an empty one begins anew.
            typed = line.allSatisfy(\.isWhitespace) ? "" : typed + line
            let signCount = typed.count { $0.isLetter || $0.isNumber }
            guard signCount >= RecoveryKey.signCount else {
                console.say("\(signCount) of \(RecoveryKey.signCount) signs. Go on: ")
                continue
            }
            do { return try RecoveryKey(typed: typed) } catch {
                (failure, typed) = (error, "")
                console.complain("\(error)\n")
            }
        }
        guard typed.isEmpty else { return try RecoveryKey(typed: typed) }
        throw failure
    }
}

internal import Commands
internal import Foundation
internal import HTTPService
internal import Hub
internal import HubProtocol
internal import LocalSockets
internal import StandardStreams

/// `sheaf hub` over this machine's folders.
enum LiveHub {
    static let role = HubRole(
        serve: { choices, console in
            ProcessMemory.keepPassingPieces()
            signal(SIGPIPE, SIG_IGN)
            // No request waits for who reads what is wrong.
            let lines = LineBursts { text, _ in console.complain(text) }
            defer { lines.flush() }
            let options = try HubProcess.Options(choices)
            try HubProcess.run(options, say: console.say) { lines.add($0, isWrong: true) }
        },
        invite: { choices in
            try HubProcess.invite(
                try HubProcess.Options(choices),
                for: choices.invitedAccount.map { AccountID($0) }
            )
        },
        accounts: { choices in
            try HubProcess.accounts(try HubProcess.Options(choices)).map { account in
                let devices =
                    account.deviceNames.isEmpty ? "no device" : account.deviceNames.joined(separator: ", ")
                let folders = account.containerCount == 1 ? "1 folder" : "\(account.containerCount) folders"
                return "\(account.id.number)  \(folders)  \(devices)"
            }
        },
        folders: { try HubProcess.containers(try HubProcess.Options($0)).map(folder) },
        remove: { try HubProcess.remove(try container($1), try HubProcess.Options($0)) },
        keep: { try HubProcess.keep(try container($1), try HubProcess.Options($0)) },
        ask: { LiveSharing.ask($0, $1) },
        backUp: { choices, target in
            try HubBackup.make(of: try HubProcess.Options(choices).folder, to: target) {
                StandardError.say("sheaf hub: \($0)")
            }
        },
        restore: { choices, backup in
            try HubBackup.restore(backup, to: try HubProcess.Options(choices).folder)
        }
    )

    private static func container(_ id: String) throws -> ContainerName {
        guard let container = ContainerName(hexadecimal: id) else {
            throw Refusal("“\(id)” is no folder's identifier; “sheaf hub folders” lists them.")
        }
        return container
    }

    private static func folder(_ container: HubProcess.Container) -> HubRole.Folder {
        let standing: HubRole.Folder.Standing =
            switch container.standing {
            case .kept: .kept
            case .removed: .removed
            case .gone: .gone
            }
        return HubRole.Folder(
            id: "\(container.id)",
            account: container.account.number,
            commitCount: container.commitCount,
            byteCount: container.byteCount,
            devices: container.devices.map { .init(name: $0.name, asked: $0.asked.map(date)) },
            changed: container.committed.map(date),
            standing: standing
        )
    }

    private static func date(_ seconds: Int) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }
}

extension HubProcess.Options {
    /// - Throws: `UsageError` for an address that is none.
    fileprivate init(_ choices: HubChoices) throws {
        self.init()
        data = choices.data
        if let text = choices.address {
            guard let address = ListeningAddress(text) else {
                throw UsageError(
                    description: "“\(text)” is no address: say it in numbers, such as 127.0.0.1:7433"
                )
            }
            self.address = address
        }
        settings.isBehindProxy = choices.isBehindProxy
        settings.quotaByteCount = choices.quotaByteCount ?? settings.quotaByteCount
        settings.retentionSeconds = choices.retentionDays * 86_400
        settings.deviceRate = (burst: 4 * choices.deviceRate, perSecond: choices.deviceRate)
        settings.addressRate = (burst: max(10, 60 * choices.addressRate), perSecond: choices.addressRate)
    }
}

internal import Agent
internal import Commands
internal import Foundation
internal import HTTPService
internal import Hub
internal import LocalSockets

// The `sheaf` command; what there is to it is in Commands, Agent and Hub.

let streams = ProcessStreams()
let console = Console(say: streams.say, complain: streams.complain)
let reports = ReportSource {
    let folder = try RuntimeFolder(environment: ProcessInfo.processInfo.environment)
    guard let report = try AgentQuery.report(in: folder) else { throw AgentError.absent(folder.path) }
    return report
}
let agent = AgentRole { isOnDemand, presenterLimitSeconds in
    var options = AgentProcess.Options()
    (options.isOnDemand, options.presenterLimitSeconds) = (isOnDemand, presenterLimitSeconds)
    try AgentProcess.run(options)
}
let hub = HubRole(
    serve: { choices, console in
        ProcessMemory.keepPassingPieces()
        try HubProcess.run(try HubProcess.Options(choices), say: console.say, complain: console.complain)
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
    backUp: { choices, target in try HubBackup.make(of: try HubProcess.Options(choices).folder, to: target) },
    restore: { choices, backup in try HubBackup.restore(backup, to: try HubProcess.Options(choices).folder) }
)
let tool = Tool.sheaf(
    reports: reports,
    agent: agent,
    hub: hub,
    sync: LiveSync.role,
    sharing: LiveSharing.role,
    versions: LiveVersions.role,
    vault: LiveVault.role,
    doctor: LiveDoctor.role,
    diagnosis: LiveDiagnosis.role
)
let ended = tool.run(Array(CommandLine.arguments.dropFirst()), console)
if let failure = streams.outputFailure {
    streams.complain("sheaf: \(failure)\n")
    exit(max(ended.rawValue, 1))
}
exit(ended.rawValue)

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

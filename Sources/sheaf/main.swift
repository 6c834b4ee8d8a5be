internal import Agent
internal import Commands
internal import Cryptography
internal import Foundation
internal import LocalSockets

// The `sheaf` command; what there is to it is in Commands, Agent and Hub.

LibraryState.keepToTheEnd()
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
let tool = Tool.sheaf(
    reports: reports,
    agent: agent,
    hub: LiveHub.role,
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

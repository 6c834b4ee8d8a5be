internal import Agent
internal import Commands
internal import Foundation
internal import LocalSockets

// The `sheaf` command; what there is to it is in Commands and Agent.

let console = Console(
    say: { FileHandle.standardOutput.write(Data($0.utf8)) },
    complain: { FileHandle.standardError.write(Data($0.utf8)) }
)
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
let tool = Tool.sheaf(reports: reports, agent: agent, sync: LiveSync.role)
exit(tool.run(Array(CommandLine.arguments.dropFirst()), console).rawValue)

import Agent
import Foundation

/// Real processes that coordinate through an agent while they and the agent are killed.
///
///     coordination-harness kill [SEED]       50 processes, 10,000 operations, random SIGKILLs
///     coordination-harness stopped           who is stopped is named, and holds no one up for long
///     coordination-harness reader ITEM       reads an item until its standard input ends, for other tests
///     coordination-harness script [VERSIONS] does what its standard input says (`ScriptedProcess`), for other tests
///     coordination-harness values            an app's key-value store, to be told what to do (`KeyValueProcess`), for other tests
///     coordination-harness query [FOLDER]    a standing query of a folder or of containers (`QueryProcess`), for other tests
@main
enum CoordinationHarness {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch arguments.first {
            case "kill": try KillRun(seed: arguments.dropFirst().first.flatMap { UInt64($0) }).run()
            case "stopped": try StoppedRun.run()
            case "client": try HarnessClient(arguments: Array(arguments.dropFirst())).run()
            case "watcher": try HarnessWatcher.run(Array(arguments.dropFirst()))
            case "presenter":
                try StoppedRun.present(arguments[1], arguments[2])
            case "reader": try LongReader.run(arguments[1])
            case "script": try ScriptedProcess.run(try arguments.dropFirst().first.map(SpokenVersions.range))
            case "values": KeyValueProcess.run()
            case "query": QueryProcess.run(arguments.dropFirst().first)
            case "writer": try StoppedRun.writeAndStop(arguments[1], arguments[2])
            case "starter": try StoppedRun.start(arguments[1])
            case "agent":
                var options = AgentProcess.Options()
                options.isOnDemand = arguments.contains("--on-demand")
                if arguments.contains("--impatient") { options.presenterLimitSeconds = 0.3 }
                options.versions = try SpokenVersions.ofNextAgent() ?? options.versions
                try AgentProcess.run(options)
            default:
                throw HarnessFailure(
                    "usage: coordination-harness kill [SEED] | stopped | reader ITEM | script [VERSIONS] | values | query [FOLDER]"
                )
            }
        } catch {
            FileHandle.standardError.write(Data("coordination-harness: \(error)\n".utf8))
            exit(1)
        }
    }
}

/// Something that must not be.
struct HarnessFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

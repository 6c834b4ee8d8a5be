internal import Commands
internal import Foundation

// The `sheaf` command; what there is to it is in Commands.

let console = Console(
    say: { FileHandle.standardOutput.write(Data($0.utf8)) },
    complain: { FileHandle.standardError.write(Data($0.utf8)) }
)
exit(Tool.sheaf().run(Array(CommandLine.arguments.dropFirst()), console).rawValue)

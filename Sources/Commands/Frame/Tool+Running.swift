internal import Foundation

/// Where a command's words go.
package struct Console: Sendable {
    /// Standard output: what was asked for.
    package let say: @Sendable (String) -> Void
    /// Standard error: what went wrong.
    package let complain: @Sendable (String) -> Void

    package init(
        say: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.say = say
        self.complain = complain
    }
}

extension Tool {
    /// Does what a line says, without the program's own name; the answer is for `exit(_:)`.
    package func run(_ words: [String], _ console: Console) -> ExitCode {
        let invocation: Invocation
        do {
            invocation = try parse(words)
        } catch {
            let help = error.command.map { "\(name) \($0) --help" } ?? "\(name) --help"
            console.complain("\(name): \(error); see \(help)\n")
            return .wrongUse
        }
        switch invocation {
        case .version: console.say("\(name) \(version)\n")
        case .help(let command): console.say(help(command))
        case .run(let command, let arguments):
            do {
                return try command.run(arguments, console)
            } catch let error as UsageError {
                let sentence = "\(name) \(command.name): \(error); see \(name) \(command.name) --help"
                console.complain([sentence].printableLines)
                return .wrongUse
            } catch {
                console.complain(["\(name) \(command.name): \(sentence(error))"].printableLines)
                return .failure
            }
        }
        return .success
    }

    /// What an error says to a person: descriptions of Foundation's own errors are for programs, with all that is in them.
    private func sentence(_ error: any Error) -> String {
        if let error = error as? CocoaError {
            let keys = [Self.targetPathKey, NSFilePathErrorKey]
            let path = keys.compactMap { error.userInfo[$0] as? String }.first
            return (path.map { "“\($0)”: " } ?? "") + error.localizedDescription
        }
        return type(of: error) is NSError.Type ? error.localizedDescription : "\(error)"
    }

    /// Where something was to be copied or moved to.
    private static var targetPathKey: String { "NSDestinationFilePath" }
}

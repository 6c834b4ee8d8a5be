/// What a command was given, checked against what it takes.
package struct Arguments: Hashable, Sendable {
    var flags: Set<String> = []
    var values: [String: [String]] = [:]
    var positionals: [String] = []

    /// Whether a flag was given.
    package subscript(flag: Flag) -> Bool { flags.contains(flag.name) }

    /// The values of an option, in the order given.
    package subscript<Value>(option: ValueOption<Value>) -> [Value] {
        (values[option.name] ?? []).compactMap(option.parse)
    }

    /// What was given by its place, in the order given.
    package var items: [String] { positionals }
}

/// What someone who typed a line wants.
package enum Invocation: Sendable {
    case version
    /// The help of a command, or of the tool.
    case help(Command?)
    case run(Command, Arguments)
}

/// Why a line was not understood, in one sentence. Commands throw it for what does not go together.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// The command whose help would help; needs not be said where a command throws it.
    package var command: String?

    package init(description: String, command: String? = nil) {
        (self.description, self.command) = (description, command)
    }
}

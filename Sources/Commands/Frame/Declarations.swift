/// A switch: given or not.
package struct Flag: Sendable {
    /// The name without dashes: "json".
    package let name: String
    /// What it does, in a few words.
    package let help: String
    /// One letter that does as well, with one dash.
    package let letter: Character?

    package init(_ name: String, letter: Character? = nil, _ help: String) {
        (self.name, self.letter, self.help) = (name, letter, help)
    }

    /// How it may be typed.
    var spellings: [String] { letter.map { ["-\($0)", "--\(name)"] } ?? ["--\(name)"] }
}

/// An option with a value; given again, it has several.
package struct ValueOption<Value: Sendable>: Sendable {
    /// The name without dashes: "report".
    package let name: String
    /// What stands for the value in the help: "FILE".
    package let placeholder: String
    package let help: String
    let parse: @Sendable (String) -> Value?

    /// - Parameter parse: Makes a value of what was typed; nil when it is none.
    package init(
        _ name: String,
        _ placeholder: String,
        _ help: String,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.parse = parse
    }
}

extension ValueOption where Value == String {
    /// An option whose value is any text.
    package init(_ name: String, _ placeholder: String, _ help: String) {
        self.init(name, placeholder, help) { $0 }
    }
}

/// What is given by its place, after the options or between them.
package struct Positional: Sendable {
    package enum Count: Sendable {
        case one, optional, any
    }

    /// What stands for it in the help: "ITEM".
    package let placeholder: String
    package let help: String
    package let count: Count

    package init(_ placeholder: String, _ help: String, count: Count = .one) {
        self.placeholder = placeholder
        self.help = help
        self.count = count
    }
}

/// One thing that a command takes, whatever its type.
package enum Parameter: Sendable {
    case flag(Flag)
    case option(name: String, placeholder: String, help: String, isValid: @Sendable (String) -> Bool)
    case positional(Positional)

    package static func option<Value>(_ option: ValueOption<Value>) -> Parameter {
        .option(
            name: option.name,
            placeholder: option.placeholder,
            help: option.help,
            isValid: { option.parse($0) != nil }
        )
    }
}

/// How a command ends.
package enum ExitCode: Int32, Sendable {
    /// All is fine.
    case success = 0
    /// What was asked for failed; standard error says why.
    case failure = 1
    /// It was not understood; standard error says what.
    case wrongUse = 2
}

/// One subcommand: what it takes, what it says of itself, and what it does.
package struct Command: Sendable {
    package let name: String
    /// What it does, in a few words, for the list of all commands.
    package let summary: String
    /// What there is to know besides, in paragraphs.
    package let details: String
    package let parameters: [Parameter]
    let run: @Sendable (Arguments, Console) throws -> ExitCode

    /// - Parameter run: What it does. Its error's description is shown, with a failure.
    package init(
        _ name: String,
        summary: String,
        details: String = "",
        _ parameters: [Parameter] = [],
        run: @escaping @Sendable (Arguments, Console) throws -> ExitCode
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.parameters = parameters
        self.run = run
    }
}

/// A program of several commands.
package struct Tool: Sendable {
    package let name: String
    package let summary: String
    package let version: String
    package let commands: [Command]

    package init(_ name: String, summary: String, version: String, _ commands: [Command]) {
        self.name = name
        self.summary = summary
        self.version = version
        self.commands = commands
    }
}

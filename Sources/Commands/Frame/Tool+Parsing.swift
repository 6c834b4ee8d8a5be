extension Tool {
    /// Makes sense of a line, without the program's own name.
    package func parse(_ words: [String]) throws(UsageError) -> Invocation {
        guard let first = words.first else { return .help(nil) }
        switch first {
        case "--help", "-h": return .help(nil)
        case "--version": return .version
        case "help":
            guard let name = words.dropFirst().first else { return .help(nil) }
            return .help(try command(name))
        default: break
        }
        if first.hasPrefix("-") {
            throw UsageError(
                description: "unknown option \(quoted(first))" + hint(first, ["--help", "--version"])
            )
        }
        let command = try self.command(first)
        var parser = LineParser(command)
        return try parser.parse(Array(words.dropFirst()))
    }

    private func command(_ name: String) throws(UsageError) -> Command {
        if let found = commands.first(where: { $0.name == name }) { return found }
        throw UsageError(
            description: "unknown command \(quoted(name))" + hint(name, commands.map(\.name) + ["help"])
        )
    }
}

/// Goes through the words that follow a command's name.
private struct LineParser {
    private let command: Command
    private var arguments = Arguments()

    init(_ command: Command) {
        self.command = command
    }

    mutating func parse(_ words: [String]) throws(UsageError) -> Invocation {
        var (rest, onlyPlaces) = (words[...], false)
        while let word = rest.popFirst() {
            if onlyPlaces || !word.hasPrefix("-") || word == "-" {
                // A variable of a script that is not set: to the kernel it is no name, and to Foundation the folder one is in.
                guard !word.isEmpty else { throw error("\(nextPlace) is empty") }
                arguments.positionals.append(word)
            } else if word == "--" {
                onlyPlaces = true
            } else if word == "--help" || word == "-h" {
                return .help(command)
            } else {
                try take(word, &rest)
            }
        }
        try checkCount()
        return .run(command, arguments)
    }

    private mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let (text, attached) = (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
        for parameter in command.parameters {
            switch parameter {
            case .flag(let flag) where flag.spellings.contains(text):
                if let attached { throw error("\(text) takes no value, not even \(quoted(attached))") }
                arguments.flags.insert(flag.name)
                return
            case .option(let name, let placeholder, _, let isValid) where "--" + name == text:
                guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
                    throw error("\(text) needs a value: \(text) \(placeholder)")
                }
                guard isValid(value) else { throw error("\(quoted(value)) is no \(placeholder) for \(text)") }
                arguments.values[name, default: []].append(value)
                return
            default: continue
            }
        }
        throw error("unknown option \(quoted(text))" + hint(text, command.optionNames + ["--help"]))
    }

    /// What stands in the help for the word that comes now.
    private var nextPlace: String {
        let places = command.positionals
        let index = min(arguments.positionals.count, places.count - 1)
        return index >= 0 ? places[index].placeholder : "an argument"
    }

    private func checkCount() throws(UsageError) {
        let places = command.positionals
        let least = places.filter { $0.count == .one }.count
        if arguments.positionals.count < least {
            throw error("\(places[arguments.positionals.count].placeholder) is missing")
        }
        if places.contains(where: { $0.count == .any }) { return }
        if arguments.positionals.count > places.count {
            throw error("\(quoted(arguments.positionals[places.count])) is one argument too many")
        }
    }

    private func error(_ description: String) -> UsageError {
        UsageError(description: description, command: command.name)
    }
}

extension Command {
    var optionNames: [String] {
        parameters.compactMap { parameter in
            switch parameter {
            case .flag(let flag): "--" + flag.name
            case .option(let name, _, _, _): "--" + name
            case .positional: nil
            }
        }
    }

    var positionals: [Positional] {
        parameters.compactMap { if case .positional(let positional) = $0 { positional } else { nil } }
    }
}

/// What was typed, shortened, and without anything that a terminal would obey.
private func quoted(_ text: String) -> String {
    let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(60)))
    return "“" + start.printable + (text.unicodeScalars.count > 60 ? "…”" : "”")
}

/// What may have been meant: "; did you mean --json?"
private func hint(_ typed: String, _ known: [String]) -> String {
    let near = known.map { (name: $0, distance: editDistance(typed, $0)) }
        .filter { $0.distance <= max(1, ($0.name.count + 1) / 3) }
        .min { $0.distance < $1.distance }
    return near.map { "; did you mean \($0.name)?" } ?? ""
}

/// How many letters have to be changed, put in or left out to make one word of the other.
private func editDistance(_ typed: String, _ known: String) -> Int {
    let (typed, known) = (Array(typed.unicodeScalars.prefix(40)), Array(known.unicodeScalars))
    var row = Array(0...known.count)
    for (index, letter) in typed.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for (column, other) in known.enumerated() {
            let change = diagonal + (letter == other ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(change, diagonal + 1, row[column] + 1)
        }
    }
    return row[known.count]
}

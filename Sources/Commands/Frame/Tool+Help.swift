extension Tool {
    /// How wide help is at most.
    static let helpColumns = 80

    /// What the tool or one of its commands says of itself.
    package func help(_ command: Command? = nil) -> String {
        command.map(help(of:)) ?? overview
    }

    /// The whole of the help as a page of Markdown.
    package var manual: String {
        let pages = commands.map { "## \(name) \($0.name)\n\n```\n\(help($0))```\n" }
        return (["# The `\(name)` command\n", "```\n\(help())```\n"] + pages).joined(separator: "\n")
    }

    private var overview: String {
        var lines = [summary, "", "usage: \(name) COMMAND [OPTION]...", "", "commands:"]
        lines += Self.table(commands.map { ($0.name, $0.summary) })
        lines += ["", "options:"]
        lines += Self.table([
            ("--help", "this text; after a command, that command's"), ("--version", "the version"),
            ("--", "what follows is no option, though it may begin with a dash"),
        ])
        lines += ["", "exit status:"]
        lines += Self.table([
            ("0", "all is fine"), ("1", "what was asked for failed, or is not fine"),
            ("2", "it was not understood; nothing was done"),
        ])
        return lines.joined(separator: "\n") + "\n"
    }

    private func help(of command: Command) -> String {
        var lines = Self.wrapped(command.summary, indent: 0)
        lines += ["", usage(of: command)]
        let positionals = command.positionals.map { ($0.placeholder, $0.help) }
        if !positionals.isEmpty { lines += [""] + Self.table(positionals) }
        let options = command.parameters.compactMap { parameter -> (String, String)? in
            switch parameter {
            case .flag(let flag): (flag.spellings.joined(separator: ", "), flag.help)
            case .option(let name, let placeholder, let help, _): ("--\(name) \(placeholder)", help)
            case .positional: nil
            }
        }
        lines += ["", "options:"] + Self.table(options + [("--help", "this text")])
        for paragraph in command.details.split(separator: "\n\n") {
            lines += [""] + Self.wrapped(String(paragraph), indent: 0)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func usage(of command: Command) -> String {
        let places = command.positionals.map { positional in
            switch positional.count {
            case .one: positional.placeholder
            case .optional: "[\(positional.placeholder)]"
            case .any: "[\(positional.placeholder)]..."
            }
        }
        return (["usage: \(name) \(command.name) [OPTION]..."] + places).joined(separator: " ")
    }

    /// Two columns, the second one wrapped.
    private static func table(_ rows: [(String, String)]) -> [String] {
        let width = min(28, (rows.map(\.0.count).max() ?? 0) + 4)
        return rows.flatMap { name, text in
            let lines = wrapped(text, indent: width)
            let padding = String(repeating: " ", count: max(0, width - name.count - 2))
            guard name.count + 2 < width, let first = lines.first else { return ["  " + name] + lines }
            return ["  " + name + padding + first.dropFirst(width)] + lines.dropFirst()
        }
    }

    private static func wrapped(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = margin
        for word in text.split(whereSeparator: \.isWhitespace) {
            if line.count > indent, line.count + 1 + word.count > helpColumns {
                lines.append(line)
                line = margin
            }
            line += (line.count > indent ? " " : "") + word
        }
        return lines + [line]
    }
}

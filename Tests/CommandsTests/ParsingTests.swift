import Commands
import Foundation
import SeededNumbers
import Testing

/// A tool of our own, so that what it takes does not change with the real one.
private let color = ValueOption("color", "NAME", "a color; can be given again") { name in
    ["red", "green"].contains(name) ? name : nil
}
private let quiet = Flag("quiet", "say nothing")
private let paint = Command(
    "paint",
    summary: "paint a wall",
    details: "Walls are painted from the left.\n\nNothing is painted twice.",
    [.flag(quiet), .option(color), .positional(Positional("WALL", "what to paint"))]
) { arguments, console in
    console.say("\(arguments.items) \(arguments[color]) \(arguments[quiet])\n")
    return .success
}
private struct Refusal: Error, CustomStringConvertible { let description = "the wall is wet" }
private let scrape = Command(
    "scrape",
    summary: "take the paint off, of one wall or of any number of them, the ceiling not included",
    [.positional(Positional("WALL", "what to scrape", count: .any))]
) { arguments, _ in
    if arguments.items.isEmpty { throw Refusal() }
    return .success
}
private let tool = Tool("house", summary: "Walls and their paint.", version: "3.1", [paint, scrape])

/// What a line says on standard output and standard error, and how it ends.
func outcome(_ words: [String], of tool: Tool) -> (said: String, complained: String, code: ExitCode) {
    let said = Transcript()
    let complained = Transcript()
    let code = tool.run(words, Console(say: said.add, complain: complained.add))
    return (said.text, complained.text, code)
}

@Suite("The command's frame")
struct ParsingTests {
    @Test(
        "Lines that are understood",
        arguments: [
            ("paint north", "[\"north\"] [] false"),
            ("paint --quiet north --color red", "[\"north\"] [\"red\"] true"),
            ("paint --color=red north --color green", "[\"north\"] [\"red\", \"green\"] false"),
            ("paint -- --quiet", "[\"--quiet\"] [] false"),
            ("paint -", "[\"-\"] [] false"),
            ("paint --quiet --quiet north", "[\"north\"] [] true"),
        ]
    )
    func understood(line: String, said: String) {
        let outcome = outcome(line.split(separator: " ").map(String.init), of: tool)
        #expect(outcome == (said + "\n", "", .success))
    }

    @Test(
        "Lines that are not, each with one line that says what, what is near, and where there is help",
        arguments: [
            ("pant north", "house: unknown command “pant”; did you mean paint?; see house --help"),
            ("sing", "house: unknown command “sing”; see house --help"),
            ("--versoin", "house: unknown option “--versoin”; did you mean --version?; see house --help"),
            (
                "paint --qiet north",
                "house: unknown option “--qiet”; did you mean --quiet?; see house paint --help"
            ),
            ("paint -x", "house: unknown option “-x”; see house paint --help"),
            ("paint", "house: WALL is missing; see house paint --help"),
            ("paint north south", "house: “south” is one argument too many; see house paint --help"),
            ("paint north --color", "house: --color needs a value: --color NAME; see house paint --help"),
            ("paint north --color blue", "house: “blue” is no NAME for --color; see house paint --help"),
            ("paint --quiet=no", "house: --quiet takes no value, not even “no”; see house paint --help"),
            ("help pant", "house: unknown command “pant”; did you mean paint?; see house --help"),
        ]
    )
    func misunderstood(line: String, complaint: String) {
        let outcome = outcome(line.split(separator: " ").map(String.init), of: tool)
        #expect(outcome == ("", complaint + "\n", .wrongUse))
    }

    @Test("An empty word is none: a script's variable that is not set is not to mean the folder one is in")
    func empty() {
        let complaints = [
            ["paint", ""]: "house: WALL is empty; see house paint --help\n",
            ["paint", "--", ""]: "house: WALL is empty; see house paint --help\n",
            ["scrape", "north", ""]: "house: WALL is empty; see house scrape --help\n",
            ["paint", "north", "--color", ""]:
                "house: --color needs a value: --color NAME; see house paint --help\n",
            ["paint", "north", "--color="]:
                "house: --color needs a value: --color NAME; see house paint --help\n",
        ]
        for (words, complaint) in complaints {
            #expect(outcome(words, of: tool) == ("", complaint, .wrongUse))
        }
    }

    @Test("An error of Foundation's says what and which file, not all that is in it")
    func foundationErrors() {
        let errors: [(any Error, String)] = [
            (CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "/walls/north"]), "“/walls/north”: "),
            (CocoaError(.fileWriteNoPermission), ""),
            (NSError(domain: NSPOSIXErrorDomain, code: 28), ""),
        ]
        for (error, start) in errors {
            let fall = Command("fall", summary: "") { _, _ in throw error }
            let failing = Tool("house", summary: "", version: "", [fall])
            let complaint = outcome(["fall"], of: failing).complained
            #expect(complaint.hasPrefix("house fall: " + start), "\(complaint)")
            #expect(!complaint.contains("Domain="), "\(complaint)")
        }
    }

    @Test("A command that fails says why and ends with 1")
    func failure() {
        #expect(outcome(["scrape"], of: tool) == ("", "house scrape: the wall is wet\n", .failure))
        #expect(outcome(["scrape", "a", "b"], of: tool) == ("", "", .success))
        #expect([ExitCode.success, .failure, .wrongUse].map(\.rawValue) == [0, 1, 2])
    }

    @Test("Help of all, of one, and the version")
    func help() {
        let overview = """
            Walls and their paint.

            usage: house COMMAND [OPTION]...

            commands:
              paint   paint a wall
              scrape  take the paint off, of one wall or of any number of them, the ceiling
                      not included

            options:
              --help     this text; after a command, that command's
              --version  the version
              --         what follows is no option, though it may begin with a dash

            exit status:
              0  all is fine
              1  what was asked for failed, or is not fine
              2  it was not understood; nothing was done

            """
        for words in [[], ["--help"], ["-h"], ["help"]] {
            #expect(outcome(words, of: tool) == (overview, "", .success))
        }
        let page = """
            paint a wall

            usage: house paint [OPTION]... WALL

              WALL  what to paint

            options:
              --quiet       say nothing
              --color NAME  a color; can be given again
              --help        this text

            Walls are painted from the left.

            Nothing is painted twice.

            """
        for words in [
            ["paint", "--help"], ["paint", "--bad", "-h"].filter { $0 != "--bad" }, ["help", "paint"],
        ] {
            #expect(outcome(words, of: tool) == (page, "", .success))
        }
        #expect(outcome(["--version"], of: tool) == ("house 3.1\n", "", .success))
    }

    @Test("No line of arguments traps or is met with silence", arguments: [UInt64.random(in: 0..<(1 << 40))])
    func anyLine(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "paint", "scrape", "help", "--", "-", "--quiet", "--color", "--color=red", "red", "=", "--=",
            "-h",
            "--help", "", " ", "\u{0}", "\u{1B}[2J", "é", "\u{1F3E1}", String(repeating: "a", count: 3000),
        ]
        for _ in 0..<20_000 {
            let words = (0..<Int(random.next() % 6)).map { _ in
                let piece = pieces[Int(random.next() % UInt64(pieces.count))]
                return random.next() % 4 == 0
                    ? piece + pieces[Int(random.next() % UInt64(pieces.count))] : piece
            }
            let outcome = outcome(words, of: tool)
            let line = outcome.complained
            #expect(outcome.said.isEmpty || line.isEmpty, "\(seed): \(words)")
            #expect((outcome.code == .success) == line.isEmpty, "\(seed): \(words)")
            #expect(line.count < 400 && !line.dropLast().contains { $0 == "\n" || $0 == "\u{1B}" })
        }
    }
}

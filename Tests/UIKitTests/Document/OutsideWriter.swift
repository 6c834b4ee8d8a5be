import Foundation
import SeededNumbers
import Testing

/// A program of its own that writes a file again and again and coordinates nothing.
final class OutsideWriter: Sendable {
    /// How it saves. The first seven are a shell's, the others Python's.
    static let styles = [
        "inPlace", "renameOver", "truncateFirst", "piecemeal", "copyOver", "backup", "removeFirst", "replace",
        "exchange", "update",
    ]

    let style: String
    let file: URL
    /// What it writes last.
    let finalText: String
    private let words: [String]
    private let count: Int
    private let pausesMilliseconds: [Int]
    private let ended: AsyncStream<Int32>

    /// Whether the texts of its document hold what it wrote last, with whatever was added to it since. What is written in
    /// several goes, each into what is at the name then, may have been parted by something that was saved in between:
    /// then each piece has to be in one of them.
    func isKept(in texts: [String]) -> Bool {
        let wanted = style == "piecemeal" ? pieces : [finalText]
        return wanted.allSatisfy { piece in texts.contains { $0.contains(piece) } }
    }

    /// Each as no earlier text has it.
    private var pieces: [String] { words.map { "\($0).\(count) " } }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - file: What it writes.
    ///   - scratch: A folder for what it must put aside.
    init(
        _ number: Int,
        style: String,
        file: URL,
        scratch: URL,
        count: Int,
        using random: inout some RandomNumberGenerator
    ) throws {
        (self.style, self.file, self.count) = (style, file, count)
        words = ["writer", "\(number)", "text"]
        let text = words.joined(separator: " ")
        finalText = "\(text) \(count)"
        pausesMilliseconds = (0..<count).map { _ in Int.random(in: 1...90, using: &random) }
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        ended = stream
        let process = Process()
        let isShell = Self.styles.firstIndex(of: style) ?? 0 < 7
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [isShell ? "sh" : "python3", "-c", isShell ? Self.shell : Self.python, style, file.path]
            + [text, scratch.appendingPathComponent("\(number)").path]
            + pausesMilliseconds.map { "\(Double($0) / 1000)" }
        process.terminationHandler = { process in
            continuation.yield(process.terminationStatus)
            continuation.finish()
        }
        try process.run()
    }

    /// Waits until it has written everything.
    func end() async {
        for await status in ended { #expect(status == 0, "\(style) ended with \(status)") }
    }

    // The pauses are a real program's pace; the test itself waits for the writer's end.
    private static let shell = """
        style=$0 file=$1 text=$2 scratch=$3; shift 3; n=0
        for pause in "$@"; do
            n=$((n + 1)); sleep "$pause"
            case $style in
            inPlace) printf %s "$text $n" > "$file" ;;
            renameOver) printf %s "$text $n" > "$scratch"; mv "$scratch" "$file" ;;
            truncateFirst) : > "$file"; printf %s "$text $n" >> "$file" ;;
            piecemeal) : > "$file"; for word in $text; do printf "%s " "$word.$n" >> "$file"; done ;;
            copyOver) printf %s "$text $n" > "$scratch"; cp "$scratch" "$file" ;;
            backup) mv "$file" "$scratch"; printf %s "$text $n" > "$file"; rm -f "$scratch" ;;
            removeFirst) rm -f "$file"; printf %s "$text $n" > "$file" ;;
            esac || exit 1
        done
        """

    private static let python = """
        import ctypes, os, sys, time
        style, file, text, scratch, *pauses = sys.argv[1:]
        for n, pause in enumerate(pauses, 1):
            time.sleep(float(pause))
            line = f"{text} {n}".encode()
            if style == "update":
                with open(file, "r+b") as out:
                    out.write(line); out.truncate(); out.flush(); os.fsync(out.fileno())
                continue
            with open(scratch, "wb") as out: out.write(line)
            if style == "replace": os.replace(scratch, file)
            elif ctypes.CDLL(None, use_errno=True).renameat2(-100, scratch.encode(), -100, file.encode(), 2):
                raise OSError(ctypes.get_errno(), file)
            else: os.unlink(scratch)
        """
}

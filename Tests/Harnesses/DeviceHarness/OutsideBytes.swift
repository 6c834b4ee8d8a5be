package import CrashHarness
internal import Glibc
internal import SeededNumbers

/// Feeds whatever parses bytes of others with bytes that nobody has written: samples that are right, altered, and random ones.
///
/// Each round has a seed of its own: a round that goes wrong is told again by that alone, also where it ends the process.
package struct OutsideBytes {
    /// The first round's.
    package var seed: UInt64
    package var roundCount: UInt64
    /// The parser that is fed alone, by its name; nil for all.
    package var only: String?

    package init(seed: UInt64, roundCount: UInt64) { (self.seed, self.roundCount) = (seed, roundCount) }

    /// Something that parses bytes of others.
    struct Parser {
        let name: String
        /// What it takes, as who writes it does.
        let samples: [[UInt8]]
        /// Gives it bytes.
        ///
        /// - Returns: Whether they are something.
        /// - Throws: `Complaint` where it is not what it should be; whatever it throws that it should not.
        let parse: ([UInt8]) throws -> Bool
    }

    /// What is wrong with a parser.
    struct Complaint: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: `Complaint` where something does not hold.
    static func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        if !holds { throw Complaint(description: what()) }
    }

    /// So many complaints are enough.
    private static let complaintCountMax = 20

    package func run() throws -> HarnessReport {
        try feed(Self.sealing() + Self.pairing() + Self.messages() + Self.contents())
    }

    func feed(_ all: [Parser]) throws -> HarnessReport {
        var report = HarnessReport(title: "bytes")
        let parsers = all.filter { only == nil || $0.name == only }
        for parser in parsers {
            report.scenarioCount += 1
            // A parser that takes nothing at all would never be wrong.
            for (number, sample) in parser.samples.enumerated() where try !parser.parse(sample) {
                report.lost.append("\(parser.name): sample \(number) is refused")
            }
        }
        let samples = all.flatMap(\.samples)
        for round in seed..<seed + roundCount {
            for (number, parser) in all.enumerated() where only == nil || parser.name == only {
                LastWords.say("bytes: seed \(round), parser \(parser.name)\n")
                var mutation = ByteMutation(SplitMix64(seed: round &* 1009 &+ UInt64(number)), samples)
                let bytes = mutation.bytes(of: parser.samples)
                report.stateCount += 1
                do { _ = try parser.parse(bytes) } catch {
                    report.lost.append("seed \(round), parser \(parser.name), \(bytes.count) bytes: \(error)")
                    if report.lost.count >= Self.complaintCountMax { return report }
                }
            }
        }
        return report
    }
}

/// What a process says last, where it is ended by a trap.
private enum LastWords {
    private static let capacity = 256
    /// Written by the one thread that feeds; read by the handler on it.
    nonisolated(unsafe) private static let words = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    nonisolated(unsafe) private static var byteCount = 0

    private static let areHeard: Void = {
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
            signal(number) { number in
                _ = write(STDOUT_FILENO, LastWords.words, LastWords.byteCount)
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }()

    static func say(_ text: String) {
        _ = areHeard
        byteCount = 0
        for byte in text.utf8.prefix(capacity) {
            words[byteCount] = byte
            byteCount += 1
        }
    }
}

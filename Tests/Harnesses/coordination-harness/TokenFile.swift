import Foundation
import SeededNumbers

/// A file that is a list of tokens, written in place and in several goes, so that half a version can be seen.
///
///     > GENERATION WRITER     written first
///     + GENERATION TOKEN      one for each token, in order
///     = GENERATION COUNT SUM  written last
///
/// Each record has the same number of bytes, and each version bears a generation of its own throughout. So a file in which
/// generations meet, or whose last record is missing, is half of one version and half of another, and the first record says
/// who was writing. Every token is still there: records only change their generation, and the next writer mends the file.
struct TokenFile {
    let url: URL
    private static let recordByteCount = 64

    /// What is in a file.
    struct Contents {
        let generation: String
        let writer: Substring
        let tokens: [Substring]
        /// Whether it is one version, from the first record to the last.
        let isWhole: Bool
    }

    func contents() throws -> Contents {
        let records = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: " ")
        }
        guard let head = records.first, head.count == 3, head[0] == ">" else {
            throw HarnessFailure("\(url.lastPathComponent) does not begin as any version does")
        }
        let lines = records.dropFirst().prefix { $0.count == 3 && $0[0] == "+" }
        let tokens = lines.map { $0[2] }
        let check = records.count == lines.count + 2 ? records.last : nil
        let isWhole =
            lines.allSatisfy { $0[1] == head[1] }
            && check == ["=", head[1], "\(tokens.count)", Substring(Self.sum(tokens))]
        return Contents(generation: String(head[1]), writer: head[2], tokens: tokens, isWhole: isWhole)
    }

    /// Writes the first version, of no tokens.
    func begin() throws {
        var random = SplitMix64(seed: 0)
        try write([], generation: "0", by: "first", using: &random) { _ in }
    }

    /// Writes a new version over the one that is there, record by record.
    ///
    /// - Parameters:
    ///   - generation: One that no other version has.
    ///   - pause: What is done between two goes; a process may be killed there.
    func write(
        _ tokens: [Substring],
        generation: String,
        by name: String,
        using random: inout SplitMix64,
        pause: (inout SplitMix64) -> Void
    ) throws {
        var lines = ["> \(generation) \(name)"] + tokens.map { "+ \(generation) \($0)" }
        lines.append("= \(generation) \(tokens.count) \(Self.sum(tokens))")
        let bytes = lines.flatMap { line in
            Array(
                (line + String(repeating: " ", count: Self.recordByteCount - 1 - line.utf8.count) + "\n").utf8
            )
        }
        let file = open(url.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw HarnessFailure("open: errno \(errno)") }
        defer { close(file) }
        // The last record goes alone: as long as it is missing, the version is not whole.
        let cut = 1 + random.below(lines.count - 1)
        for range in [0..<cut, cut..<lines.count - 1, lines.count - 1..<lines.count] where !range.isEmpty {
            if range.lowerBound > 0 { pause(&random) }
            let (start, count) = (range.lowerBound * Self.recordByteCount, range.count * Self.recordByteCount)
            let written = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { pwrite(file, $0 + start, count, start) }
            }
            guard written == count else { throw HarnessFailure("pwrite: errno \(errno)") }
        }
    }

    private static func sum(_ tokens: [Substring]) -> String {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for token in tokens { for byte in token.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 } }
        return String(sum, radix: 16)
    }
}

import Foundation

/// A file that is a list of tokens and a check of them: a torn one is seen, and so is a token that is missing.
struct TokenFile {
    let url: URL

    /// - Throws: When the file is not one whole version.
    func tokens() throws -> [Substring] {
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        guard let check = lines.last, check == Self.check(lines.dropLast()) else {
            throw HarnessFailure("\(url.lastPathComponent) is torn")
        }
        return Array(lines.dropLast())
    }

    /// Puts a new version in place in one step; a writer that is killed leaves the old one.
    func write(_ tokens: [Substring], by name: String) throws {
        let text = (tokens + [Substring(Self.check(tokens[...]))]).joined(separator: "\n") + "\n"
        let staged = url.deletingLastPathComponent().appendingPathComponent(".\(name)")
        try text.write(to: staged, atomically: false, encoding: .utf8)
        guard rename(staged.path, url.path) == 0 else { throw HarnessFailure("rename: errno \(errno)") }
    }

    private static func check(_ tokens: ArraySlice<Substring>) -> String {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for token in tokens { for byte in token.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 } }
        return "= \(tokens.count) \(sum)"
    }
}

internal import Foundation

/// What the agent says to whoever keeps its standard error: a terminal, or systemd's journal. One that a program has started
/// says it to nobody.
package enum AgentLog {
    /// Says a sentence, on a line of its own. What nobody takes at once is dropped: the agent waits for no reader.
    ///
    /// Clients' texts are in it, so nothing is left in it that a terminal would obey, or that would begin another line.
    package static let say: @Sendable (String) -> Void = { sentence in
        var state = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, 0) > 0, state.revents & Int16(POLLOUT) != 0 else { return }
        let bytes = Array("sheaf agent: \(plain(sentence))".utf8.prefix(byteCountMax - 1)) + [newline]
        // One that has ended is said nothing.
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    private static func plain(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            scalar.properties.generalCategory == .control ? "?" : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// What a pipe that can be written to takes whole, pipe(7).
    private static let byteCountMax = 4096
    private static let newline = UInt8(ascii: "\n")
}

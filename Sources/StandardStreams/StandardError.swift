internal import Glibc

/// What a process says to whoever started it, where no call fails for it.
///
/// `FileHandle.write(_:)` ends the process where the stream is closed or the disk is full that it is written down on: just when an
/// app's documents need it most. Any thread.
package enum StandardError {
    /// Says a line. Whoever does not take it misses it: there is nowhere left to say so.
    package static func say(_ line: String) {
        write(line + "\n")
    }

    /// Says a text as it is.
    package static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }
}

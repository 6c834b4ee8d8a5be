internal import Foundation
internal import Locks
internal import StandardStreams

/// What this process says on its standard output and error, as long as they take it.
///
/// That they do not is no reason to end: a disk may be full onto which somebody writes down what `sheaf up` says. Any thread.
final class ProcessStreams: Sendable {
    private let failure = Locked<String?>(nil)

    /// To be made before anything is opened: a file that was given a closed stream's number would be written to.
    init() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
            // The lowest number that is free, and so this one. Whoever uses it the way it is meant is told that it is closed.
            _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    func say(_ text: String) {
        do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
            failure.withLock { $0 = $0 ?? error.localizedDescription }
        }
    }

    func complain(_ text: String) {
        StandardError.write(text)
    }

    /// Why something was not said on the standard output; nil when all was.
    var outputFailure: OutputFailure? { failure.withLock { $0 }.map(OutputFailure.init) }
}

/// Something was not said.
struct OutputFailure: Error, CustomStringConvertible {
    let reason: String

    var description: String { "not all could be written to the standard output: \(reason)" }
}

import Agent
import Foundation
import LocalSockets

/// A process of this program in another role, with what it writes to its standard output coming here.
struct ChildProcess {
    let id: pid_t

    /// - Parameter output: Where its standard output goes.
    init(_ arguments: [String], output: Int32) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        let path = CommandLine.arguments[0]
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id = pid_t()
        let result = posix_spawn(&id, "/proc/self/exe", &actions, nil, &words, environ)
        guard result == 0 else { throw HarnessFailure("posix_spawn: errno \(result)") }
        self.id = id
    }

    /// An agent of this program in a folder, once it can be spoken to.
    static func agent(_ arguments: [String], in folder: String, output: Int32) throws -> ChildProcess {
        let runtime = try RuntimeFolder(path: folder)
        let agent = try ChildProcess(["agent"] + arguments, output: output)
        while try AgentQuery.report(in: runtime) == nil {
            guard waitpid(agent.id, nil, WNOHANG) == 0 else { throw HarnessFailure("the agent has ended") }
        }
        return agent
    }

    func kill() { _ = Foundation.kill(id, SIGKILL) }

    /// Has a child do nothing until it is told to go on: each of its threads has stopped when this returns.
    static func stop(_ id: pid_t) throws {
        guard Foundation.kill(id, SIGSTOP) == 0, waitpid(id, nil, WUNTRACED) == id else {
            throw HarnessFailure("a process does not stop: errno \(errno)")
        }
    }

    /// Waits for its end; how it ended, as waitpid(2) says.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
        return status
    }
}

/// A pipe whose lines come whole.
final class LinePipe {
    let output: Int32
    private let input: Int32
    private var rest: [UInt8] = []

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw HarnessFailure("pipe: errno \(errno)") }
        (input, output) = (ends[0], ends[1])
        _ = fcntl(input, F_SETFD, FD_CLOEXEC)
        _ = fcntl(output, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(input) }

    /// The next lines; nil when all who could write are gone, or nothing has come for a minute.
    func lines() -> [Substring]? {
        var wanted = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, 60_000) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(input, &buffer, buffer.count)
        guard count > 0 else { return nil }
        rest += buffer[..<count]
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let text = String(decoding: rest[...end], as: UTF8.self)
        rest.removeSubrange(...end)
        return text.split(separator: "\n")
    }

    /// Says one line in a child, whole: pipe(7) keeps what is shorter than a page together.
    static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        guard Foundation.write(1, bytes, bytes.count) == bytes.count else { exit(1) }
    }

    func closeOutput() { close(output) }
}

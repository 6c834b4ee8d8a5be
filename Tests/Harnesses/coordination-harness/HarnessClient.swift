import Coordination
import DocumentFoundation
import Foundation
import SeededNumbers

/// One process that reads and writes files of others, and says each operation that is done.
///
/// A lock of the kernel's on a file beside each item says whether two that exclude each other were let in. It is a
/// record lock, as a killed process must lose it before the agent hears of its death: record locks go when its
/// descriptors are closed, in the same step; what else a descriptor holds, its sockets and what flock(2) locks,
/// goes after that, the last opened first.
final class HarnessClient {
    private let folder: URL
    private let name: String
    private let operationCount: Int
    private var random: SplitMix64
    private let registry: FileAccessRegistry
    private var guards: [Int32] = []
    private static let claimLostNumber = 3
    private static let writesPerDeath = 400

    init(arguments: [String]) throws {
        guard arguments.count == 5, let count = Int(arguments[2]), let seed = UInt64(arguments[3]) else {
            throw HarnessFailure("usage: client FOLDER NAME COUNT SEED VERSIONS")
        }
        folder = URL(fileURLWithPath: arguments[0], isDirectory: true)
        (name, operationCount, random) = (arguments[1], count, SplitMix64(seed: seed))
        for index in 0..<KillRun.fileCount {
            let path = folder.appendingPathComponent("guard\(index)").path
            guards.append(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
        }
        registry = try Self.registry(in: folder, speaking: try SpokenVersions.range(arguments[4]))
    }

    /// What coordinates through the agent of the run, which is started when it is missing.
    static func registry(
        in folder: URL,
        speaking versions: ClosedRange<UInt64>
    ) throws -> FileAccessRegistry {
        try FileAccessRegistry(
            presenterTimeLimitSeconds: PresenterLimit.usualSeconds,
            runtimeFolder: folder.appendingPathComponent("run").path,
            agentProgram: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            versions: versions
        )
    }

    func run() throws {
        say("begun \(name)")
        for number in 0..<operationCount {
            let first = random.below(KillRun.fileCount)
            switch random.below(10) {
            case 0..<3: try read(first)
            case 3..<9: try write([first], "\(name):\(number)")
            default:
                let second = (first + 1 + random.below(KillRun.fileCount - 1)) % KillRun.fileCount
                try write([first, second], "\(name):\(number)")
            }
        }
        say("ended \(name)")
    }

    private func read(_ index: Int) throws {
        var (error, failure): (NSError?, (any Error)?) = (nil, nil)
        NSFileCoordinator(filePresenter: nil, registry: registry)
            .coordinate(readingItemAt: url(index), error: &error) { url in
                failure = checking([index], F_RDLCK) { _ = try contents(of: TokenFile(url: url), index) }
            }
        try finish(error, failure, "read \(name) \(index)")
    }

    private func write(_ indices: [Int], _ token: String) throws {
        var (error, failure): (NSError?, (any Error)?) = (nil, nil)
        let coordinator = NSFileCoordinator(filePresenter: nil, registry: registry)
        let add = { (urls: [URL]) in
            failure = self.checking(indices, F_WRLCK) {
                for (url, index) in zip(urls, indices) { try self.add(token, to: TokenFile(url: url), index) }
            }
        }
        if indices.count == 1 {
            coordinator.coordinate(writingItemAt: url(indices[0]), error: &error) { add([$0]) }
        } else {
            coordinator.coordinate(
                writingItemAt: url(indices[0]),
                writingItemAt: url(indices[1]),
                error: &error
            ) { add([$0, $1]) }
        }
        try finish(error, failure, "wrote \(token) " + indices.map(String.init).joined(separator: " "))
    }

    private func add(_ token: String, to file: TokenFile, _ index: Int) throws {
        let tokens = try contents(of: file, index).tokens + [Substring(token)]
        try file.write(tokens, generation: token, by: name, using: &random) { random in
            // Others get their turn, to read what they must not, before the version is whole.
            for _ in 0..<random.below(8) { sched_yield() }
            if random.below(Self.writesPerDeath) == 0 { self.die() }
        }
    }

    /// Dies as if killed, having said so.
    private func die() {
        say("dies \(name)")
        _ = kill(getpid(), SIGKILL)
    }

    /// What is in a file; a version that is not whole is told of with who was writing it.
    private func contents(of file: TokenFile, _ index: Int) throws -> TokenFile.Contents {
        let contents = try file.contents()
        if !contents.isWhole { say("half \(name) \(index) \(contents.writer)") }
        return contents
    }

    private func url(_ index: Int) -> URL { folder.appendingPathComponent("file\(index)") }

    /// Runs what an access does, having made sure that no other runs that it excludes.
    private func checking(_ indices: [Int], _ lock: Int32, _ body: () throws -> Void) -> (any Error)? {
        do {
            defer { for index in indices { _ = record(F_UNLCK, on: index, F_SETLK) } }
            // There is always somebody who can start an agent: no one decides for himself, not even while it is another's turn.
            if registry.worksAlone { say("alone \(name)") }
            for index in indices where record(lock, on: index, F_SETLK) == nil {
                let holder = record(lock, on: index, F_GETLK)?.l_pid ?? 0
                say("doubled \(name) \(index) \(holder)")
            }
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// fcntl(2) for the lock that guards a file.
    ///
    /// - Returns: What the call has left; nil when another process holds a lock in its way.
    private func record(_ kind: Int32, on index: Int, _ command: Int32) -> flock? {
        var lock = flock()
        lock.l_type = Int16(kind)
        lock.l_whence = Int16(SEEK_SET)
        return fcntl(guards[index], command, &lock) == 0 ? lock : nil
    }

    private func finish(_ error: NSError?, _ failure: (any Error)?, _ done: String) throws {
        if let failure { throw failure }
        guard let error else { return say(done) }
        // An `NSError` is no `FileCoordinationError` any more on Linux; its domain and number are the same.
        guard Self.isClaimLost(error) else { throw error }
        say("lost \(name)")
    }

    /// Whether an access has failed because its agent was killed.
    static func isClaimLost(_ error: NSError) -> Bool {
        error.domain == FileCoordinationError.errorDomain && error.code == claimLostNumber
    }

    private func say(_ line: String) { LinePipe.say(line) }
}

internal import Dispatch
internal import Foundation
internal import Locks
package import SQLite

/// The one who writes to a database: everybody's work that is waiting goes into one durable transaction.
///
/// Its jobs are under one lock, its connection belongs to its queue.
///
/// 1. A caller goes on only after the transaction with its work is on stable storage.
/// 2. Work that throws leaves nothing behind, and does not disturb the others in the transaction.
/// 3. Nobody else writes or checkpoints: SQLite before 3.51.3 could damage the database otherwise.
package final class GroupWriter: Sendable {
    private struct Job: Sendable {
        var weight: Int
        var run: @Sendable (SQLiteConnection) throws -> Void
        var finish: @Sendable (Ending) -> Void
    }
    /// What became of work.
    private enum Ending {
        case durable
        /// Nothing of it is there, now or later.
        case undone(any Error)
        /// The transaction's commit failed: the volume may have all of it, and shows it when the database is opened anew.
        case doubtful(any Error)
    }
    private struct State {
        var jobs: [Job] = []
        var isRunning = false
    }
    private struct Held: @unchecked Sendable {
        // Sendable: the connection is only touched on the queue.
        let connection: SQLiteConnection
    }
    private final class Counter: @unchecked Sendable {
        // Sendable: only touched on the queue.
        var weight = 0
    }

    /// How many jobs one transaction has at most: it should not keep those at its front waiting.
    private static let jobCountMax = 512
    /// After what weight of jobs the write-ahead log goes into the database: some tens of megabytes.
    private static let checkpointWeight = 8000

    private let queue: DispatchQueue
    private let held: Held
    private let sinceCheckpoint = Counter()
    private let state = Locked(State())

    /// - Parameter connection: Nobody else's from now on.
    package init(_ connection: sending SQLiteConnection, label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        held = Held(connection: connection)
    }

    /// Does work in a transaction and returns when that is durable.
    ///
    /// - Parameters:
    ///   - weight: About how many pages it changes, of 4 KiB each.
    ///   - whenDurable: Called on the writer's queue before the caller goes on, and before any later work.
    ///   - whenUndone: Called there before the caller is thrown an error after which nothing of the work is there, now or later: not
    ///     where the commit of its transaction failed.
    package func perform<Value: Sendable>(
        weight: Int = 8,
        _ work: @escaping @Sendable (SQLiteConnection) throws -> Value,
        whenDurable: @escaping @Sendable (Value) -> Void = { _ in },
        whenUndone: @escaping @Sendable () -> Void = {}
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = Locked<Result<Value, any Error>?>(nil)
            let run: @Sendable (SQLiteConnection) throws -> Void = { connection in
                let value = try work(connection)
                outcome.withLock { $0 = .success(value) }
            }
            enqueue(
                Job(weight: weight, run: run) { ending in
                    switch ending {
                    case .durable: break
                    case .undone(let error):
                        whenUndone()
                        return continuation.resume(throwing: error)
                    case .doubtful(let error): return continuation.resume(throwing: error)
                    }
                    guard case .success(let value)? = outcome.withLock({ $0 }) else {
                        preconditionFailure("work ended without a value and without an error")
                    }
                    whenDurable(value)
                    continuation.resume(returning: value)
                }
            )
        }
    }

    private func enqueue(_ job: Job) {
        let starts = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { queue.async { self.drain() } }
    }

    private func drain() {
        while true {
            let jobs = state.withLock { state in
                let jobs = Array(state.jobs.prefix(Self.jobCountMax))
                state.jobs.removeFirst(jobs.count)
                if jobs.isEmpty { state.isRunning = false }
                return jobs
            }
            if jobs.isEmpty { return }
            write(jobs)
        }
    }

    private func write(_ jobs: [Job]) {
        var failures = [(any Error)?](repeating: nil, count: jobs.count)
        var others = Ending.durable
        var isCommitting = false
        do {
            try held.connection.transaction {
                for (index, job) in jobs.enumerated() {
                    failures[index] = try run(job)
                }
                isCommitting = true
            }
        } catch {
            // Before that there is no commit in the write-ahead log, without which nothing of it is ever read.
            others = isCommitting ? .doubtful(error) : .undone(error)
        }
        for (job, failure) in zip(jobs, failures) { job.finish(failure.map(Ending.undone) ?? others) }
        checkpoint(after: jobs.reduce(0) { $0 + $1.weight })
    }

    /// Runs one job so that it can be undone alone.
    ///
    /// - Returns: Its error, after which nothing of it is left.
    /// - Throws: When the whole transaction is lost.
    private func run(_ job: Job) throws -> (any Error)? {
        try held.connection.execute("SAVEPOINT job")
        do {
            try job.run(held.connection)
            try held.connection.execute("RELEASE job")
            return nil
        } catch {
            do { try held.connection.execute("ROLLBACK TO job; RELEASE job") } catch let second {
                // A volume that is full, or fails, may cost the whole transaction, and no savepoint is left: why is what the job
                // was refused for.
                if error is SQLiteError { throw error }
                throw second
            }
            return error
        }
    }

    private func checkpoint(after weight: Int) {
        sinceCheckpoint.weight += weight
        guard sinceCheckpoint.weight >= Self.checkpointWeight else { return }
        sinceCheckpoint.weight = 0
        // What is durable in the write-ahead log stays so; a full volume is told to the next who writes.
        try? held.connection.checkpoint()
    }
}

/// Connections that only read, each on a queue of its own: a long read holds nobody up but those behind it.
package final class ReaderPool: Sendable {
    private struct Reader: @unchecked Sendable {
        // Sendable: the connection is only touched on its queue.
        let connection: SQLiteConnection
        let queue: DispatchQueue
    }

    private let readers: [Reader]
    private let next = Locked(0)

    /// - Parameter connections: Nobody else's from now on.
    package init(_ connections: sending [SQLiteConnection], label: String) {
        readers = connections.enumerated().map { index, connection in
            Reader(
                connection: connection,
                queue: DispatchQueue(label: "\(label).\(index)", qos: .userInitiated)
            )
        }
    }

    /// Reads as of one moment.
    package func perform<Value: Sendable>(
        _ work: @escaping @Sendable (SQLiteConnection) throws -> Value
    ) async throws -> Value {
        let reader = next.withLock { next in
            next = (next + 1) % readers.count
            return readers[next]
        }
        return try await withCheckedThrowingContinuation { continuation in
            reader.queue.async {
                continuation.resume(
                    with: Result { try reader.connection.snapshot { try work(reader.connection) } }
                )
            }
        }
    }
}

/// Opens the connections to one database: the writer's, and those that read.
package struct HubDatabase: Sendable {
    package let writer: GroupWriter
    package let readers: ReaderPool

    private static let readerCount = 2

    /// - Parameters:
    ///   - path: A file that exists.
    ///   - prepare: Makes the tables, and reads what is kept in memory.
    package init(path: String, prepare: (SQLiteConnection) throws -> Void) throws {
        let name = "sheaf.hub.\((path as NSString).lastPathComponent)"
        let connection = try SQLiteConnection(path: path)
        // A database that was open when its process was killed has a long write-ahead log. Where there is no room to bring it in
        // it stays as it is, and is read as it was.
        do { try connection.checkpoint() } catch {
            guard error.isFull else { throw error }
        }
        try prepare(connection)
        writer = GroupWriter(connection, label: name)
        let connections = try (0..<Self.readerCount).map { _ in try SQLiteConnection(path: path) }
        readers = ReaderPool(connections, label: name + ".read")
    }
}

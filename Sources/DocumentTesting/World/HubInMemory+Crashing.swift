internal import Foundation
internal import HubProtocol
internal import Locks

// A hub that dies and is started again. What it has written is on its disk; what it knew besides is gone.
extension HubInMemory {
    /// Has it die.
    ///
    /// - Parameters:
    ///   - count: How many writes it does before; 0 or more.
    ///   - isLastAnswered: Whether who asked for the last of them hears that it is done: then it dies as somebody asks for one
    ///     more. Else it dies right after it, and at once where there is none.
    package func crash(afterWrites count: Int = 0, isLastAnswered: Bool = false) {
        state.withLock { $0.life.end(afterWrites: count, isLastAnswered: isLastAnswered) }
        tellLines()
    }

    /// Stops it in good order, until `start`.
    func stop() {
        state.withLock { $0.life.stop() }
        tellLines()
    }

    /// Ends `crash`, also one that has not come yet.
    package func start() {
        state.withLock { state in
            // Nobody knows any more what was sent or asked for a short while ago: all of it is spared.
            if state.life.isDown { state.recent.formUnion(state.blobs.keys) }
            state.life.begin()
        }
        tellLines()
    }

    package var isDown: Bool { state.withLock { $0.life.isDown } }
    /// How often it has died.
    package var crashCount: Int { state.withLock { $0.life.crashCount } }
    /// How often it has died or was stopped.
    var endCount: Int { state.withLock { $0.life.endCount } }

    /// - Throws: `LineFailure` where it does not run.
    func checkRuns() throws { try state.withLock { try $0.life.check() } }

    /// Does what it is asked for, if it runs.
    func answer<Answer: Sendable>(_ body: (inout State) throws -> Answer) throws -> Answer {
        // Who waits hears at once that it has died.
        defer { if isDown { tellLines() } }
        return try state.withLock { state in
            try state.life.check()
            return try body(&state)
        }
    }

    /// Has those look again who wait.
    func tellLines() { news.withLock { news.broadcast() } }
}

extension HubInMemory.State {
    /// Writes something down in one transaction: all of it, or nothing where the hub dies before.
    ///
    /// - Parameter isWrite: Whether there is anything to be written.
    mutating func write<Answer>(
        if isWrite: Bool = true,
        _ body: (inout HubInMemory.State) throws -> Answer
    ) throws -> Answer {
        guard isWrite else { return try body(&self) }
        try room.check()
        try life.willWrite()
        let answer = try body(&self)
        try life.didWrite()
        return answer
    }
}

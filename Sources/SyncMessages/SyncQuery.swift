internal import Foundation
package import LocalSockets

/// Asks the process that keeps a user's containers in step. Every call blocks until it has answered.
package enum SyncQuery {
    /// Where it is asked, in the runtime folder.
    package static let socketName = "sync.sock"
    /// What the process that answers has locked there from when it begins until it can be asked.
    package static let beginningLockName = "sync.beginning"
    /// Who has not answered after so long is busy.
    package static let answerMilliseconds: Int32 = 10_000

    /// How all folders stand.
    ///
    /// - Parameter milliseconds: How long to wait for the answer.
    /// - Throws: `SyncServiceError`: `notRunning`, `beginning`, `busy`, `ended`, as do all here; `SocketError`.
    package static func status(
        in runtime: RuntimeFolder,
        milliseconds: Int32 = SyncQuery.answerMilliseconds
    ) throws -> [FolderStatus] {
        guard case .status(let folders) = try ask(.status, in: runtime, milliseconds: milliseconds) else {
            throw SyncServiceError.ended
        }
        return folders
    }

    /// How all folders stand, without a name in it.
    package static func diagnosis(in runtime: RuntimeFolder) throws -> [SyncDiagnosis] {
        guard case .diagnosis(let folders) = try ask(.diagnosis, in: runtime) else {
            throw SyncServiceError.ended
        }
        return folders
    }

    /// Why an item is as it is; nil for one in no container.
    ///
    /// - Parameter path: From the root.
    package static func explain(_ path: String, in runtime: RuntimeFolder) throws -> Explanation? {
        guard case .explanation(let found) = try ask(.explain(path: path), in: runtime) else {
            throw SyncServiceError.ended
        }
        return found
    }

    /// How an item stands; nil for one in no container, or one that is nowhere.
    package static func item(_ path: String, in runtime: RuntimeFolder) throws -> ItemSyncState? {
        guard case .item(let found) = try ask(.item(path: path), in: runtime) else {
            throw SyncServiceError.ended
        }
        return found
    }

    /// How all items below a folder stand.
    package static func items(below folder: String, in runtime: RuntimeFolder) throws -> [ItemSyncState] {
        guard case .items(let found) = try ask(.items(folder: folder), in: runtime) else {
            throw SyncServiceError.ended
        }
        return found
    }

    /// How those items stand that are directly in a folder and are not simply here as they are at the hub.
    package static func unsettled(in folder: String, _ runtime: RuntimeFolder) throws -> [ItemSyncState] {
        guard case .items(let found) = try ask(.unsettled(folder: folder), in: runtime) else {
            throw SyncServiceError.ended
        }
        return found
    }

    /// Has something done, which takes as long as it takes.
    ///
    /// - Parameter wait: Waits for the answer.
    /// - Throws: `SyncRefusal` when it is not; `SyncServiceError`.
    package static func perform(
        _ question: SyncQuestion,
        in runtime: RuntimeFolder,
        wait: (SyncConversation) throws -> SyncAnswer? = { try $0.next(milliseconds: -1) }
    ) throws {
        switch try wait(SyncConversation(question, in: runtime)) {
        case .done: return
        case .refused(let refusal): throw refusal
        default: throw SyncServiceError.ended
        }
    }

    /// Says what becomes of what waits for a person in a folder, and returns when it has become that.
    ///
    /// - Parameter goesOn: Whether it is carried out; else whoever made it gets back what was.
    /// - Throws: `SyncRefusal` when nothing waits; `SyncServiceError`.
    package static func decide(_ folder: String, goesOn: Bool, in runtime: RuntimeFolder) throws {
        try perform(.decide(folder: folder, goesOn: goesOn), in: runtime)
    }

    /// Has what the last large change of a folder that has gone on has removed or replaced be what it was. The hub may be asked first,
    /// which takes as long as it takes.
    ///
    /// - Throws: `SyncRefusal` when there is nothing to go back from; `SyncServiceError`.
    package static func goBack(_ folder: String, in runtime: RuntimeFolder) throws -> WayBack {
        switch try SyncConversation(.goBack(folder: folder), in: runtime).next(milliseconds: -1) {
        case .goesBack(let back): return back
        case .refused(let refusal): throw refusal
        default: throw SyncServiceError.ended
        }
    }

    private static func ask(
        _ question: SyncQuestion,
        in runtime: RuntimeFolder,
        milliseconds: Int32 = SyncQuery.answerMilliseconds
    ) throws -> SyncAnswer {
        let conversation = try SyncConversation(question, in: runtime)
        guard let answer = try conversation.next(milliseconds: milliseconds) else {
            throw SyncServiceError.busy
        }
        return answer
    }
}

/// A question and its answers as they come. One thread at a time reads; any may end it.
package final class SyncConversation: @unchecked Sendable {
    // Sendable because `rest` and `lookedAtCount` are only touched by the one thread that reads, and the socket is Sendable.
    private let socket: LocalSocket
    private var rest: [UInt8] = []
    /// So much of it has no end of a line in it.
    private var lookedAtCount = 0

    /// Asks.
    ///
    /// - Throws: `SyncServiceError`: `notRunning` when nobody is there to answer, `beginning` when somebody is about to,
    ///   `busy` when more wait for an answer than can, `ended`; `SocketError`.
    package init(_ question: SyncQuestion, in runtime: RuntimeFolder) throws {
        do { socket = try Self.connected(in: runtime) } catch SyncServiceError.notRunning {
            // Where the lock cannot be looked at, nobody is known to begin.
            let isBeginning = try? LockFile.isHeld(runtime.place(of: SyncQuery.beginningLockName))
            guard isBeginning != true else { throw SyncServiceError.beginning }
            // Who has begun between the two looks is there by now: the lock is let go of after that.
            socket = try Self.connected(in: runtime)
        }
        let line = try SyncLine.bytes(question)
        // A question is short, and the connection new: there is room for it.
        guard line.withUnsafeBytes({ socket.send($0) }) == line.count else {
            throw SyncServiceError.ended
        }
    }

    private static func connected(in runtime: RuntimeFolder) throws -> LocalSocket {
        do { return try LocalSocket(connectingTo: runtime.place(of: SyncQuery.socketName)) } catch {
            if error.isNobodyThere { throw SyncServiceError.notRunning }
            // connect(2): so many wait to be taken that there is no room for one more.
            throw error.errno == EAGAIN ? SyncServiceError.busy : error
        }
    }

    /// The next answer; nil when none has come in time.
    ///
    /// - Parameter milliseconds: How long to wait; -1 for as long as it takes.
    /// - Throws: `SyncServiceError.ended` when the other side has ended, or `end()` was called.
    package func next(milliseconds: Int32) throws -> SyncAnswer? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            if let end = rest[lookedAtCount...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(rest[..<end])
                rest.removeFirst(end + 1)
                lookedAtCount = 0
                return try SyncLine.value(line)
            }
            lookedAtCount = rest.count
            guard socket.waitUntilReadable(milliseconds: milliseconds) else { return nil }
            switch socket.receive(into: buffer) {
            case .bytes(let count): rest += buffer[..<count]
            case .nothing: return nil
            case .end: throw SyncServiceError.ended
            }
        }
    }

    /// Ends it: who waits for the next answer gets none.
    package func end() { socket.shutDown() }
}

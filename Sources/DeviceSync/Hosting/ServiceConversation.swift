internal import Foundation
internal import LocalSockets
internal import Locks
internal import SyncMessages

/// One question of another process, and what it is told until either of the two has enough.
///
/// What is to be said may come from any thread; it is sent by the one that runs this.
final class ServiceConversation: Sendable {
    private struct State {
        var answers: [SyncAnswer] = []
        var isOver = false
    }

    private let socket: LocalSocket
    private let bell: SocketBell
    private let state = Locked(State())

    private static let questionByteCountMax = 64 << 10
    private static let questionMilliseconds: UInt64 = 2000
    /// Who takes nothing for so long is not there any more.
    private static let sendingNanoseconds: UInt64 = 5_000_000_000

    /// Nil for another user's, or where no bell is to be had.
    init?(_ socket: LocalSocket) {
        guard let peer = try? socket.peer(), peer.userID == geteuid(), let bell = try? SocketBell() else {
            return nil
        }
        (self.socket, self.bell) = (socket, bell)
    }

    /// What is asked; nil for what is no question of ours.
    ///
    /// - Parameter milliseconds: How long all of it may take to come.
    func question(within milliseconds: UInt64 = ServiceConversation.questionMilliseconds) -> SyncQuestion? {
        let end = MonotonicClock.now + milliseconds * 1_000_000
        var line: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { buffer.deallocate() }
        while line.last != UInt8(ascii: "\n"), line.count < Self.questionByteCountMax {
            let now = MonotonicClock.now
            guard now < end,
                socket.waitUntilReadable(milliseconds: Int32(clamping: (end - now) / 1_000_000 + 1)),
                case .bytes(let count) = socket.receive(into: buffer)
            else { return nil }
            line += buffer[..<count]
        }
        // What asks something else is another version, and is left without an answer.
        return try? SyncLine.value(line)
    }

    func say(_ answer: SyncAnswer) { add(answer, isLast: false) }

    func end(with answer: SyncAnswer) { add(answer, isLast: true) }

    /// Ends it when what was said until now is sent.
    func end() {
        state.withLock { $0.isOver = true }
        bell.ring()
    }

    private func add(_ answer: SyncAnswer, isLast: Bool) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = isLast
            if let last = state.answers.last, answer.replaces(last) { state.answers.removeLast() }
            state.answers.append(answer)
        }
        bell.ring()
    }

    /// Sends what is to be said, until the last of it or until the other side has gone.
    func run() {
        defer { socket.shutDown() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let (answers, isOver) = state.withLock { state in
                defer { state.answers = [] }
                return (state.answers, state.isOver)
            }
            for answer in answers { guard send(answer) else { return } }
            if isOver { return }
            // Who asks says nothing more: what comes is its end.
            if socket.waitUntilReadable(or: bell), socket.receive(into: buffer) == .end {
                return state.withLock { $0.isOver = true }
            }
        }
    }

    private func send(_ answer: SyncAnswer) -> Bool {
        guard let bytes = try? SyncLine.bytes(answer) else { return false }
        var sent = 0
        var deadline = MonotonicClock.now + Self.sendingNanoseconds
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { socket.send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            let now = MonotonicClock.now
            guard let count, now < deadline else { return false }
            sent += count
            if count > 0 { deadline = now + Self.sendingNanoseconds }
            // Who asks takes what comes; what comes from it now can only be its end.
            if count == 0 { _ = socket.waitUntilReadable(milliseconds: 1) }
        }
        return true
    }
}

extension SyncAnswer {
    /// Whether nobody needs the answer before it any more: of how far something has come, and of how it stands, the newest is enough.
    fileprivate func replaces(_ former: SyncAnswer) -> Bool {
        switch (former, self) {
        case (.progress, .progress), (.largeChanges, .largeChanges): true
        default: false
        }
    }
}

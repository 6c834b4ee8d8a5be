import Foundation
import Glibc
import Locks
import SyncMessages

@testable import DocumentFoundation

/// In place of the process that keeps an account's folders in step: answers as a test says, until it is dropped.
final class StatesStub: Sendable {
    private struct State {
        /// Connections on which more is said.
        var followers: [CInt] = []
        var isEnded = false
    }

    private let listener: CInt
    private let state: Locked<State>

    /// - Parameters:
    ///   - place: Whose account.
    ///   - answer: What is answered, on a thread of the stub's; nil for a connection that ends without an answer. One on which it
    ///     is asked to follow stays open.
    init(_ place: AccountPlace, _ answer: @escaping @Sendable (SyncQuestion) -> SyncAnswer?) throws {
        let folder = place.base.path + "/run"
        let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("\(folder)/\(SyncQuery.socketName)".utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw POSIXError(.ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // Who has asked before has made it.
        _ = mkdir(folder, 0o700)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(listener, place, length) == 0 && listen(listener, 64) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        // Who follows may have come between the two calls, has taken it for a leftover, and waits for something to become of it.
        _ = chmod("\(folder)/\(SyncQuery.socketName)", 0o600)
        let state = Locked(State())
        (self.listener, self.state) = (listener, state)
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Self.serve(connection, state, answer)
            }
            close(listener)
        }
    }

    // The thread closes it, when it hears of the end.
    deinit {
        let followers = state.withLock { state in
            defer { (state.isEnded, state.followers) = (true, []) }
            return state.followers
        }
        for follower in followers { close(follower) }
        _ = shutdown(listener, CInt(SHUT_RDWR))
    }

    /// Says something to all who follow.
    func say(_ answer: SyncAnswer) throws {
        let line = try SyncLine.bytes(answer)
        state.withLock { state in
            for follower in state.followers { Self.send(line, to: follower) }
        }
    }

    /// Ends what all who follow are told. Whoever asks anew is answered.
    func dropFollowers() {
        let followers = state.withLock { state in
            defer { state.followers = [] }
            return state.followers
        }
        for follower in followers { close(follower) }
    }

    private static func serve(
        _ connection: CInt,
        _ state: Locked<State>,
        _ answer: @Sendable (SyncQuestion) -> SyncAnswer?
    ) {
        var isKept = false
        // Who has gone, or asks what cannot be read, is answered nothing.
        if let question = question(on: connection), let said = answer(question),
            let line = try? SyncLine.bytes(said)
        {
            send(line, to: connection)
            if case .follow = question {
                isKept = state.withLock { state in
                    if !state.isEnded { state.followers.append(connection) }
                    return !state.isEnded
                }
            }
        }
        if !isKept { close(connection) }
    }

    private static func question(on connection: CInt) -> SyncQuestion? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) == 1 {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            do {
                let question: SyncQuestion = try SyncLine.value(line)
                return question
            } catch { return nil }
        }
        return nil
    }

    private static func send(_ line: [UInt8], to connection: CInt) {
        // Who has gone takes nothing more.
        _ = Glibc.send(connection, line, line.count, CInt(MSG_NOSIGNAL))
    }
}

import Coordination
import Foundation
import LocalSockets

/// An agent that a test drives by hand: it takes one client, and says what the test says.
final class ScriptedAgent {
    private let socket: LocalSocket
    private var lock: LockFile?
    private var frames = FrameBuffer()
    private var writer = WireWriter()

    /// Waits for the first client that connects, and welcomes it.
    convenience init(in runtime: RuntimeFolder, afterListening: () -> Void) throws {
        let lock = try Self.takePlace(in: runtime)
        try self.init(in: runtime, holding: lock, afterListening: afterListening)
    }

    /// What an agent does before it listens.
    static func takePlace(in runtime: RuntimeFolder) throws -> LockFile {
        guard let lock = try LockFile(ifFree: runtime.place(of: AgentPlace.lockName)) else {
            throw CocoaError(.fileLocking)
        }
        try lock.write("\(getpid())\n")
        return lock
    }

    /// Listens, waits for the first client that connects, and welcomes it.
    init(in runtime: RuntimeFolder, holding lock: LockFile, afterListening: () -> Void = {}) throws {
        self.lock = lock
        let listener = try LocalListener(at: runtime.place(of: AgentPlace.socketName))
        let poll = try SocketPoll()
        try poll.add(listener, id: 0)
        afterListening()
        _ = try poll.wait(milliseconds: 20_000)
        guard let socket = try listener.accept() else { throw CocoaError(.fileReadUnknown) }
        self.socket = socket
        while writer.own == ClientID(0) {
            if case .hello(let hello) = try next() { writer.own = hello.client }
        }
        send(.welcome(version: ClientHello.versions.upperBound))
    }

    /// Sends messages that arrive together.
    func send(_ messages: AgentMessage...) {
        for message in messages { message.write(to: &writer) }
        writer.bytes.withUnsafeBytes { _ = socket.send($0) }
        writer.removeAll()
    }

    /// Whether the client has said something that has not been taken.
    var hasNews: Bool { socket.waitUntilReadable(milliseconds: 0) }

    /// Is gone: its place is free, and nobody listens there.
    func end() {
        lock = nil
        socket.shutDown()
    }

    /// Waits for the client's next message.
    func next() throws -> ClientMessage {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            if let frame = try frames.next() { return try ClientMessage(frame: frame, own: writer.own) }
            guard socket.waitUntilReadable(milliseconds: 20_000) else { throw CocoaError(.fileReadUnknown) }
            buffer.withUnsafeMutableBytes { buffer in
                guard case .bytes(let count) = socket.receive(into: buffer) else { return }
                frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    /// Waits for the next event of a kind.
    func next<Value>(_ find: (ArbiterEvent) -> Value?) throws -> Value {
        while true {
            if case .event(let event) = try next(), let value = find(event) { return value }
        }
    }

    /// Waits until it is asked when some items are not written any longer.
    ///
    /// - Returns: The number of the question.
    func nextQuietWanted() throws -> UInt64 {
        while true {
            if case .quietWanted(let number, let items) = try next(), !items.isEmpty { return number }
        }
    }

    /// Waits for a request.
    func nextRequest() throws -> AccessID { try next { $0.requested } }
}

extension ArbiterEvent {
    var requested: AccessID? { if case .requested(let request) = self { request.id } else { nil } }
    var cancelled: AccessID? { if case .cancelled(let id) = self { id } else { nil } }
    var ended: AccessID? { if case .ended(let id, _) = self { id } else { nil } }
}

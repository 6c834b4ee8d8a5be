internal import Coordination
internal import LocalSockets
internal import Locks

/// A connection to the agent: what is put into it goes in order, and one thread at a time takes what comes.
final class AgentConnection: Sendable {
    private struct Outgoing: Sendable {
        var writer = WireWriter()
        var unsent = SendBuffer()
        var isWaiting = false
    }

    private struct Incoming: Sendable {
        var frames = FrameBuffer()
        var hasEnded = false
    }

    private let socket: LocalSocket
    private let poll: SocketPoll
    private let outgoing = Locked(Outgoing())
    private let incoming = Locked(Incoming())

    init(_ socket: LocalSocket) throws(SocketError) {
        self.socket = socket
        poll = try SocketPoll()
        try poll.add(socket, id: 0, .reading)
    }

    // MARK: Sending

    /// Takes a message, to be sent by `flush`.
    ///
    /// - Returns: Whether it was taken; not when it is longer than any may be.
    @discardableResult
    func put(_ message: ClientMessage) -> Bool {
        outgoing.withLock { message.write(to: &$0.writer) }
    }

    /// Sends what has been put; what there is no room for goes when the agent has made some.
    func flush() {
        outgoing.withLock { outgoing in
            guard !outgoing.writer.bytes.isEmpty else { return }
            outgoing.unsent.append(outgoing.writer.bytes)
            outgoing.writer.removeAll()
            send(&outgoing)
        }
    }

    private func send(_ outgoing: inout Outgoing) {
        // An agent that is gone is heard of by who receives.
        let isWaiting = outgoing.unsent.send(to: socket) == .waiting
        guard isWaiting != outgoing.isWaiting else { return }
        outgoing.isWaiting = isWaiting
        do {
            try poll.change(socket, id: 0, isWaiting ? [.reading, .writing] : .reading)
        } catch {
            preconditionFailure("epoll refused a socket that it has: \(error)")
        }
    }

    // MARK: Receiving

    /// Waits for messages.
    ///
    /// - Returns: The messages, in order; nil when the connection has ended, or has brought what is none.
    func waitForMessages(milliseconds: Int32 = -1) throws(SocketError) -> [AgentMessage]? {
        for event in try poll.wait(milliseconds: milliseconds) {
            if event.isWritable { outgoing.withLock { send(&$0) } }
            if event.isReadable { return receive() }
        }
        return incoming.withLock { $0.hasEnded } ? nil : []
    }

    private func receive() -> [AgentMessage]? {
        incoming.withLock { incoming in
            guard !incoming.hasEnded else { return nil }
            let receipt = withUnsafeTemporaryAllocation(byteCount: Self.receiveByteCount, alignment: 16) {
                (buffer) -> LocalSocket.Receipt in
                let receipt = socket.receive(into: buffer)
                if case .bytes(let count) = receipt {
                    incoming.frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
                return receipt
            }
            var messages: [AgentMessage] = []
            do {
                while let frame = try incoming.frames.next() {
                    messages.append(try AgentMessage(frame: frame))
                }
            } catch {
                // What this agent says cannot be understood: it is left, and the next one is waited for.
                incoming.hasEnded = true
            }
            if receipt == .end { incoming.hasEnded = true }
            return messages.isEmpty && incoming.hasEnded ? nil : messages
        }
    }

    /// Ends the connection, and the waiting of who waits for messages.
    func end() {
        incoming.withLock { $0.hasEnded = true }
        socket.shutDown()
        poll.wake()
    }

    private static let receiveByteCount = 32 * 1024
}

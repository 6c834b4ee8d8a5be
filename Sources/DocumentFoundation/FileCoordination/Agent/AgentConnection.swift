internal import Coordination
internal import Dispatch
internal import LocalSockets
internal import Locks

/// A connection to the agent: what is put into it goes in order, and one thread at a time takes what comes.
///
///     nobody ──link's thread is woken──▶ link ──has taken what came──▶ nobody
///        └─────lead()──▶ caller ──stopLeading()──▶ nobody
///
/// A caller that waits for an answer reads it itself, which saves waking one thread to wake another. As long as it
/// does, the link's thread sleeps: the poll it waits at does not look for what comes in. It need not look again between
/// one access and the next either, where it looks up now and then anyway.
final class AgentConnection: Sendable {
    private struct Outgoing: Sendable {
        var writer = WireWriter()
        var unsent = SendBuffer()
        var isWaiting = false
        /// Whether something has been put that must not wait.
        var isUrgent = false
        /// Whether what may wait has waited since the last tick.
        var isRipe = false
    }

    /// Who takes what comes.
    private enum Reader { case nobody, link, caller }

    private struct Reading: Sendable {
        var reader = Reader.nobody
        /// Whether there is more to send than the socket had room for.
        var isWriting = false
        /// What the poll looks for; nil when it does not have the socket: it is taken out when it would wake the link's
        /// thread for a caller.
        var interest: SocketPoll.Interest? = .reading
        /// Whether what comes after the caller's answer can wait for a tick.
        var mayLinger = false
        /// Whether the link's thread looks up now and then: to send what was put and may wait, and to have the poll
        /// look again. As long as this holds it will once more.
        var isTicking = false
        /// How often it has looked since something was put that may wait.
        var idleTicks = 0
        /// Whether no caller has been here since the last tick.
        var isRested = false
        var hasEnded = false
        var farewell: Farewell?
    }

    /// What has come in part; only the reader uses it.
    private struct Incoming: Sendable {
        var frames = FrameBuffer()
        var wakefulness = Wakefulness()
        /// The version of the format that the agent speaks; known from its welcome on.
        var version = ClientHello.versions.upperBound
        /// Room for what the link's thread receives.
        let buffer = ReceiveBuffer()
    }

    /// Why the agent ended the connection, if it said so.
    struct Farewell: Sendable {
        let goodbye: Goodbye
        let reason: String
    }

    private let socket: LocalSocket
    private let poll: SocketPoll
    private let bell: SocketBell
    private let outgoing = Locked(Outgoing())
    private let reading = Locked(Reading())
    private let incoming = Locked(Incoming())

    init(_ socket: LocalSocket) throws(SocketError) {
        self.socket = socket
        poll = try SocketPoll()
        bell = try SocketBell()
        try poll.add(socket, id: 0, .reading)
        try socket.setReceiveLimit(milliseconds: Self.receiveLimitMilliseconds)
    }

    // MARK: Sending

    /// Takes a message, to be sent by `flush`.
    ///
    /// - Returns: Whether it was taken; not when it is longer than any may be.
    @discardableResult
    func put(_ message: ClientMessage) -> Bool {
        outgoing.withLock { outgoing in
            outgoing.isUrgent = true
            return message.write(to: &outgoing.writer)
        }
    }

    /// Takes a short message that need not be sent by itself: it goes with the next one, or after two milliseconds.
    ///
    /// An access that follows another costs one message less to the agent by it.
    func putLater(_ message: ClientMessage) {
        let mustBegin = outgoing.withLock { outgoing in
            // As long as any event that was taken before; the request was longer.
            message.write(to: &outgoing.writer)
            return reading.withLock { reading in
                defer { (reading.isTicking, reading.idleTicks) = (true, 0) }
                return !reading.isTicking
            }
        }
        if mustBegin { poll.wake() }
    }

    /// Has the next `flush` send everything.
    func hurry() { outgoing.withLock { $0.isUrgent = true } }

    /// Sends what has waited since the last tick, and has the poll look again if no caller has been here since then: of
    /// accesses that follow one another each does so for the one before.
    private func tick() {
        outgoing.withLock { outgoing in
            if outgoing.isRipe { outgoing.isUrgent = true }
            outgoing.isRipe = !outgoing.writer.bytes.isEmpty
        }
        flush()
        reading.withLock { reading in
            reading.idleTicks += 1
            reading.isTicking = reading.idleTicks < Self.idleTicksMax
            guard reading.reader == .nobody else { return }
            if reading.isRested || !reading.isTicking { look(&reading) }
            reading.isRested = true
        }
    }

    /// Sends what has been put, if any of it must not wait; what there is no room for goes when the agent has made some.
    func flush() {
        outgoing.withLock { outgoing in
            guard outgoing.isUrgent, !outgoing.writer.bytes.isEmpty else { return }
            (outgoing.isUrgent, outgoing.isRipe) = (false, false)
            // An agent that is gone is heard of by who receives.
            let state = outgoing.unsent.send(outgoing.writer.bytes, to: socket)
            outgoing.writer.removeAll()
            note(state, &outgoing)
        }
    }

    /// Sends more of what there was no room for.
    private func sendRest() {
        outgoing.withLock { outgoing in note(outgoing.unsent.send(to: socket), &outgoing) }
    }

    private func note(_ state: SendBuffer.State, _ outgoing: inout Outgoing) {
        let isWaiting = state == .waiting
        guard isWaiting != outgoing.isWaiting else { return }
        outgoing.isWaiting = isWaiting
        reading.withLock { reading in
            reading.isWriting = isWaiting
            look(&reading)
        }
    }

    /// Has the poll look for what the link's thread has to see to.
    private func look(_ reading: inout Reading) {
        let interest: SocketPoll.Interest =
            switch (reading.reader, reading.isWriting) {
            case (.caller, false): .nothing
            case (.caller, true): .writing
            case (_, false): .reading
            case (_, true): .both
            }
        guard reading.interest != interest else { return }
        do {
            if reading.interest == nil {
                try poll.add(socket, id: 0, interest)
            } else {
                try poll.change(socket, id: 0, interest)
            }
            reading.interest = interest
        } catch {
            preconditionFailure("epoll refused a socket that it has: \(error)")
        }
    }

    // MARK: Receiving on the link's thread

    /// Waits for messages and has them taken, unless a caller takes them itself.
    ///
    /// - Returns: Whether there may be more; not when the connection has ended, or has brought what is none.
    func takeMessages(milliseconds: Int32 = -1, _ take: ([AgentMessage]) -> Void) throws(SocketError) -> Bool
    {
        let isTicking = reading.withLock { $0.isTicking }
        let events = try poll.wait(milliseconds: isTicking ? Self.tickMilliseconds : milliseconds)
        if isTicking { tick() }
        for event in events {
            if event.isWritable { sendRest() }
            guard event.isReadable else { continue }
            guard begin(.link) else {
                leaveToCaller()
                continue
            }
            let messages = receive(.much)
            if !messages.isEmpty { take(messages) }
            reading.withLock { $0.reader = .nobody }
        }
        return reading.withLock { !$0.hasEnded || $0.reader == .caller }
    }

    /// An end of the connection is seen whatever the poll looks for: it is for the caller to read it, and to
    /// have it seen again.
    private func leaveToCaller() {
        reading.withLock { reading in
            guard reading.reader == .caller, reading.interest != nil else { return }
            reading.interest = nil
            do {
                try poll.remove(socket)
            } catch {
                preconditionFailure("epoll refused a socket that it has: \(error)")
            }
        }
    }

    /// What the agent said last.
    var farewell: Farewell? { reading.withLock { $0.farewell } }

    // MARK: Receiving on a thread that waits for an answer

    /// Makes the calling thread the one that takes what comes, until `stopLeading`.
    ///
    /// - Parameter mayLinger: Whether what else comes can wait for a tick afterwards, so that an access that follows
    ///   soon is spared two calls: then nobody here waits for anything but this thread.
    /// - Returns: Whether it is; not when another is.
    func lead(mayLinger: Bool) -> Bool {
        begin(.caller, mayLinger: mayLinger)
    }

    /// Blocks until messages have come, the bell rings, or the deadline.
    ///
    /// Only the thread that leads.
    ///
    /// - Parameter isAlert: Whether the bell is heard at once, and an answer may take as long as others take to make
    ///   way; else the bell may go unheard for as long as most answers take to come.
    /// - Returns: Nil when the connection has ended.
    func waitForMessages(isAlert: Bool, until deadline: DispatchTime) -> [AgentMessage]? {
        var messages = receive(isAlert ? .awake : .asleep)
        if messages.isEmpty, !reading.withLock({ $0.hasEnded }) {
            guard socket.waitUntilReadable(or: bell, milliseconds: deadline.millisecondsLeft) else {
                return []
            }
            messages = receive(.little)
        }
        return messages.isEmpty && reading.withLock { $0.hasEnded } ? nil : messages
    }

    /// Ends the waiting of the thread that leads, now or the next time.
    func ring() { bell.ring() }

    /// Leaves what comes to the link's thread.
    func stopLeading() {
        let hasEnded = reading.withLock { reading in
            reading.reader = .nobody
            if !reading.isTicking || !reading.mayLinger { look(&reading) }
            return reading.hasEnded
        }
        // Of what a caller has seen, the link's thread must hear.
        if hasEnded { poll.wake() }
    }

    private func begin(_ reader: Reader, mayLinger: Bool = false) -> Bool {
        reading.withLock { reading in
            guard reading.reader == .nobody, !reading.hasEnded || reader == .link else { return false }
            (reading.reader, reading.mayLinger, reading.isRested) = (reader, mayLinger, false)
            if reader == .caller { look(&reading) }
            return true
        }
    }

    /// What a reader receives.
    private enum Demand {
        /// What is there, as much as it may be.
        case much
        /// What is there of an answer.
        case little
        /// An answer, for which it waits awake if that pays, and no longer.
        ///
        /// A thread that sleeps in `recv` is woken once too often when the agent has to ask others first: also when
        /// the agent reads what was sent. One that waits in `poll` is not.
        case awake
        /// An answer, for which it waits for as long as most take.
        case asleep
    }

    /// What has come; only for the reader.
    private func receive(_ demand: Demand) -> [AgentMessage] {
        var hasEnded = false
        let messages = incoming.withLock { incoming in
            let receipt = demand == .much ? receiveMuch(&incoming) : receiveAnswer(demand, &incoming)
            hasEnded = receipt == .end
            var messages: [AgentMessage] = []
            do {
                while let frame = try incoming.frames.next() {
                    let message = try AgentMessage(frame: frame, version: incoming.version)
                    if case .welcome(let version) = message { incoming.version = version }
                    messages.append(message)
                }
            } catch {
                // What this agent says cannot be understood: it is left, and the next one is waited for.
                hasEnded = true
            }
            return messages
        }
        note(messages, hasEnded)
        return messages
    }

    private func receiveMuch(_ incoming: inout Incoming) -> LocalSocket.Receipt {
        incoming.buffer.withBytes { buffer in
            let receipt = socket.receive(into: buffer)
            if case .bytes(let count) = receipt {
                incoming.frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return receipt
        }
    }

    private func receiveAnswer(_ demand: Demand, _ incoming: inout Incoming) -> LocalSocket.Receipt {
        withUnsafeTemporaryAllocation(byteCount: Self.answerByteCount, alignment: 16) { buffer in
            let receipt = receiveAnswer(into: buffer, demand, &incoming.wakefulness)
            if case .bytes(let count) = receipt {
                incoming.frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return receipt
        }
    }

    private func receiveAnswer(
        into buffer: UnsafeMutableRawBufferPointer,
        _ demand: Demand,
        _ wakefulness: inout Wakefulness
    ) -> LocalSocket.Receipt {
        if demand == .little { return socket.receive(into: buffer) }
        var receipt = LocalSocket.Receipt.nothing
        let hasCome = wakefulness.wait {
            receipt = socket.receive(into: buffer)
            return receipt != .nothing
        }
        return hasCome || demand == .awake ? receipt : socket.receiveAsleep(into: buffer)
    }

    private func note(_ messages: [AgentMessage], _ hasEnded: Bool) {
        if case .welcome(let version)? = messages.first {
            outgoing.withLock { $0.writer.version = version }
        }
        var farewell: Farewell?
        if case .goodbye(let goodbye, let reason)? = messages.last {
            farewell = Farewell(goodbye: goodbye, reason: reason)
        }
        guard hasEnded || farewell != nil else { return }
        reading.withLock { reading in
            reading.hasEnded = true
            reading.farewell = farewell ?? reading.farewell
        }
    }

    /// Ends the connection, and the waiting of who waits for messages.
    func end() {
        reading.withLock { $0.hasEnded = true }
        socket.shutDown()
        poll.wake()
        bell.ring()
    }

    /// How long what may wait does, at most.
    private static let tickMilliseconds: Int32 = 1
    /// After so many ticks with nothing to send the link's thread sleeps until it is woken.
    private static let idleTicksMax = 50
    /// Nearly all answers that do not depend on other accesses come sooner.
    private static let receiveLimitMilliseconds = 2
    /// Answers are short, and this is little enough to lie on the stack.
    private static let answerByteCount = 1024
}

extension DispatchTime {
    /// How long it is until then, for `poll(2)`: rounded up, 0 when it is over, -1 for ever.
    fileprivate var millisecondsLeft: Int32 {
        guard self != .distantFuture else { return -1 }
        let (end, now) = (uptimeNanoseconds, DispatchTime.now().uptimeNanoseconds)
        return end <= now ? 0 : Int32(clamping: (end - now + 999_999) / 1_000_000)
    }
}

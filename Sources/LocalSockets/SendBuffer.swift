/// Bytes that a socket has not taken yet.
package struct SendBuffer: Sendable {
    package enum State: Hashable, Sendable {
        /// All has been taken.
        case empty
        /// The rest goes when the socket can be written again.
        case waiting
        /// The other end is closed or gone.
        case ended
    }

    private var bytes: [UInt8] = []
    private var sentCount = 0

    package init() {}

    /// How many bytes wait.
    package var byteCount: Int { bytes.count - sentCount }

    /// Sends what waits and then more, as far as there is room; the rest waits.
    package mutating func send(_ more: [UInt8], to socket: LocalSocket) -> State {
        guard byteCount == 0 else {
            bytes.append(contentsOf: more)
            return send(to: socket)
        }
        guard let taken = more.withUnsafeBytes({ socket.send($0) }) else { return .ended }
        guard taken < more.count else { return .empty }
        bytes.append(contentsOf: more[taken...])
        return .waiting
    }

    /// Sends what there is room for.
    package mutating func send(to socket: LocalSocket) -> State {
        guard byteCount > 0 else { return .empty }
        let taken = bytes.withUnsafeBytes { buffer in
            socket.send(UnsafeRawBufferPointer(rebasing: buffer[sentCount...]))
        }
        guard let taken else { return .ended }
        sentCount += taken
        if byteCount == 0 {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptByteCountMax)
            sentCount = 0
            return .empty
        }
        // Of much, all that is left is not moved for each piece that goes.
        if sentCount > max(Self.keptByteCountMax, bytes.count / 2) {
            bytes.removeFirst(sentCount)
            sentCount = 0
        }
        return .waiting
    }

    /// So much room is kept for what comes; many connections are idle.
    private static let keptByteCountMax = 16 * 1024
}

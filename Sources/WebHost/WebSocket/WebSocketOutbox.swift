/// What waits to be sent over one WebSocket.
///
/// Pure.
///
/// 1. Messages leave in the order in which they came.
/// 2. After `close` or `end` nothing more is taken in.
/// 3. What waits, here and in the framing below, stays within the limits.
struct WebSocketOutbox {
    /// What the owner has to do.
    enum Effect: Hashable {
        /// Nothing: the loop has been woken already, or nobody listens any longer.
        case nothing
        /// Wake the loop, so that it takes what is here.
        case wake
        /// Cut the connection: the other side does not read.
        case drop
    }

    /// How to close.
    struct Closing: Hashable {
        var code: UInt16
        var reason: String
    }

    private let limits: WebSocketLimits
    private var messages: [String] = []
    private var byteCount = 0
    private var framedByteCount = 0
    private var isWoken = false
    private var closing: Closing?
    private var isFinal = false

    /// Empty and open.
    init(limits: WebSocketLimits) {
        self.limits = limits
    }

    /// Puts a message behind the others.
    mutating func send(_ text: String) -> Effect {
        guard !isFinal else { return .nothing }
        messages.append(text)
        byteCount += text.utf8.count
        if byteCount + framedByteCount > limits.unsentByteCountMax || messages.count > limits.unsentCountMax {
            end()
            return .drop
        }
        return wake()
    }

    /// Closes behind the messages that wait.
    mutating func close(_ closing: Closing) -> Effect {
        guard !isFinal else { return .nothing }
        isFinal = true
        self.closing = closing
        return wake()
    }

    /// Takes messages out until they come to `byteCountMax` (at least one), and the closing behind the last.
    mutating func take(byteCountMax: Int) -> (messages: [String], closing: Closing?) {
        isWoken = false
        var count = 0
        var taken = 0
        while count < messages.count, taken < byteCountMax || count == 0 {
            taken += messages[count].utf8.count
            count += 1
        }
        let batch = Array(messages.prefix(count))
        messages.removeFirst(count)
        byteCount -= taken
        guard messages.isEmpty else { return (batch, nil) }
        defer { closing = nil }
        return (batch, closing)
    }

    /// Whether something can be taken.
    var isEmpty: Bool { messages.isEmpty && closing == nil }

    /// How much of what was taken the framing below still holds, in bytes.
    mutating func setFramed(byteCount: Int) {
        framedByteCount = byteCount
    }

    /// The connection is over.
    mutating func end() {
        isFinal = true
        closing = nil
        messages = []
        byteCount = 0
    }

    private mutating func wake() -> Effect {
        defer { isWoken = true }
        return isWoken ? .nothing : .wake
    }
}

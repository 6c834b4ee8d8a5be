/// What one WebSocket may take up, and how long it may be still.
struct WebSocketLimits: Sendable {
    /// The longest message that is received, in bytes; a longer one closes with 1009.
    var messageByteCountMax = 64 << 20
    /// Frames a message may come in.
    ///
    /// Browsers use frames of at least some kilobytes.
    var framesPerMessageMax = 1 << 16
    /// Bytes that may wait to be sent.
    ///
    /// One longest message and as much again.
    var unsentByteCountMax = 128 << 20
    /// Messages that may wait to be sent.
    var unsentCountMax = 1 << 16
    /// Bytes received that the receiver has not dealt with; above this nothing more is read.
    var unreadByteCountMax = 64 << 20
    /// Messages received that the receiver has not dealt with; above this nothing more is read.
    var unreadCountMax = 4096
    /// After how many seconds without a sign of the other side it is asked for one.
    var pingSeconds = 20.0
    /// After how many seconds without a sign the other side is taken to be gone.
    var silenceSeconds = 60.0
    /// After how many seconds in which it took no byte of what waits for it the other side is given up.
    var stallSeconds = 30.0
    /// How long the other side may take to answer a close, in seconds.
    var closeSeconds = 3.0
    /// Bytes read from one socket before the others have their turn.
    var turnByteCount = 1 << 20
}

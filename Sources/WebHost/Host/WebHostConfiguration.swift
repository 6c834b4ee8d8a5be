package import Foundation
internal import HTTPService

/// What a host needs to know to start.
package struct WebHostConfiguration: Sendable {
    /// The port on 127.0.0.1.
    ///
    /// For 0: the one that was used last with this state directory, or any free one. A given port that is
    /// taken is replaced by any free one too; the link that `start` returns names it.
    package var port: UInt16
    /// The folder with the page's own files.
    ///
    /// Served below `/page/`. Read once, at the start.
    package var pageDirectory: URL
    /// Where the session key and the last port are kept; made with mode 0700 if it is not there.
    ///
    /// With the same folder a browser stays signed in over a restart.
    package var stateDirectory: URL
    /// The longest upload, in bytes.
    package var uploadByteCountMax: UInt64 = 16 << 30
    /// The longest message of a tab, in bytes.
    package var messageByteCountMax = 64 << 20
    /// How many bytes may wait for a tab that does not read, before it is cut.
    package var unsentByteCountMax = 128 << 20
    /// After how many seconds without a sign a tab is asked for one.
    package var pingSeconds = 20.0
    /// After how many seconds without a sign a tab is taken to be gone.
    package var silenceSeconds = 60.0
    /// How long requests in progress may take when the host stops, in seconds.
    package var drainSeconds = 5.0

    /// What the server gives to its connections.
    var httpLimits = HTTPLimits()

    /// A configuration with the usual limits.
    package init(port: UInt16 = 0, pageDirectory: URL, stateDirectory: URL) {
        self.port = port
        self.pageDirectory = pageDirectory
        self.stateDirectory = stateDirectory
    }

    var webSocketLimits: WebSocketLimits {
        var limits = WebSocketLimits()
        limits.messageByteCountMax = messageByteCountMax
        limits.unsentByteCountMax = unsentByteCountMax
        limits.pingSeconds = pingSeconds
        limits.silenceSeconds = silenceSeconds
        limits.stallSeconds = min(limits.stallSeconds, silenceSeconds)
        return limits
    }
}

internal import Coordination
internal import Foundation
internal import LocalSockets

/// The program that is an agent and nothing else.
package enum AgentProcess {
    /// How the program was started.
    package struct Options: Sendable {
        /// Whether a client started it: then it ends when it has had none for a minute.
        package var isOnDemand = false
        /// How long a presenter of another process may take to answer, in seconds.
        package var presenterLimitSeconds = PresenterLimit.usualSeconds
        /// The versions of the format that it speaks.
        package var versions = ClientHello.versions
        /// The folder to meet in; nil for the one that the environment says.
        package var folder: String?

        package init() {}
    }

    /// Serves until the process is told to end (`SIGTERM`, `SIGINT`), or is needed no longer.
    ///
    /// - Throws: `AgentError` with `isRunningAlready` when there is an agent; else what the kernel refused.
    package static func run(_ options: Options) throws {
        let environment = ProcessInfo.processInfo.environment
        var server = AgentServer.Options()
        server.limits.idle = options.isOnDemand ? idleNanoseconds : nil
        server.limits.presenter = UInt64(min(max(options.presenterLimitSeconds, 0.001), 3600) * 1e9)
        server.versions = options.versions
        server.listener = try LocalListener.inherited(environment: environment)
        let folder =
            try options.folder.map { path throws(SocketError) in try RuntimeFolder(path: path) }
            ?? RuntimeFolder(environment: environment)
        // Whoever reads its log may go.
        signal(SIGPIPE, SIG_IGN)
        OpenFiles.raised()
        // No folder is kept in use by an agent that was started in it.
        _ = chdir("/")
        let agent = try AgentServer(in: folder, server)
        let signals = EndSignals { [stopper = agent.stopper] in stopper.stop() }
        try withExtendedLifetime(signals) { try agent.run() }
    }

    private static let idleNanoseconds: UInt64 = 60_000_000_000
}

internal import Coordination
internal import Foundation
internal import LocalSockets

/// Whether this process uses the user's agent, where it is, and how one is started.
struct AgentPolicy: Sendable {
    let folder: RuntimeFolder
    /// The program to start when there is no agent; nil when none is to be started.
    let program: String?
    let environment: [String: String]
    var patience = AgentPatience()
    /// The versions of the format that this process speaks.
    var versions = ClientHello.versions

    init(folder: RuntimeFolder, program: String?, environment: [String: String] = [:]) {
        self.folder = folder
        self.program = program
        self.environment = environment
    }

    /// What the environment says: `SHEAF_AGENT` is the program's path, or `off`.
    ///
    /// Without it the program is `sheaf` beside this one, else the one in `PATH`. Nil when no agent is to be
    /// used: when it is off, or in a test bundle that says nothing, whose accesses are no user's.
    ///
    /// - Throws: When there is no folder to meet in.
    init?(environment: [String: String], executable: String?) throws(SocketError) {
        if environment["SHEAF_AGENT"] == "off" { return nil }
        if environment["SHEAF_AGENT"] == nil, executable?.hasSuffix(".xctest") == true { return nil }
        self.init(
            folder: try RuntimeFolder(environment: environment),
            program: Self.program(environment: environment, executable: executable),
            environment: environment
        )
    }

    static func program(
        environment: [String: String],
        executable: String?,
        isExecutable: (String) -> Bool = { access($0, X_OK) == 0 }
    ) -> String? {
        if let named = environment["SHEAF_AGENT"], named.hasPrefix("/") { return named }
        let own = executable.flatMap {
            $0.lastIndex(of: "/").map { slash in String(executable?[..<slash] ?? "") }
        }
        let folders =
            [own].compactMap(\.self) + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.map { $0 + "/sheaf" }.first { $0.hasPrefix("/") && isExecutable($0) }
    }
}

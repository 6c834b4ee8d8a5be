internal import Coordination

/// What an agent does, for as long as it is one.
package struct AgentRole: Sendable {
    let serve: @Sendable (_ isOnDemand: Bool, _ presenterLimitSeconds: Double) throws -> Void

    /// - Parameter serve: Returns when the agent has ended well.
    package init(
        _ serve: @escaping @Sendable (_ isOnDemand: Bool, _ presenterLimitSeconds: Double) throws -> Void
    ) {
        self.serve = serve
    }
}

extension Command {
    /// `sheaf agent`
    package static func agent(_ role: AgentRole?) -> Command {
        let onDemand = Flag("on-demand", "end when no program has needed it for a minute")
        let limit = ValueOption(
            "presenter-limit",
            "SECONDS",
            "how long a presenter may take to answer; else \(Int(PresenterLimit.usualSeconds))"
        ) {
            Double($0).flatMap { $0 > 0 && $0 <= 3600 ? $0 : nil }
        }
        return Command(
            "agent",
            summary: "keep the accesses of all programs of a user apart, until told to end",
            details: """
                Programs start one by themselves when there is none. Its socket is in the folder that \
                SHEAF_RUNTIME_DIR names, else in XDG_RUNTIME_DIR. A program with SHEAF_AGENT=off does without.

                Says on standard error which deadlocks it has broken; started by systemd, in the journal.

                Ends with 1 when there is an agent already. Started by systemd with the socket, it takes that one's place.
                """,
            [.flag(onDemand), .option(limit)]
        ) { arguments, _ in
            guard let role else { throw ReportError(description: "this program cannot be an agent") }
            try role.serve(arguments[onDemand], arguments[limit].last ?? PresenterLimit.usualSeconds)
            return .success
        }
    }
}

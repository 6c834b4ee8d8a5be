extension Tool {
    /// The `sheaf` command.
    ///
    /// - Parameters:
    ///   - reports: Who is asked how things stand; nil when there is nobody.
    ///   - agent: What an agent does; nil when there is none in this program.
    ///   - hub: What a hub does; nil when there is none in this program.
    package static func sheaf(
        reports: ReportSource? = nil,
        agent: AgentRole? = nil,
        hub: HubRole? = nil
    ) -> Tool {
        Tool(
            "sheaf",
            summary: "Documents on Linux: what coordinates them, and what is going on.",
            version: "0.1",
            [.agent(agent), .hub(hub), .locks(reports), .doctor(reports)]
        )
    }
}

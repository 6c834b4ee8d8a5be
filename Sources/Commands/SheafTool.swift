extension Tool {
    /// The `sheaf` command.
    ///
    /// - Parameters:
    ///   - reports: Who is asked how things stand; nil when there is nobody.
    ///   - agent: What an agent does; nil when there is none in this program.
    ///   - hub: What a hub does; nil when there is none in this program.
    ///   - sync: What keeps folders in step; nil when this program does not.
    ///   - sharing: What knows the devices that share a folder; nil when this program does not.
    ///   - versions: What knows former states of documents; nil when this program does not.
    ///   - vault: What holds former states of documents; nil when this program does not.
    ///   - doctor: What knows of wrongs with folders in step; nil when this program does not.
    ///   - diagnosis: What makes a report for those who mend this program; nil when this program does not.
    package static func sheaf(
        reports: ReportSource? = nil,
        agent: AgentRole? = nil,
        hub: HubRole? = nil,
        sync: SyncRole? = nil,
        sharing: SharingRole? = nil,
        versions: VersionsRole? = nil,
        vault: VaultRole? = nil,
        doctor: DoctorRole? = nil,
        diagnosis: DiagnosisRole? = nil
    ) -> Tool {
        Tool(
            "sheaf",
            summary: "Documents on Linux: what coordinates them, keeps them in step, and is going on.",
            version: "0.1",
            [
                .join(sync), .pair(sync), .up(sync), .status(sync), .explain(sync), .log(sync), .decide(sync),
                .evict(sync), .download(sync), .pause(sync), .resume(sync), .devices(sharing),
                .revoke(sharing),
                .recovery(sharing), .versions(versions), .vault(vault), .hub(hub), .agent(agent),
                .locks(reports),
                .doctor(reports, doctor), .diagnose(diagnosis),
            ]
        )
    }
}

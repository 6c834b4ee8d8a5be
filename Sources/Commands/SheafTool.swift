extension Tool {
    /// The `sheaf` command.
    ///
    /// - Parameter reports: Who is asked how things stand; nil when there is nobody.
    package static func sheaf(reports: ReportSource? = nil) -> Tool {
        Tool(
            "sheaf",
            summary: "Documents on Linux: what coordinates them, and what is going on.",
            version: "0.1",
            [.locks(reports), .doctor(reports)]
        )
    }
}

/// Where programs keep what all of them may read: the account's `$XDG_DATA_HOME`, and the machine's `$XDG_DATA_DIRS`.
enum DataFolders {
    /// The most important one first.
    ///
    /// - Parameter environment: The process's environment variables.
    static func all(environment: [String: String]) -> [String] {
        func setting(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let home = setting("XDG_DATA_HOME") ?? setting("HOME").map { $0 + "/.local/share" }
        let shared = setting("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        return ((home.map { [$0] } ?? []) + shared.split(separator: ":").map(String.init))
            .filter { $0.hasPrefix("/") }
    }
}

/// The names in the runtime folder.
package enum AgentPlace {
    /// Where the agent listens.
    package static let socketName = "agent.sock"
    /// Held by the agent as long as it lives.
    package static let lockName = "agent.lock"
    /// Held by who starts an agent.
    package static let startLockName = "start.lock"
    /// Holds a locked file for each process that coordinates.
    package static let clientFolderName = "clients"

    /// The name of the file of a process in that folder.
    ///
    /// - Parameter client: The number by which the agent knows it.
    package static func clientFileName(processID: UInt64, client: UInt64) -> String {
        "\(processID)-\(String(client, radix: 16))"
    }
}

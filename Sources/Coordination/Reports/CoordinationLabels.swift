/// What is known of those whom the arbiter knows by numbers only.
package struct CoordinationLabels: Sendable {
    /// A process that coordinates.
    package struct Process: Codable, Hashable, Sendable {
        package var id: Int32
        package var name: String

        package init(id: Int32, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// A presenter's type, and where and when it was registered.
    package struct Presenter: Codable, Hashable, Sendable {
        package var typeName: String
        /// Seconds since 1970.
        package var since: Double
        /// The file and line of the call; nil when that is not known.
        package var place: String?

        package init(typeName: String, since: Double, place: String? = nil) {
            self.typeName = typeName
            self.since = since
            self.place = place
        }
    }

    package var processes: [ClientID: Process]
    package var presenters: [PresenterID: Presenter]

    package init(processes: [ClientID: Process] = [:], presenters: [PresenterID: Presenter] = [:]) {
        self.processes = processes
        self.presenters = presenters
    }
}

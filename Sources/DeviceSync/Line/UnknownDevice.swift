internal import FileSystem
internal import Foundation
internal import StandardStreams

/// That the hub does not know this device, as one does not that was put back to a backup: what is said of it, and what helps.
enum UnknownDevice {
    static let why = """
        the hub does not know this device: it was put back to a backup from before the device joined, or is another hub
        """

    /// - Parameter hub: Where it is; nil where nobody has said.
    static func remedy(_ folder: FilePath, at hub: URL?) -> String {
        let address = hub.map { "\($0)" } ?? "ADDRESS"
        return """
            Nothing here is lost. End sheaf up; get an invitation where the hub runs, by sheaf hub invite; register the device again \
            with it: sheaf join \(folder.string.shellWord) --hub \(address.shellWord) --invitation -
            """
    }
}

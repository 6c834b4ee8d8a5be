internal import FileSystem
internal import HubProtocol
internal import StandardStreams

/// That the hub's owner has removed a folder from the hub: what is said of it, and what helps.
///
/// The hub tells that apart from a container that it does not know, and makes none of this name again. So nothing here begins it
/// anew by itself, and nothing in the folder goes.
enum RemovedFolder {
    static let why = "the hub's owner has removed this folder from the hub"

    static func remedy(_ place: ContainerSync.Place, _ container: ContainerName) -> String {
        let folder = place.folder.string.shellWord
        let address = place.hub.map { "\($0)" } ?? "ADDRESS"
        return """
            Nothing here is lost. For a while the hub's owner can have it back, where the hub runs: sheaf hub keep \(container); \
            then it goes on by itself. Else end sheaf up, have the folder forgotten here: sheaf revoke \(folder) \
            \(place.deviceName.shellWord) --without-hub; and begin it anew with an invitation of sheaf hub invite: sheaf join \
            \(folder) --hub \(address.shellWord) --invitation -
            """
    }
}

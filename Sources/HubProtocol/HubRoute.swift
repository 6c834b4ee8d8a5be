/// What a request is about: the path of its address, less the query.
package enum HubRoute: Hashable, Sendable {
    case health
    case devices
    case device(DeviceName)
    case invitations
    case containers
    case container(ContainerName)
    case keys(ContainerName, DeviceName)
    case commits(ContainerName)
    case log(ContainerName)
    case blobs(ContainerName)
    case missingBlobs(ContainerName)
    case readBlobs(ContainerName)
    case releasedBlobs(ContainerName)
    case blob(ContainerName, BlobName)
    case pairings
    case pairingMessages(String)

    /// The path, which begins with a slash.
    package var path: String {
        switch self {
        case .health: "/v1/health"
        case .devices: "/v1/devices"
        case .device(let device): "/v1/devices/\(device)"
        case .invitations: "/v1/invitations"
        case .containers: "/v1/containers"
        case .container(let container): "/v1/containers/\(container)"
        case .keys(let container, let device): "/v1/containers/\(container)/keys/\(device)"
        case .commits(let container): "/v1/containers/\(container)/commits"
        case .log(let container): "/v1/containers/\(container)/log"
        case .blobs(let container): "/v1/containers/\(container)/blobs"
        case .missingBlobs(let container): "/v1/containers/\(container)/blobs/missing"
        case .readBlobs(let container): "/v1/containers/\(container)/blobs/read"
        case .releasedBlobs(let container): "/v1/containers/\(container)/blobs/release"
        case .blob(let container, let blob): "/v1/containers/\(container)/blobs/\(blob)"
        case .pairings: "/v1/pairings"
        case .pairingMessages(let pairing): "/v1/pairings/\(pairing)/messages"
        }
    }

    /// Reads the components of a path, decoded.
    ///
    /// - Returns: Nil where there is nothing.
    package init?(components: [String]) {
        guard components.first == "v1" else { return nil }
        let rest = components.dropFirst()
        switch (rest.count, rest.first) {
        case (1, "health"): self = .health
        case (1, "devices"): self = .devices
        case (1, "invitations"): self = .invitations
        case (1, "containers"): self = .containers
        case (1, "pairings"): self = .pairings
        case (2, "devices"):
            guard let device = DeviceName(hexadecimal: components[2]) else { return nil }
            self = .device(device)
        case (3, "pairings") where components[3] == "messages": self = .pairingMessages(components[2])
        case (2..., "containers"):
            guard let container = ContainerName(hexadecimal: components[2]),
                let route = Self.route(in: container, rest.dropFirst(2))
            else { return nil }
            self = route
        default: return nil
        }
    }

    private static func route(in container: ContainerName, _ rest: ArraySlice<String>) -> HubRoute? {
        guard let first = rest.first else { return .container(container) }
        let second = rest.dropFirst().first
        switch (rest.count, first, second) {
        case (1, "commits", _): return .commits(container)
        case (1, "log", _): return .log(container)
        case (1, "blobs", _): return .blobs(container)
        case (2, "blobs", "missing"): return .missingBlobs(container)
        case (2, "blobs", "read"): return .readBlobs(container)
        case (2, "blobs", "release"): return .releasedBlobs(container)
        case (2, "blobs", let name?): return BlobName(hexadecimal: name).map { .blob(container, $0) }
        case (2, "keys", let name?): return DeviceName(hexadecimal: name).map { .keys(container, $0) }
        default: return nil
        }
    }
}

package import Foundation

/// The answer to `GET /v1/containers`.
package struct ContainerListings: Codable, Hashable, Sendable {
    package var containers: [ContainerListing]

    package init(_ containers: [ContainerListing]) { self.containers = containers }
}

/// A container of the account, with the end of its log.
package struct ContainerListing: Codable, Hashable, Sendable {
    package var container: ContainerName
    package var head: LogHead

    package init(_ container: ContainerName, head: LogHead) {
        (self.container, self.head) = (container, head)
    }
}

/// A container's keys, wrapped for one device by another: the body of `PUT /v1/containers/{container}/keys/{device}`.
///
/// Written once: other bytes under a generation that is there are refused with 409, the same bytes again are fine.
package struct WrappedKeys: Codable, Hashable, Sendable {
    /// Where it is kept among those for the same device: what devices count by it is theirs to say.
    package var generation: UInt32
    /// Not empty, at most `HubLimits.wrappedKeyByteCountMax`; nothing that the hub could read.
    package var keys: Data

    package init(generation: UInt32, keys: Data) { (self.generation, self.keys) = (generation, keys) }
}

/// The answer to `GET /v1/containers/{container}/keys/{device}`: all generations, in ascending order.
package struct WrappedKeysList: Codable, Hashable, Sendable {
    package var generations: [WrappedKeys]

    package init(_ generations: [WrappedKeys]) { self.generations = generations }
}

internal import FileSystem
internal import HubProtocol

/// What `sheaf hub remove` and `sheaf hub keep` leave for a hub that is running: an empty file each, named by the container and
/// by what is to become of it, which the hub removes once that is durable.
///
/// Only the hub writes to its database, so that a command must not.
enum OrderFiles {
    static let folderName = "orders"

    /// What is to become of a container.
    struct Order: Hashable, Sendable {
        enum Deed: String, Hashable, Sendable {
            case remove, keep
        }

        var deed: Deed
        var container: ContainerName

        init(_ deed: Deed, _ container: ContainerName) { (self.deed, self.container) = (deed, container) }

        var fileName: String { "\(container).\(deed.rawValue)" }

        /// Reads a file's name; nil for anything else.
        init?(fileName: String) {
            let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let container = ContainerName(hexadecimal: String(parts[0])),
                let deed = Deed(rawValue: String(parts[1]))
            else { return nil }
            self.init(deed, container)
        }
    }

    static func add(_ order: Order, in folder: StorageFolder) throws {
        // One of before that was not done is this one.
        guard try folder.status(of: order.fileName) == nil else { return }
        _ = try folder.create(order.fileName)
        try folder.sync()
    }

    static func all(in folder: StorageFolder) throws -> [Order] {
        try folder.entries().compactMap { Order(fileName: $0.name) }
    }

    static func isThere(_ order: Order, in folder: StorageFolder) throws -> Bool {
        try folder.status(of: order.fileName) != nil
    }

    static func remove(_ order: Order, in folder: StorageFolder) throws {
        try folder.remove(order.fileName)
        try folder.sync()
    }
}

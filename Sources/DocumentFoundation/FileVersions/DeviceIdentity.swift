internal import FileSystem
internal import Foundation

/// Which device this is, among those of one user: sixteen random bytes, given once, and a name for people.
///
/// A file in the user's state folder, which is this device's own by the base directory specification. Its user may
/// change the name in it.
struct DeviceIdentity: Codable, Hashable, Sendable {
    var version = 1
    var id: UUID
    var name: String

    static let fileName = "device"
    private static let fileByteCountMax = 4096

    /// The identity in a folder, made at its first use.
    ///
    /// It appears whole, under its name, or not at all: whoever of two makers is later takes the other's. One that
    /// cannot be read is replaced: all that is lost is that older versions seem to come from another device.
    ///
    /// - Parameter name: What a new one is called.
    static func load(from folder: FilePath, named name: String) throws -> DeviceIdentity {
        let place = folder.appending(fileName)
        if let found = try found(at: place) { return found }
        try ItemMoves.createFolders(folder, permissions: 0o700)
        let own = folder.appending("\(fileName).\(UUID().uuidString)")
        let made = DeviceIdentity(id: UUID(), name: name)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try ItemMoves.createFile(own, contents: try encoder.encode(made))
        do { try ItemMoves.move(own, toFree: place) } catch {
            // What is left of a maker that was too late; it says nothing.
            try? ItemMoves.removeFile(own)
            guard error.errno == EEXIST else { throw error }
            return try found(at: place) ?? replace(place, with: made)
        }
        return made
    }

    private static func found(at place: FilePath) throws -> DeviceIdentity? {
        guard let stamp = try FileStamp.ifPresent(at: place), stamp.kind == .regular,
            stamp.byteCount <= fileByteCountMax
        else { return nil }
        let data = try FileReading.contents(of: place)
        // A damaged one is replaced.
        guard let found = try? JSONDecoder().decode(DeviceIdentity.self, from: data), found.version == 1
        else {
            return nil
        }
        return found
    }

    private static func replace(_ place: FilePath, with made: DeviceIdentity) throws -> DeviceIdentity {
        let save = try StagedSave(item: place, followsSymbolicLink: false)
        try save.write(try JSONEncoder().encode(made))
        try save.commit()
        return made
    }
}

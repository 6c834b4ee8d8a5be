internal import FileSystem

/// The top folder of a volume that begins below the container's folder: what tells the volume from a copy of it, and from another,
/// also after it was mounted anew.
struct TopFolder: Hashable {
    /// Nil for what somebody has noted who did not know: nothing tells then.
    let bytes: [UInt8]?

    static let unknown = TopFolder(bytes: nil)

    private init(bytes: [UInt8]?) { self.bytes = bytes }

    /// As it was noted.
    init(noted bytes: [UInt8]) { self.bytes = bytes.isEmpty ? nil : bytes }

    /// - Parameter serial: The number of the volume, where that is FAT: there all top folders are alike.
    init(_ identity: FileIdentity, fatSerial serial: UInt32?) {
        var writer = StateWriter()
        // A copy was made later. Not all volumes number their folders in the same way each time.
        if let birth = identity.birth {
            writer.integer(UInt8(1))
            writer.integer(birth.seconds)
            writer.integer(birth.nanoseconds)
        } else {
            writer.integer(UInt8(0))
            writer.integer(identity.inode)
        }
        if let serial { writer.integer(serial) }
        bytes = writer.bytes
    }

    /// Whether it is known to be another than one that was noted.
    func isAnother(than noted: TopFolder) -> Bool { noted.bytes != nil && bytes != noted.bytes }
}

/// What the directory at a path is, where a volume begins.
struct FoundTopFolder {
    let mark: FileMark?
    let top: TopFolder

    /// Nil where another than the one at a place has come to it, or none is there.
    init?(at path: FilePath, as place: FolderPlace) throws(SystemError) {
        guard let identity = try FileIdentity.ifPresent(at: path), identity.kind == .directory,
            identity.inode == place.inode
        else { return nil }
        mark = identity.mark
        top = TopFolder(identity, fatSerial: mark == nil ? VolumeSerial.fat(ofFolderAt: path) : nil)
    }
}

internal import FileSystem

/// The container's folder: what tells it from another one in its place.
struct RootFolder {
    let names: RootNames
    /// Which directory it is, also after its volume was mounted anew: a copy of it bears the same mark, and is another.
    let directory: [UInt8]
    /// What tells it at once, until its volume goes.
    let trace: ItemTrace

    /// Nil where no folder is.
    ///
    /// - Parameter isMarked: Whether it gets a mark if it bears none.
    init?(at path: FilePath, isMarked: Bool) throws(SystemError) {
        guard let status = try FolderScan.status(at: path), status.stamp.kind == .directory else {
            return nil
        }
        if isMarked { _ = try FileIdentity.marking(path, with: FileMark.fresh()) }
        // Both of one and the same: it may be exchanged at any moment.
        guard let identity = try FileIdentity.ifPresent(at: path), identity.inode == status.stamp.inode else {
            return nil
        }
        names = RootNames(
            of: identity,
            fatSerial: identity.mark == nil ? VolumeSerial.fat(ofFolderAt: path) : nil
        )
        var writer = StateWriter()
        writer.integer(identity.inode)
        if let birth = identity.birth {
            writer.integer(birth.seconds)
            writer.integer(birth.nanoseconds)
        }
        directory = writer.bytes
        trace = ItemTrace(status)
    }
}

/// What a container's folder is known by for ever. Pure.
struct RootNames {
    private let mark: [UInt8]?
    /// Where it bears no mark, on a volume of kind FAT: the volume's own number and its inode. All else that tells of such a
    /// volume's top folder is told of the next stick in the same port, too.
    private let onFAT: [UInt8]?
    /// Its volume and inode.
    private let place: [UInt8]

    init(of identity: FileIdentity, fatSerial serial: UInt32?) {
        mark = identity.mark.map { Array($0.bytes) }
        onFAT = serial.map { Array("FAT \($0)-\(identity.inode)".utf8) }
        place = Array("\(identity.volume)-\(identity.inode)".utf8)
    }

    /// What apps are told that it is known by.
    var plain: [UInt8] { mark ?? place }

    /// Whether a folder that was noted by a name is this one.
    func contains(_ name: [UInt8]) -> Bool { name == mark || name == onFAT || name == place }

    /// What is to be noted.
    ///
    /// - Parameter name: What is noted of it; nil for nothing. Versions before this one noted its place where FAT tells better.
    func lasting(notedAs name: [UInt8]?) -> [UInt8] {
        if let name, name != place || mark != nil { return name }
        return mark ?? onFAT ?? place
    }
}

internal import FileSystem

/// The container's folder: what tells it from another one in its place.
struct RootFolder {
    /// What it is known by for ever: its mark, and its volume and inode where it bears none.
    let names: [[UInt8]]
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
        let place = Array("\(identity.volume)-\(identity.inode)".utf8)
        names = [identity.mark.map { Array($0.bytes) }, place].compactMap { $0 }
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

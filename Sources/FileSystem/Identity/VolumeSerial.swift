internal import CLinux

/// The number that a volume got when it was made.
///
/// Most volumes have one in what statfs(2) tells of them. That of FAT is the device's there, which the next stick in the same port has
/// as well.
package enum VolumeSerial {
    /// MSDOS_SUPER_MAGIC of statfs(2).
    private static let fatKind: UInt32 = 0x4d44

    /// The number of the volume that a folder is on, where that is FAT.
    ///
    /// - Returns: Nil on all others, and where nobody may ask.
    package static func fat(ofFolderAt path: FilePath) -> UInt32? {
        // What cannot be opened has no answer.
        guard let folder = try? Folder.open(path),
            (try? SystemCalls.volumeKind(of: folder.descriptor)) == fatKind
        else { return nil }
        return try? SystemCalls.fatSerial(of: folder.descriptor)
    }
}

extension SystemCalls {
    /// ioctl(2) with FAT_IOCTL_GET_VOLUME_ID.
    ///
    /// - Throws: `ENOTTY` on a volume of another kind.
    fileprivate static func fatSerial(of file: borrowing FileDescriptor) throws(SystemError) -> UInt32 {
        var serial: UInt32 = 0
        let raw = file.raw
        _ = try perform("ioctl", at: file.path) { cdoc_fat_volume_id(raw, &serial) }
        return serial
    }
}

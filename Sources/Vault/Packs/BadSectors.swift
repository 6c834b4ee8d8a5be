internal import FileSystem
internal import Foundation

// Packs of which a disk cannot read some sectors. That is damage as any other, and is healed as such: the disk takes other sectors
// when these are written anew, in another pack. A disk of which nothing can be read any more is not damage of a pack: its errors
// are told as they are.
extension StorageFile {
    /// The least of a disk that fails, and where it begins, by multiples.
    private static let sectorByteCount = 4096

    /// Whether a read of a pack failed for a bad sector: its header can be read.
    func hasBadSector(_ error: SystemError) -> Bool {
        guard error.errno == EIO else { return false }
        // What fails here, too, is said by the error at hand.
        return (try? read(at: 0, byteCount: PackFormat.headerByteCount)) != nil
    }

    /// Reads until the buffer is full or the pack ends.
    ///
    /// - Returns: The number of bytes read; 0 where some are in a bad sector.
    func readIfNotBad(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        do throws(SystemError) { return try read(at: offset, into: buffer) } catch {
            guard hasBadSector(error) else { throw error }
            return 0
        }
    }

    /// Reads bytes; fewer where the pack ends before. Those of bad sectors are zeros.
    func readAroundBad(at offset: Int, byteCount: Int) throws(SystemError) -> (bytes: [UInt8], hasBad: Bool) {
        do throws(SystemError) { return (try read(at: offset, byteCount: byteCount), false) } catch {
            guard hasBadSector(error) else { throw error }
            let sector = Self.sectorByteCount
            let middle = (offset + byteCount / 2) / sector * sector
            let start = (offset / sector + 1) * sector
            let cut = middle > offset ? middle : start
            guard cut < offset + byteCount else { return ([UInt8](repeating: 0, count: byteCount), true) }
            let first = try readAroundBad(at: offset, byteCount: cut - offset)
            let second = try readAroundBad(at: cut, byteCount: offset + byteCount - cut)
            return (first.bytes + second.bytes, first.hasBad || second.hasBad)
        }
    }
}

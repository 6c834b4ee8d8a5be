internal import CLinux

/// Where a file's bytes are on its volume.
///
/// Any thread; blocks on the disk. Links are not followed.
package enum FileExtents {
    /// Whether a piece of a file may be a piece of another one, too: of a clone, or in a snapshot.
    ///
    /// Ends at the first such piece. What was written anew and is not on the volume yet counts as what it was.
    ///
    /// - Returns: Nil for what is no file or cannot be opened, and on a volume that does not tell.
    package static func mayBeShared(_ path: FilePath) -> Bool? {
        var isShared = false
        do {
            let file = try SystemCalls.openToAsk(path, [.regular])
            try SystemCalls.forEachExtent(of: file, byteCount: .max, syncs: false) { extent in
                isShared = extent.flags & UInt32(CDOC_EXTENT_SHARED) != 0
                return !isShared
            }
        } catch {
            // What cannot be asked has no answer.
            return nil
        }
        return isShared
    }

    /// Numbers that two files have in common only if they have the same bytes now: their volume's, their size, and of each
    /// piece where it is in the file, where on the volume, and how long it is.
    ///
    /// What is written and not on the volume yet goes there first: else a clone would seem to be what it was.
    ///
    /// - Returns: Nil as for `mayBeShared(_:)`, and on a volume that does not count its places from one beginning. Nil for a file
    ///   of which nothing is written, of which a piece is not as it is where it says, pressed, encrypted or beside the inode,
    ///   which is in too many pieces, or which somebody writes to meanwhile.
    package static func places(of path: FilePath) -> [UInt64]? {
        // What cannot be asked has no answer.
        guard let file = try? SystemCalls.openToAsk(path, [.regular]),
            let kind = try? SystemCalls.volumeKind(of: file), volumeKinds.contains(kind),
            let before = try? SystemCalls.fstat(file),
            let told = pieces(of: file, byteCount: UInt64(clamping: before.stamp.byteCount)),
            let after = try? SystemCalls.fstat(file),
            after.stamp == before.stamp, after.change == before.change
        else { return nil }
        return [before.stamp.device, UInt64(clamping: before.stamp.byteCount)]
            + told.flatMap { [$0.offset, $0.place, $0.byteCount] }
    }

    /// ext4 and its forebears, XFS, Btrfs, F2FS and OCFS2, by their numbers in statfs(2). On others one place can be that of
    /// several files, each on a device or a layer of its own.
    private static let volumeKinds: Set<UInt32> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x7461_636F,
    ]

    /// Of a file in more pieces nobody tells the places: they would take more than 1.5 MB.
    private static let pieceCountMax = 1 << 16

    /// What is in one piece, in bytes.
    private struct Piece {
        var offset: UInt64
        var place: UInt64
        var byteCount: UInt64
    }

    private static func pieces(of file: borrowing FileDescriptor, byteCount: UInt64) -> [Piece]? {
        var pieces: [Piece] = []
        var isTold = true
        do {
            try SystemCalls.forEachExtent(of: file, byteCount: byteCount, syncs: true) { extent in
                isTold = extent.flags & UInt32(CDOC_EXTENT_ELSEWHERE) == 0 && pieces.count < pieceCountMax
                // What was never written is zeros, as is what no piece is for.
                let isWritten = extent.flags & UInt32(CDOC_EXTENT_UNWRITTEN) == 0
                if isTold, isWritten { add(extent, to: &pieces, upTo: byteCount) }
                return isTold
            }
        } catch {
            // As above.
            return nil
        }
        return isTold && !pieces.isEmpty ? pieces : nil
    }

    /// Notes a piece as far as it is in the file. Volumes part a file's pieces otherwise than its clone's.
    private static func add(_ extent: cdoc_extent, to pieces: inout [Piece], upTo end: UInt64) {
        guard extent.offset < end else { return }
        let byteCount = min(extent.byte_count, end - extent.offset)
        if let last = pieces.last, last.offset + last.byteCount == extent.offset,
            last.place &+ last.byteCount == extent.place
        {
            pieces[pieces.count - 1].byteCount += byteCount
        } else {
            pieces.append(Piece(offset: extent.offset, place: extent.place, byteCount: byteCount))
        }
    }
}

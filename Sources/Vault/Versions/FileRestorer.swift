internal import FileSystem
internal import Locks
internal import Synchronization
internal import Threads

/// Fills a file with its pieces.
///
/// A stretch of them at a time is read into memory and compared with the names there, then written with one call: what
/// is not what it should be reaches no file, and the volume gets whole blocks instead of many ends of pieces. Two
/// threads share a large file.
struct FileRestorer {
    private let file: StorageFile
    private let reader: ObjectReader
    private let store: VaultStore
    private let pieces: [ContentTree.Piece]
    private let stretches: [Stretch]
    private let byteCount: Int
    private let isUncached: Bool

    /// Pieces that are written together.
    private struct Stretch {
        var pieces: Range<Int>
        var offset: Int
        var byteCount: Int
    }

    /// From which size on a stretch ends: so much stays in a core's cache from reading to writing.
    private static let stretchByteCount = 512 << 10
    /// Of a file that is written past the kernel's cache, where each call waits for the disk.
    private static let uncachedStretchByteCount = 1 << 20
    /// Files of at least so many bytes are: it is a waste to have others make room for them in the cache.
    private static let uncachedByteCountMin = 16 << 20
    /// Files of at least so many bytes are written by two threads.
    private static let sharedByteCountMin = 2 << 20

    /// - Parameters:
    ///   - pieces: Chunks in order, each of `PackFormat.objectByteCountMax` at most.
    ///   - file: Empty.
    ///   - reader: For this thread; another is made for the second.
    init(_ pieces: [ContentTree.Piece], to file: StorageFile, reader: ObjectReader, store: VaultStore) {
        self.pieces = pieces
        self.file = file
        self.reader = reader
        self.store = store
        let isUncached = pieces.reduce(0) { $0 + $1.byteCount } >= Self.uncachedByteCountMin
        let stretchByteCount = isUncached ? Self.uncachedStretchByteCount : Self.stretchByteCount
        var stretches: [Stretch] = []
        var current = Stretch(pieces: 0..<0, offset: 0, byteCount: 0)
        for (index, piece) in pieces.enumerated() {
            current.pieces = current.pieces.lowerBound..<index + 1
            current.byteCount += Int(piece.byteCount)
            guard current.byteCount >= stretchByteCount || index == pieces.count - 1 else { continue }
            stretches.append(current)
            let end = current.offset + current.byteCount
            current = Stretch(pieces: index + 1..<index + 1, offset: end, byteCount: 0)
        }
        self.stretches = stretches
        self.isUncached = isUncached
        byteCount = stretches.last.map { $0.offset + $0.byteCount } ?? 0
    }

    /// Fills the file.
    ///
    /// - Throws: As `Vault.restore`.
    func run() throws {
        guard byteCount >= Self.sharedByteCountMin else {
            for stretch in stretches { try write(stretch, by: reader, to: file.write) }
            return
        }
        // Two threads that both look for room wait for each other.
        try file.reserve(byteCount)
        let uncached = isUncached ? UncachedFile(file) : nil
        let readers = [reader, try ObjectReader(store: store)]
        let next = Atomic<Int>(0)
        let failure = Locked<(any Error)?>(nil)
        // Each thread has a reader of its own, and takes stretches that no other has taken.
        nonisolated(unsafe) let work = { (worker: Int) throws in
            while case let index = next.add(1, ordering: .relaxed).oldValue, index < stretches.count {
                try write(stretches[index], by: readers[worker], to: uncached?.write ?? file.write)
            }
        }
        SharedWork.perform(readers.count) { worker in
            do { try work(worker) } catch { failure.withLock { $0 = $0 ?? error } }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    private func write(
        _ stretch: Stretch,
        by reader: ObjectReader,
        to write: (UnsafeRawBufferPointer, Int) throws -> Void
    ) throws {
        let pieces = pieces[stretch.pieces]
        try reader.withPieces(pieces, byteCount: stretch.byteCount, at: stretch.offset) { bytes in
            try write(bytes, stretch.offset)
        }
    }
}

internal import FileSystem
internal import Locks
internal import Synchronization
internal import Threads

/// Cuts a large file into chunks, a batch at a time: one thread reads and cuts the next while two hash this one.
struct FileCutter {
    private let chunker: Chunker
    private let hashers: [VaultHasher]

    /// - Parameter hashers: One for each of two threads.
    init(_ chunker: Chunker, _ hashers: [VaultHasher]) {
        (self.chunker, self.hashers) = (chunker, hashers)
    }

    /// A chunk's bytes, and these pressed together; nil where they are to be stored as they are.
    typealias Chunk = (ObjectName, _ plain: UnsafeRawBufferPointer, _ pressed: UnsafeRawBufferPointer?) throws
        -> Void

    /// The pieces of a file, in order.
    ///
    /// - Parameters:
    ///   - byteCountMax: How many bytes of it are cut, from its beginning, though there may be more by now.
    ///   - compressors: One for each thread; nil where nobody asks for anything pressed.
    ///   - body: Shown each chunk, in order.
    func pieces(
        of file: SourceFile,
        upTo byteCountMax: Int = .max,
        pressing compressors: [Compressor]? = nil,
        _ body: Chunk = { _, _, _ in }
    ) throws -> [ContentTree.Piece] {
        var batches = [FileBatch(chunker.sizes), FileBatch(chunker.sizes)]
        var pieces: [ContentTree.Piece] = []
        try batches[0].fill(from: file, at: 0, upTo: byteCountMax, rest: nil, chunker)
        while !batches[0].cuts.isEmpty {
            let (batch, next) = (batches[0], batches[1])
            try batch.hash(by: hashers, compressors) {
                try next.fill(from: file, at: batch.end, upTo: byteCountMax, rest: batch.rest, chunker)
            }
            for (index, name) in batch.names.enumerated() {
                let plain = batch.chunk(index)
                try batch.withPressed(index) { try body(name, plain, $0) }
                pieces.append(ContentTree.Piece(name: name, byteCount: UInt64(plain.count)))
            }
            batches.swapAt(0, 1)
        }
        return pieces
    }
}

/// A stretch of a file, cut into chunks.
///
/// Filled by one thread and hashed by two, one after the other: who fills is done before who hashes begins.
private final class FileBatch {
    /// So many bytes are read at a time: several chunks for each of two threads, and no more memory than need be.
    private static let byteCountMax = 2 << 20

    private let buffer: UnsafeMutableRawBufferPointer
    private var byteCount = 0
    /// Where the stretch ends in the file, and what of it is not in a chunk yet.
    private(set) var end = 0
    private var usedByteCount = 0
    /// Where each chunk ends.
    private(set) var cuts: [Int] = []
    private(set) var names: [ObjectName] = []
    private var pressed: [[UInt8]?] = []

    init(_ sizes: Chunker.Sizes) {
        buffer = .allocate(byteCount: Self.byteCountMax + sizes.max, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// What is left after the last chunk; it begins the next batch.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[usedByteCount..<byteCount]) }

    func chunk(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer[(index == 0 ? 0 : cuts[index - 1])..<cuts[index]])
    }

    /// Shows a chunk's bytes pressed together; nil where they are to be stored as they are.
    func withPressed(_ index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Void) rethrows {
        guard let bytes = pressed[index] else { return try body(nil) }
        try bytes.withUnsafeBytes { try body($0) }
    }

    /// Reads a stretch and cuts it.
    func fill(
        from file: SourceFile,
        at offset: Int,
        upTo byteCountMax: Int,
        rest: UnsafeRawBufferPointer?,
        _ chunker: Chunker
    ) throws {
        var filled = 0
        if let rest {
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<rest.count]).copyMemory(from: rest)
            filled = rest.count
        }
        let room = UnsafeMutableRawBufferPointer(
            rebasing: buffer[filled..<min(filled + Self.byteCountMax, buffer.count)]
        )
        let wanted = UnsafeMutableRawBufferPointer(rebasing: room[..<min(room.count, byteCountMax - offset)])
        let readCount = try file.read(at: offset, into: wanted)
        byteCount = filled + readCount
        end = offset + readCount
        let isLast = readCount < room.count
        cuts = []
        usedByteCount = 0
        // A chunk is certain only with as many bytes at hand as it could have.
        while usedByteCount < byteCount, isLast || byteCount - usedByteCount >= chunker.sizes.max {
            usedByteCount += chunker.cut(UnsafeRawBufferPointer(rebasing: buffer[usedByteCount..<byteCount]))
            cuts.append(usedByteCount)
        }
    }

    /// Hashes, and presses unless there is nothing to do so, all chunks by two threads, of which the first does something else before.
    func hash(
        by hashers: [VaultHasher],
        _ compressors: [Compressor]?,
        after other: () throws -> Void
    ) throws {
        names = [ObjectName](repeating: ObjectName(), count: cuts.count)
        pressed = [[UInt8]?](repeating: nil, count: cuts.count)
        let results = names.indices.map { _ in Locked<(ObjectName, [UInt8]?)?>(nil) }
        let next = Atomic<Int>(0)
        let failure = Locked<(any Error)?>(nil)
        // Each thread has a hasher and a compressor of its own, takes chunks that no other has taken, and ends
        // before this call does; the batch's bytes do not change meanwhile.
        nonisolated(unsafe) let work = { (worker: Int) throws in
            while case let index = next.add(1, ordering: .relaxed).oldValue, index < self.cuts.count {
                let plain = self.chunk(index)
                let name = try hashers[worker].name(ofChunk: plain)
                let bytes = compressors?[worker].compress(plain) { $0.map { [UInt8]($0) } } ?? nil
                results[index].withLock { $0 = (name, bytes) }
            }
        }
        withoutActuallyEscaping(other) { other in
            // Called by one thread alone: whichever takes the first piece.
            nonisolated(unsafe) let other = other
            SharedWork.perform(2) { worker in
                do {
                    if worker == 0 { try other() }
                    try work(worker)
                } catch { failure.withLock { $0 = error } }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        for index in names.indices {
            guard let (name, bytes) = results[index].withLock({ $0 }) else { continue }
            (names[index], pressed[index]) = (name, bytes)
        }
    }
}

internal import FileSystem
internal import Foundation

/// Stores the bytes of files.
struct FileKeeper {
    let session: KeepSession
    /// Whether a large file may be lent instead.
    var mayBorrow = false
    /// Whether a former state of it has been kept, which it probably shares most with.
    var hasFormer = false
    /// Whether it is asked if somebody has a file open for writing.
    var asksWhoWrites = false
    /// What so many new bytes are like at the beginning of a file of which nothing is there, the rest is taken to be like.
    var sampleByteCount = 64 << 20

    /// Whether a file that is written to each time that it is read is taken as it is.
    var takesAsItIs = false
    /// A file that is longer than `byteCountMin` and more than `factor` times what its volume has set aside for it is not kept.
    var sparse = (byteCountMin: Int64(16) << 30, factor: Int64(16))

    /// So often a file is read that is written to meanwhile.
    private static let attemptCountMax = 4
    /// Files of at least so many bytes are hashed by two threads.
    static let sharedByteCountMin = 2 << 20

    /// What was read, and what the file was like before and after.
    struct Outcome {
        var content: ContentReference?
        var byteCount: UInt64
        var status: MemberStatus
        var attributes: [String: Data]
        /// Whether somebody could write into it when the reading began: what is stored in memory that it is mapped to moves its
        /// times once, and not again for as long as the page has not been written back.
        var wasOpenForWriting: Bool
    }

    /// Stores a file's bytes as they were at one moment.
    ///
    /// Of one that is taken as it is, and written to, those that it had when it was opened, each as it was when it was read: to
    /// one that is only added to, what it held then. It is not lent, as what is written next would take that away.
    ///
    /// - Throws: `VaultError` with code `changing` when it is never at rest.
    func keep(_ name: String, in folder: SourceFolder) throws -> Outcome {
        for attempt in 1...Self.attemptCountMax {
            let isAsItIs = takesAsItIs && attempt > 1
            let file = try folder.file(name)
            try checkHoles(of: file)
            let loan = mayBorrow && !isAsItIs ? try session.borrow(file) : nil
            if loan == nil { try checkRoom(for: file) }
            // A link moves the change time.
            let wasOpenForWriting = asksWhoWrites && file.isOpenForWriting ?? false
            let before = loan == nil ? file.openedStatus : try file.status()
            let attributes = try file.userAttributes()
            let isShared = before.stamp.byteCount >= Self.sharedByteCountMin
            // One byte more than it had, if there is one: some volumes say less than there is. No more, as it may grow faster than
            // anybody reads.
            let byteCountMax = Int(before.stamp.byteCount) + (isAsItIs ? 0 : 1)
            let pieces =
                isShared
                ? try shared(file, upTo: byteCountMax, isLent: loan != nil)
                : try alone(file, upTo: byteCountMax, isLent: loan != nil)
            // A link made meanwhile moves the change time too: then it is only read once more.
            let after = try file.status()
            guard after == before || isAsItIs && after.stamp.byteCount >= before.stamp.byteCount else {
                continue
            }
            let byteCount = pieces.reduce(0) { $0 + $1.byteCount }
            guard byteCount == UInt64(before.stamp.byteCount) else { continue }
            loan?.pieces = pieces
            return Outcome(
                content: try ContentTree.list(of: pieces) { try session.store($0, $1) },
                byteCount: byteCount,
                status: before,
                attributes: attributes,
                wasOpenForWriting: wasOpenForWriting
            )
        }
        throw VaultError(
            code: .changing,
            path: folder.path.appending(name),
            detail: "The file was written to each time that it was read. Keep a version when that has ended."
        )
    }

    /// Refuses a file that is nearly all holes, a disk image say, before any of it is read: each of its zeros would be read, cut and
    /// hashed, for hours, and meanwhile nothing else is kept. One such file would take the memory of a whole machine.
    ///
    /// - Throws: `VaultError` with code `sparse`.
    private func checkHoles(of file: SourceFile) throws {
        let byteCount = file.openedStatus.stamp.byteCount
        guard byteCount > sparse.byteCountMin else { return }
        let allocated = try file.allocatedByteCount()
        guard allocated < byteCount / sparse.factor else { return }
        // Some volumes say of no file what they have set aside for it.
        if allocated == 0, try !file.isHole() { return }
        throw VaultError(
            code: .sparse,
            path: file.path,
            detail:
                "It is \(byteCount >> 30) GiB long, and nearly all of that is holes: \(allocated >> 20) MiB are there."
        )
    }

    /// Refuses a file for which the vault's volume has no room before any of it is there. It is tried again and again: to find that
    /// out by writing would fill the volume each time, for all who save something on it, and keep others from being kept. What counts is
    /// what would be written: what is new of it, pressed together.
    ///
    /// - Throws: `SystemError`, `ENOSPC`.
    private func checkRoom(for file: SourceFile) throws {
        let room = try session.store.roomByteCount()
        // Of a file that is a hole only what is there, and that is not more than it is long.
        let fileByteCount = Int(try min(file.openedStatus.stamp.byteCount, file.allocatedByteCount()))
        guard fileByteCount > room else { return }
        let refusal = SystemError(call: "write", errno: ENOSPC, path: session.store.folder.path)
        let cutter = FileCutter(
            session.store.chunker,
            [session.hasher, try VaultHasher(key: session.store.key)]
        )
        var (met, isKnown): (Set<ObjectName>, Bool) = ([], hasFormer)
        var (seenByteCount, newByteCount) = (0, 0)
        _ = try cutter.pieces(
            of: file,
            upTo: Int(file.openedStatus.stamp.byteCount),
            pressing: [try Compressor(), try Compressor()]
        ) {
            name,
            plain,
            pressed in
            seenByteCount += plain.count
            guard met.insert(name).inserted else { return }
            if try session.has(name) {
                isKnown = true
            } else {
                newByteCount += (pressed ?? plain).count
            }
            guard newByteCount <= room else { throw refusal }
            guard !isKnown, newByteCount > sampleByteCount else { return }
            let all = Double(fileByteCount) * Double(newByteCount) / Double(seenByteCount)
            if all > Double(room) { throw refusal }
        }
    }

    private func alone(
        _ file: SourceFile,
        upTo byteCountMax: Int,
        isLent: Bool
    ) throws -> [ContentTree.Piece] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCountMax, alignment: 16)
        defer { buffer.deallocate() }
        var rest = UnsafeRawBufferPointer(rebasing: buffer[..<(try file.read(at: 0, into: buffer))])
        var pieces: [ContentTree.Piece] = []
        while !rest.isEmpty {
            let byteCount = session.store.chunker.cut(rest)
            let plain = UnsafeRawBufferPointer(rebasing: rest[..<byteCount])
            let name = isLent ? try session.hasher.name(.chunk, plain) : try session.store(.chunk, plain)
            pieces.append(ContentTree.Piece(name: name, byteCount: UInt64(byteCount)))
            rest = UnsafeRawBufferPointer(rebasing: rest[byteCount...])
        }
        return pieces
    }

    /// As `alone`, by two threads.
    private func shared(
        _ file: SourceFile,
        upTo byteCountMax: Int,
        isLent: Bool
    ) throws -> [ContentTree.Piece] {
        let store = session.store
        guard !isLent else {
            // Whoever sends them reads them once more, out of somebody's file.
            let hashers = try (0..<2).map { _ in try VaultHasher(key: store.key, noting: store.checks) }
            return try FileCutter(store.chunker, hashers).pieces(of: file, upTo: byteCountMax)
        }
        let cutter = FileCutter(store.chunker, [session.hasher, try VaultHasher(key: store.key)])
        return try cutter.pieces(
            of: file,
            upTo: byteCountMax,
            pressing: [try Compressor(), try Compressor()]
        ) {
            if try !session.has($0) { try session.append(.chunk, $0, $1, pressed: $2) }
        }
    }
}

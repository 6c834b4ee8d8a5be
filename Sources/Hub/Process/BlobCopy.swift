internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import SQLite

/// A blob of an index whose bytes the volume does not give.
struct UnreadBlob: CustomStringConvertible {
    var container: ContainerName
    var name: BlobName
    var reason: String

    /// How many of them are named.
    private static let namedCountMax = 10

    var description: String { "Blob \(name) of container \(container): \(reason)" }

    /// What is said of those that are not in a copy.
    static func lines(_ blobs: [UnreadBlob]) -> [String] {
        guard !blobs.isEmpty else { return [] }
        let count = blobs.count == 1 ? "1 blob" : "\(blobs.count) blobs"
        let named = blobs.prefix(namedCountMax).map(\.description)
        let rest = blobs.count > named.count ? ["And \(blobs.count - named.count) more."] : []
        return [
            "The copy is without \(count) that cannot be read. Of a hub that is put back to it devices hear that they are missing, "
                + "and send what they have of them; what none has any more may be in an earlier copy."
        ] + named + rest
    }
}

/// Copies the blobs of which a copied index speaks.
struct BlobCopy {
    /// How many bytes are copied at a time.
    private static let byteCountMax = 1 << 20

    private let segments: (from: StorageFolder, to: StorageFolder)
    private let files: (from: StorageFolder, to: StorageFolder)
    private let leavesUnreadOut: Bool
    /// Why blobs cannot be read, by their places.
    private var unread: [BlobPlace: String] = [:]

    /// - Parameter leavesUnreadOut: Whether a blob that cannot be read is left out, and goes from the index; else it ends the copy.
    init(from source: StorageFolder, to target: StorageFolder, leavesUnreadOut: Bool) throws {
        segments = (try source.subfolder("segments"), try target.subfolder("segments"))
        files = (try source.subfolder("files"), try target.subfolder("files"))
        self.leavesUnreadOut = leavesUnreadOut
    }

    /// Copies all of them, durably.
    ///
    /// - Parameter connection: To the copied index, nobody else's.
    /// - Returns: Those that could not be read.
    mutating func make(by connection: SQLiteConnection) throws -> [UnreadBlob] {
        // Neither what is deleted nor what is unfinished is copied.
        try connection.execute(
            "DELETE FROM garbage; DELETE FROM uploads; DELETE FROM segments WHERE blobs = 0"
        )
        let small = try connection.statement(
            "SELECT segment, start, bytes FROM blobs WHERE segment > 0 AND bytes > 0 ORDER BY segment, start"
        )
        var (segment, pieces): (Int, [Range<Int>]) = (0, [])
        while try small.step() {
            if small.integer(0) != segment {
                try copy(pieces, ofSegment: segment)
                (segment, pieces) = (small.integer(0), [])
            }
            pieces.append(small.integer(1)..<small.integer(1) + small.integer(2))
        }
        try copy(pieces, ofSegment: segment)
        let large = try connection.statement("SELECT start, bytes FROM blobs WHERE segment = 0")
        while try large.step() { try copy(file: large.integer(0), byteCount: large.integer(1)) }
        for folder in [segments.to, files.to] { try folder.sync() }
        return try forgetUnread(connection)
    }

    /// - Parameter pieces: Where its blobs lie, in order; none is empty.
    private mutating func copy(_ pieces: [Range<Int>], ofSegment number: Int) throws {
        guard let end = pieces.last?.upperBound else { return }
        let source: StorageFile
        do { source = try segments.from.open(Segments.name(number)) } catch {
            for piece in pieces { try leaveOut(.segment(number, offset: piece.lowerBound), error) }
            return
        }
        let target = try segments.to.create(Segments.name(number))
        var rest = pieces[...]
        while !rest.isEmpty {
            let neighbours = Self.neighbours(in: rest)
            rest = rest.dropFirst(neighbours.count)
            if let first = neighbours.first, let last = neighbours.last,
                let bytes = try? Self.bytes(first.lowerBound..<last.upperBound, of: source)
            {
                try Self.write(bytes, to: target, at: first.lowerBound)
                continue
            }
            // Most of them are in order, as a rule.
            for piece in neighbours {
                let bytes: [UInt8]
                do { bytes = try Self.bytes(piece, of: source) } catch {
                    try leaveOut(.segment(number, offset: piece.lowerBound), error)
                    continue
                }
                try Self.write(bytes, to: target, at: piece.lowerBound)
            }
        }
        if try target.byteCount() < end { try target.cut(to: end) }
        try target.sync()
    }

    /// The first of some places, and those that lie behind it without a gap: as many as are copied at a time.
    private static func neighbours(in pieces: ArraySlice<Range<Int>>) -> ArraySlice<Range<Int>> {
        guard let first = pieces.first else { return [] }
        var (count, end) = (1, first.upperBound)
        for piece in pieces.dropFirst() {
            guard piece.lowerBound == end, piece.upperBound - first.lowerBound <= byteCountMax else { break }
            (count, end) = (count + 1, piece.upperBound)
        }
        return pieces.prefix(count)
    }

    private mutating func copy(file number: Int, byteCount: Int) throws {
        let name = SegmentedBlobStore.fileName(number)
        let source: StorageFile
        do { source = try files.from.open(name) } catch { return try leaveOut(.file(number), error) }
        let target = try files.to.create(name)
        for start in stride(from: 0, to: byteCount, by: Self.byteCountMax) {
            let bytes: [UInt8]
            do {
                bytes = try Self.bytes(start..<min(start + Self.byteCountMax, byteCount), of: source)
            } catch {
                try files.to.remove(name)
                return try leaveOut(.file(number), error)
            }
            try Self.write(bytes, to: target, at: start)
        }
        if try target.byteCount() < byteCount { try target.cut(to: byteCount) }
        try target.sync()
    }

    private static func bytes(_ range: Range<Int>, of file: StorageFile) throws -> [UInt8] {
        let bytes = try file.read(at: range.lowerBound, byteCount: range.count)
        guard bytes.count == range.count else {
            throw HubError(
                "\(file.path) is shorter than the index says: it has no \(range.count) bytes at \(range.lowerBound)."
            )
        }
        return bytes
    }

    /// Writes bytes; for zeros there need be no room.
    private static func write(_ bytes: [UInt8], to file: StorageFile, at offset: Int) throws {
        guard bytes.contains(where: { $0 != 0 }) else { return }
        try bytes.withUnsafeBytes { try file.write($0, at: offset) }
    }

    // MARK: What cannot be read

    /// Notes a blob that cannot be read, or ends the copy.
    private mutating func leaveOut(_ place: BlobPlace, _ error: any Error) throws {
        let isOfBlob = (error as? SystemError)?.isOfMoment != true
        guard leavesUnreadOut, isOfBlob else { throw error }
        unread[place] = "\(error)"
    }

    /// Takes blobs that cannot be read out of the index, as what is in it is there.
    private func forgetUnread(_ connection: SQLiteConnection) throws -> [UnreadBlob] {
        guard !unread.isEmpty else { return [] }
        try connection.execute(
            "CREATE TEMP TABLE unread(segment INTEGER, start INTEGER, PRIMARY KEY(segment, start)) WITHOUT ROWID"
        )
        return try connection.transaction {
            let note = try connection.statement("INSERT INTO unread VALUES(?, ?)")
            for place in unread.keys {
                note.bind(1, place.numbers.segment)
                note.bind(2, place.numbers.offset)
                try note.run()
            }
            let forget = try connection.statement(
                """
                DELETE FROM blobs WHERE bytes > 0 AND (segment, start) IN (SELECT segment, start FROM unread)
                RETURNING key, segment, start, bytes, account
                """
            )
            var (blobs, perSegment, byteCounts): ([UnreadBlob], [Int: Int], [AccountID: Int]) = ([], [:], [:])
            while try forget.step() {
                let (key, segment) = (forget.blob(0), forget.integer(1))
                let place = BlobPlace(segment: segment, offset: forget.integer(2))
                blobs.append(
                    UnreadBlob(
                        container: ContainerName(unchecked: Array(key.prefix(ContainerName.byteCount))),
                        name: BlobName(unchecked: Array(key.dropFirst(ContainerName.byteCount))),
                        reason: unread[place] ?? ""
                    )
                )
                if segment != 0 { perSegment[segment, default: 0] -= 1 }
                byteCounts[AccountID(forget.integer(4)), default: 0] -=
                    forget.integer(3) + BlobSchema.rowByteCount
            }
            for (segment, change) in perSegment { try BlobSchema.add(change, toSegment: segment, connection) }
            for (account, change) in byteCounts { _ = try BlobSchema.add(change, to: account, connection) }
            try connection.execute("DELETE FROM segments WHERE blobs = 0")
            return blobs
        }
    }
}

extension SystemError {
    /// Whether it is of files that may be open, or of memory: there is enough again in a moment, and nothing is wrong with the
    /// file.
    var isOfMoment: Bool { [EMFILE, ENFILE, ENOMEM].contains(errno) }
}

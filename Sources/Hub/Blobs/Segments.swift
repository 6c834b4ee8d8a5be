internal import FileSystem
internal import Foundation
internal import Locks

/// Files to which small blobs are appended, one behind the other and without anything between them.
///
/// Its state is in one struct under one lock; bytes are written and read without it.
///
/// 1. A place that was given out belongs to whom it was given to, and is written once.
/// 2. What no index speaks of is nobody's: a process begins new segments and never goes on with old ones.
/// 3. No segment has the number of one that an index speaks of, not even where that one's file is lost.
/// 4. Whoever has room has a descriptor of their own: that a file could not be written the kernel tells each descriptor once,
///    fsync(2), and with one for all only the first to ask would hear that its bytes, and others', are lost.
final class Segments: Sendable {
    private struct State {
        /// The segment that is being filled; that of the process before as long as there is no file.
        var number: Int
        /// The last number that was taken: of a segment that could not be made it is gone, as there may be a file of that name.
        var lastNumber: Int
        /// Whether this process has begun the one that is being filled.
        var isBegun = false
        var end = 0
        var opened: [Int: StorageFile] = [:]
        /// How many rooms of a segment are out that the index does not speak of yet.
        var pending: [Int: Int] = [:]
    }

    /// Room in a segment.
    struct Room {
        var number: Int
        var offset: Int
        /// To write to it, and to sync that.
        var file: StorageFile
    }

    /// When the next segment begins, in bytes: small enough that one without living blobs is soon found.
    static let byteCountMax = 256 << 20
    /// How many are open to be read.
    private static let openedMax = 64

    private let folder: StorageFolder
    private let byteCountMax: Int
    private let state: Locked<State>

    /// - Parameters:
    ///   - byteCountMax: When the next segment begins, in bytes.
    ///   - lastUsed: The greatest number of a segment that the index speaks of, be there such a file or not; 0 for none.
    ///   - isUsed: Whether the index speaks of a segment; others are removed.
    init(
        in folder: StorageFolder,
        byteCountMax: Int = Segments.byteCountMax,
        lastUsed: Int = 0,
        isUsed: (Int) throws -> Bool
    ) throws {
        (self.folder, self.byteCountMax) = (folder, byteCountMax)
        var last = lastUsed
        for entry in try folder.entries() {
            guard let number = Self.number(entry.name) else { continue }
            last = max(last, number)
            if try !isUsed(number) { try folder.remove(entry.name) }
        }
        state = Locked(State(number: last, lastNumber: last))
    }

    static func name(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits + ".segment"
    }

    static func number(_ name: String) -> Int? {
        name.hasSuffix(".segment") ? Int(name.dropLast(".segment".count)) : nil
    }

    /// Gives out room for bytes. To be followed by `settle`, when the index speaks of it or never will.
    func room(_ byteCount: Int) throws -> Room {
        try state.withLock { state in
            let file = try current(byteCount, state) ?? begin(&state)
            state.pending[state.number, default: 0] += 1
            defer { state.end += byteCount }
            return Room(number: state.number, offset: state.end, file: file)
        }
    }

    /// The segment that is being filled, opened anew; nil where there is none with as much room, or its file is lost.
    private func current(_ byteCount: Int, _ state: State) throws -> StorageFile? {
        guard state.isBegun, state.end + byteCount <= byteCountMax else { return nil }
        do { return try folder.open(Self.name(state.number), writes: true) } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
    }

    private func begin(_ state: inout State) throws -> StorageFile {
        state.lastNumber += 1
        let file = try folder.create(Self.name(state.lastNumber))
        // Before anything in it is acknowledged; once for a quarter of a gigabyte.
        try folder.sync()
        // Only now, and all of it: where it cannot be made the former one is still filled, under its own number.
        (state.number, state.isBegun, state.end) = (state.lastNumber, true, 0)
        return file
    }

    /// A room is in the index, or nobody's.
    func settle(_ number: Int) {
        state.withLock { state in
            state.pending[number, default: 0] -= 1
            if state.pending[number] == 0 { state.pending[number] = nil }
        }
    }

    /// The segment to read from.
    func file(_ number: Int) throws -> StorageFile {
        if let known = state.withLock({ $0.opened[number] }) { return known }
        let file = try folder.open(Self.name(number))
        state.withLock { state in
            if state.opened.count >= Self.openedMax { state.opened = [:] }
            state.opened[number] = file
        }
        return file
    }

    /// Gives room back to the volume, each piece by itself; the segment stays as long as it is. The room of one that is lost went
    /// with it.
    ///
    /// - Returns: Why pieces could not be given back, by their places in the list.
    func free(_ pieces: [Range<Int>], of number: Int) -> [Int: SystemError] {
        let file: StorageFile
        do { file = try folder.open(Self.name(number), appends: true) } catch {
            guard !error.isAbsent else { return [:] }
            return Dictionary(uniqueKeysWithValues: pieces.indices.map { ($0, error) })
        }
        var failures: [Int: SystemError] = [:]
        for (index, bytes) in pieces.enumerated() {
            do { try file.free(bytes) } catch { failures[index] = error }
        }
        return failures
    }

    /// Whether nothing comes into a segment any more, now or later: it is not being filled, and whoever had room in it is in the
    /// index, or nobody.
    func isOver(_ number: Int) -> Bool {
        state.withLock { $0.number != number && $0.pending[number] == nil }
    }

    /// Removes a segment that is over and that the index does not speak of any longer.
    func remove(_ number: Int) throws {
        state.withLock { $0.opened[number] = nil }
        try folder.remove(Self.name(number))
    }
}

internal import FileSystem
internal import Foundation
package import HTTPService
package import HubProtocol
internal import Locks

extension SegmentedBlobStore {
    package func frames(of names: [BlobName], of owner: BlobOwner) async throws -> BlobFrameList {
        var (parts, byteCount): ([FrameSource.Part], Int) = ([], 0)
        let found = try await indexed(names, owner.container)
        let unreadable = memory.withLock { $0.unreadable }
        for (name, blob) in found {
            let next = byteCount + BlobFrames.headByteCount + blob.byteCount
            // The first one always comes, or a client that asks for a large one would never get it.
            if !parts.isEmpty, next > HubLimits.framesByteCountMax { break }
            // What the answer's head promises has to come, or the answer is cut off, and so is the next one.
            if unreadable.isDoubtful(blob.place), try await bytes(of: name, blob, owner.container) == nil {
                continue
            }
            var head = Data()
            BlobFrames.appendHead(name, byteCount: blob.byteCount, to: &head)
            parts.append(.head(head))
            parts.append(.blob(name, blob))
            byteCount = next
        }
        return BlobFrameList(byteCount: byteCount, source: FrameSource(parts, of: owner.container, in: self))
    }

    package func body(of name: BlobName, of owner: BlobOwner) async throws -> WebResponse.Body? {
        guard let (_, blob) = try await indexed([name], owner.container).first else { return nil }
        if case .segment = blob.place, let bytes = try await bytes(of: name, blob, owner.container) {
            return .bytes(bytes)
        }
        if case .file = blob.place, try await hasEnd(name, blob, owner.container) {
            return .parts(byteCount: UInt64(blob.byteCount)) { range in
                BlobSource(
                    name,
                    blob,
                    Int(range.lowerBound)..<Int(range.upperBound),
                    of: owner.container,
                    in: self
                )
            }
        }
        let key = blobKey(owner.container, name)
        guard !memory.withLock({ $0.unreadable.contains(key, at: blob.place) }) else { return nil }
        throw HubRefusal(500, .fault, "The hub cannot read this blob for now; its log says why. Try again.")
    }

    /// Whether the last byte of a blob can be read, if it has any: of a file that is lost or cut off none is promised. Where it
    /// cannot, that is noted.
    private func hasEnd(
        _ name: BlobName,
        _ blob: IndexedBlob,
        _ container: ContainerName
    ) async throws -> Bool {
        guard blob.byteCount > 0 else { return true }
        return try await offPool {
            withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { buffer in
                self.read(name, blob, of: container, at: blob.byteCount - 1, into: buffer) == 1
            }
        }
    }

    /// All bytes of a blob; nil where they cannot be read, which is noted.
    private func bytes(
        of name: BlobName,
        _ blob: IndexedBlob,
        _ container: ContainerName
    ) async throws -> Data? {
        try await offPool {
            var bytes = Data(count: blob.byteCount)
            let count = bytes.withUnsafeMutableBytes { buffer in
                self.read(name, blob, of: container, at: 0, into: buffer)
            }
            return count == blob.byteCount ? bytes : nil
        }
    }

    /// Reads bytes of a blob, and notes where it does not give them.
    ///
    /// - Returns: How many there were: fewer than asked for only where it cannot be read.
    fileprivate func read(
        _ name: BlobName,
        _ blob: IndexedBlob,
        of container: ContainerName,
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        let wanted = min(buffer.count, blob.byteCount - offset)
        guard wanted > 0 else { return 0 }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        do {
            let count = try read(blob.place, at: offset, into: part)
            if count < wanted { note(name, blob, container, "its file is shorter than the index says") }
            return count
        } catch {
            if let error = error as? SystemError, error.isOfMoment {
                tell("A blob could not be read for now: \(error.call)(2): \(error.reason).")
            } else {
                note(name, blob, container, "\(error)")
            }
            return 0
        }
    }

    private func read(
        _ place: BlobPlace,
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        switch place {
        case .segment(let number, let start):
            return try segments.file(number).read(at: start + offset, into: buffer)
        case .file(let number):
            return try files.open(Self.fileName(number)).read(at: offset, into: buffer)
        }
    }

    /// Has a blob be missing from now on, and says so the first time.
    private func note(_ name: BlobName, _ blob: IndexedBlob, _ container: ContainerName, _ reason: String) {
        let isNews = memory.withLock { $0.unreadable.insert(blobKey(container, name), at: blob.place) }
        guard isNews else { return }
        tell(
            "Blob \(name) of container \(container) cannot be read, \(place(of: blob)): \(reason). It counts as "
                + "missing until a device sends it again."
        )
    }

    private func place(of blob: IndexedBlob) -> String {
        switch blob.place {
        case .segment(let number, let offset):
            "\(blob.byteCount) bytes at \(offset) of \(Segments.name(number))"
        case .file(let number): "\(blob.byteCount) bytes in \(Self.fileName(number))"
        }
    }

    /// Tells those who are told of faults.
    func tell(_ line: String) {
        // Not under the lock: whoever is told may ask.
        for observer in memory.withLock({ $0.observers }) { observer(line) }
    }
}

/// Bytes of one blob that are read while they are sent.
///
/// What is left is under one lock, though only one thread at a time has it.
private final class BlobSource: HTTPBodySource {
    private let store: SegmentedBlobStore
    private let container: ContainerName
    private let name: BlobName
    private let blob: IndexedBlob
    private let left: Locked<Range<Int>>

    init(
        _ name: BlobName,
        _ blob: IndexedBlob,
        _ range: Range<Int>,
        of container: ContainerName,
        in store: SegmentedBlobStore
    ) {
        (self.store, self.container) = (store, container)
        (self.name, self.blob) = (name, blob)
        left = Locked(range)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        left.withLock { left in
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(left.count))
            let count = store.read(name, blob, of: container, at: left.lowerBound, into: part)
            left = left.lowerBound + count..<left.upperBound
            return count
        }
    }
}

/// Frames that are read while they are sent.
///
/// Its state is in one struct under one lock, though only one thread at a time has it.
private final class FrameSource: HTTPBodySource {
    enum Part {
        case head(Data)
        case blob(BlobName, IndexedBlob)

        var byteCount: Int {
            switch self {
            case .head(let head): head.count
            case .blob(_, let blob): blob.byteCount
            }
        }
    }
    private struct State {
        var parts: ArraySlice<Part>
        var offset = 0
    }

    private let store: SegmentedBlobStore
    private let container: ContainerName
    private let state: Locked<State>

    init(_ parts: [Part], of container: ContainerName, in store: SegmentedBlobStore) {
        (self.store, self.container) = (store, container)
        state = Locked(State(parts: parts[...]))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            var filled = 0
            while filled < buffer.count, let part = state.parts.first {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                let count = fill(rest, from: part, at: state.offset)
                // A blob that cannot be read: the answer is cut off, which the client notices. The next one has it not.
                guard count > 0 || part.byteCount == 0 else { return 0 }
                filled += count
                state.offset += count
                if state.offset == part.byteCount {
                    state.parts = state.parts.dropFirst()
                    state.offset = 0
                }
            }
            return filled
        }
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, from part: Part, at offset: Int) -> Int {
        switch part {
        case .head(let head):
            let piece = head.dropFirst(offset).prefix(buffer.count)
            buffer.copyBytes(from: piece)
            return piece.count
        case .blob(let name, let blob):
            return store.read(name, blob, of: container, at: offset, into: buffer)
        }
    }
}

internal import FileSystem
internal import Foundation
package import HTTPService
package import HubProtocol
internal import Locks

extension SegmentedBlobStore {
    package func frames(of names: [BlobName], of owner: BlobOwner) async throws -> BlobFrameList {
        var (parts, byteCount): ([FrameSource.Part], Int) = ([], 0)
        for (name, blob) in try await indexed(names, owner.container) {
            let next = byteCount + BlobFrames.headByteCount + blob.byteCount
            // The first one always comes, or a client that asks for a large one would never get it.
            if !parts.isEmpty, next > HubLimits.framesByteCountMax { break }
            var head = Data()
            BlobFrames.appendHead(name, byteCount: blob.byteCount, to: &head)
            parts.append(.head(head))
            parts.append(.blob(blob))
            byteCount = next
        }
        return BlobFrameList(byteCount: byteCount, source: FrameSource(parts, self))
    }

    package func body(of name: BlobName, of owner: BlobOwner) async throws -> WebResponse.Body? {
        guard let (_, blob) = try await indexed([name], owner.container).first else { return nil }
        if case .file(let number) = blob.place {
            return .file(files.path.appending(Self.fileName(number)).url(isDirectory: false))
        }
        return .bytes(
            try await offPool {
                var bytes = [UInt8](repeating: 0, count: blob.byteCount)
                let count = try bytes.withUnsafeMutableBytes { try self.read(blob, at: 0, into: $0) }
                guard count == blob.byteCount else {
                    throw HubRefusal(500, .fault, "A segment of the hub is shorter than its index says.")
                }
                return Data(bytes)
            }
        )
    }

    /// Reads bytes of a blob.
    ///
    /// - Returns: How many there were: fewer than asked for only where a file has been cut.
    func read(
        _ blob: IndexedBlob,
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        let count = min(buffer.count, blob.byteCount - offset)
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        switch blob.place {
        case .segment(let number, let start):
            return try segments.file(number).read(at: start + offset, into: part)
        case .file(let number):
            return try files.open(Self.fileName(number)).read(at: offset, into: part)
        }
    }
}

/// Frames that are read while they are sent.
///
/// Its state is in one struct under one lock, though only one thread at a time has it.
private final class FrameSource: HTTPBodySource {
    enum Part {
        case head(Data)
        case blob(IndexedBlob)

        var byteCount: Int {
            switch self {
            case .head(let head): head.count
            case .blob(let blob): blob.byteCount
            }
        }
    }
    private struct State {
        var parts: ArraySlice<Part>
        var offset = 0
    }

    private let store: SegmentedBlobStore
    private let state: Locked<State>

    init(_ parts: [Part], _ store: SegmentedBlobStore) {
        self.store = store
        state = Locked(State(parts: parts[...]))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            var filled = 0
            while filled < buffer.count, let part = state.parts.first {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                let count = fill(rest, from: part, at: state.offset)
                // A blob that cannot be read: the answer is cut off, which the client notices.
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
        case .blob(let blob):
            // Nobody is left to tell but the client, whose answer is cut off.
            return (try? store.read(blob, at: offset, into: buffer)) ?? 0
        }
    }
}

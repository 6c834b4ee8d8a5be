package import HubProtocol

/// Takes frames of blobs as their bytes come in, in whatever pieces. Pure.
package struct FrameReader: Sendable {
    /// What a piece of a body holds.
    package enum Event {
        case begin(BlobName, byteCount: Int)
        /// The next bytes of the blob that began last.
        case bytes(UnsafeRawBufferPointer)
    }

    private var head: [UInt8] = []
    private var restByteCount = 0
    private var frameCount = 0

    package init() {}

    /// Whether the body may end here.
    package var isBetweenFrames: Bool { head.isEmpty && restByteCount == 0 }

    /// Takes the next bytes of the body.
    package mutating func read(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (Event) throws -> Void
    ) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            if restByteCount > 0 {
                let piece = rest.prefix(restByteCount)
                rest = rest.dropFirst(piece.count)
                restByteCount -= piece.count
                try body(.bytes(UnsafeRawBufferPointer(rebasing: piece)))
            } else {
                let piece = rest.prefix(BlobFrames.headByteCount - head.count)
                rest = rest.dropFirst(piece.count)
                head += piece
                if head.count == BlobFrames.headByteCount { try begin(body) }
            }
        }
    }

    private mutating func begin(_ body: (Event) throws -> Void) throws {
        // However small they are, each takes some memory until all are durable, and they come into the index in one go.
        guard frameCount < HubLimits.blobNameCountMax else { throw BlobFrameError.tooMany }
        frameCount += 1
        let byteCount = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
        guard byteCount <= HubLimits.blobByteCountMax else {
            throw BlobFrameError.tooLarge(byteCount: byteCount)
        }
        let name = BlobName(unchecked: Array(head.prefix(BlobName.byteCount)))
        head = []
        restByteCount = byteCount
        try body(.begin(name, byteCount: byteCount))
    }
}

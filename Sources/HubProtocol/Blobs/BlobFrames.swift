package import Foundation

/// Blobs one behind the other, as they travel: each its name, its length in 4 bytes, big-endian, and its bytes.
package enum BlobFrames {
    /// The media type of a body of frames.
    package static let mediaType = "application/octet-stream"
    /// What a frame has in front of the blob, in bytes.
    package static let headByteCount = BlobName.byteCount + 4

    /// Puts a frame behind others.
    package static func append(_ name: BlobName, _ blob: some Collection<UInt8>, to body: inout Data) {
        appendHead(name, byteCount: blob.count, to: &body)
        body.append(contentsOf: blob)
    }

    /// Puts a frame's head behind others; its bytes follow.
    package static func appendHead(_ name: BlobName, byteCount: Int, to body: inout Data) {
        body.append(contentsOf: head(name, byteCount: byteCount))
    }

    /// What a frame has in front of the blob.
    static func head(_ name: BlobName, byteCount: Int) -> [UInt8] {
        name.bytes + withUnsafeBytes(of: UInt32(byteCount).bigEndian, Array.init)
    }

    /// All frames of a body.
    ///
    /// - Throws: `BlobFrameError` for a body that is cut off, or has a blob over the limit.
    package static func read(_ body: Data) throws(BlobFrameError) -> [(name: BlobName, blob: Data)] {
        var frames: [(name: BlobName, blob: Data)] = []
        var at = body.startIndex
        while at < body.endIndex {
            guard body.endIndex - at >= headByteCount else { throw .cutOff }
            let head = body[at..<at + headByteCount]
            let byteCount = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
            guard byteCount <= HubLimits.blobByteCountMax else { throw .tooLarge(byteCount: byteCount) }
            at += headByteCount
            guard body.endIndex - at >= byteCount else { throw .cutOff }
            frames.append(
                (BlobName(unchecked: Array(head.prefix(BlobName.byteCount))), body[at..<at + byteCount])
            )
            at += byteCount
        }
        return frames
    }
}

/// Why bytes are no frames.
package enum BlobFrameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The last frame does not end where the body does.
    case cutOff
    /// A blob is larger than `HubLimits.blobByteCountMax`.
    case tooLarge(byteCount: Int)
    /// There are more than `HubLimits.blobNameCountMax`.
    case tooMany

    package var description: String {
        switch self {
        case .cutOff: "The last frame is not whole. Send each blob's name, length and bytes again."
        case .tooLarge(let byteCount):
            "A blob of \(byteCount) bytes is over the limit of \(HubLimits.blobByteCountMax). Send it in pieces."
        case .tooMany:
            "A request has \(HubLimits.blobNameCountMax) frames at most. Send the rest of them in another one."
        }
    }
}

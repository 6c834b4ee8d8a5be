package import Foundation

/// Puts frames together that are to be sent, in memory that is filled once. For one thread at a time.
package final class BlobFrameWriter {
    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    /// How many bytes there are.
    package private(set) var byteCount = 0

    package init() {}

    deinit { free(memory) }

    package var isEmpty: Bool { byteCount == 0 }

    /// Makes room for so many bytes in all, where it is known how many there will be.
    package func reserve(_ byteCount: Int) {
        guard byteCount > capacity else { return }
        // Like any other memory that is not to be had.
        guard let grown = realloc(memory, byteCount) else { fatalError("no memory for \(byteCount) bytes") }
        (memory, capacity) = (grown, byteCount)
    }

    /// Puts a frame behind others.
    ///
    /// - Parameters:
    ///   - byteCount: How many bytes the blob has.
    ///   - fill: Writes all of them. After an error the frame is not there.
    package func append(
        _ name: BlobName,
        byteCount: Int,
        _ fill: (UnsafeMutableRawBufferPointer) throws -> Void
    ) rethrows {
        let end = self.byteCount + BlobFrames.headByteCount + byteCount
        if end > capacity { reserve(max(end, 2 * capacity)) }
        let frame = UnsafeMutableRawBufferPointer(start: memory, count: end)[self.byteCount...]
        UnsafeMutableRawBufferPointer(rebasing: frame.prefix(BlobFrames.headByteCount))
            .copyBytes(from: BlobFrames.head(name, byteCount: byteCount))
        try fill(UnsafeMutableRawBufferPointer(rebasing: frame.dropFirst(BlobFrames.headByteCount)))
        self.byteCount = end
    }

    /// Hands out all that is there, and begins anew.
    package func take() -> Data {
        defer { (memory, capacity, byteCount) = (nil, 0, 0) }
        guard let memory else { return Data() }
        return Data(bytesNoCopy: memory, count: byteCount, deallocator: .free)
    }
}

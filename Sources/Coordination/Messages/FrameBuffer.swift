/// Cuts what a socket brings into frames.
package struct FrameBuffer: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    package init() {}

    package mutating func append(_ more: UnsafeRawBufferPointer) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptByteCountMax)
            start = 0
        } else if start > max(Self.keptByteCountMax, bytes.count / 2) {
            // Who sends without a pause may never end where a frame ends. What is left is not moved for each piece that comes.
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// How many bytes it has, those of frames among them that have been given out and not been dropped yet.
    package var byteCount: Int { bytes.count }

    /// The next whole frame without its head; nil when more has to come.
    ///
    /// - Throws: `frameTooLong` when the head announces what no frame is.
    package mutating func next() throws(WireError) -> [UInt8]? {
        guard bytes.count - start >= WireFrame.headByteCount else { return nil }
        guard let byteCount = WireFrame.byteCount(bytes, at: start) else { throw .frameTooLong }
        let end = start + WireFrame.headByteCount + byteCount
        guard bytes.count >= end else { return nil }
        defer { start = end }
        return Array(bytes[(start + WireFrame.headByteCount)..<end])
    }

    /// So much room is kept for what comes; many connections are idle.
    private static let keptByteCountMax = 16 * 1024
}

internal import CZstd

/// Presses bytes together by zstd, where that helps. For one thread at a time.
final class Compressor {
    private let context: OpaquePointer
    private var buffer: [UInt8] = []

    /// Less than this saved is not worth the time that reading costs: a sixteenth.
    private static let worthwhileShift = 4
    /// Of fewer bytes not enough is saved.
    private static let pressedByteCountMin = 512
    /// From how many bytes on a sample is tried first.
    private static let sampledByteCountMin = 16 << 10
    private static let sampleByteCount = 4 << 10
    private static let level: Int32 = 1

    init() throws {
        guard let context = ZSTD_createCCtx() else { throw CompressionFailure.noMemory }
        self.context = context
    }

    deinit { ZSTD_freeCCtx(context) }

    /// Shows the pressed bytes, or nil when they are to be stored as they are.
    func compress<Value>(
        _ plain: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer?) throws -> Value
    ) rethrows -> Value {
        guard plain.count >= Self.pressedByteCountMin, isPromising(plain), let byteCount = press(plain) else {
            return try body(nil)
        }
        return try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<byteCount])) }
    }

    /// Whether a piece out of the middle becomes smaller; pictures and the like are told so at little cost.
    private func isPromising(_ plain: UnsafeRawBufferPointer) -> Bool {
        guard plain.count >= Self.sampledByteCountMin else { return true }
        let start = (plain.count - Self.sampleByteCount) / 2
        let sample = UnsafeRawBufferPointer(rebasing: plain[start..<start + Self.sampleByteCount])
        return press(sample) != nil
    }

    /// - Returns: How many bytes are in the buffer; nil when it was not worth while.
    private func press(_ plain: UnsafeRawBufferPointer) -> Int? {
        // No more room than is worth while: the library gives up when it is used up.
        let byteCountMax = plain.count - plain.count >> Self.worthwhileShift - 1
        if buffer.count < byteCountMax { buffer = [UInt8](repeating: 0, count: byteCountMax) }
        let result = buffer.withUnsafeMutableBytes {
            ZSTD_compressCCtx(
                context,
                $0.baseAddress,
                byteCountMax,
                plain.baseAddress,
                plain.count,
                Self.level
            )
        }
        return ZSTD_isError(result) == 0 ? result : nil
    }
}

/// Undoes what a compressor did. For one thread at a time.
final class Decompressor {
    private let context: OpaquePointer

    init() throws {
        guard let context = ZSTD_createDCtx() else { throw CompressionFailure.noMemory }
        self.context = context
    }

    deinit { ZSTD_freeDCtx(context) }

    /// - Returns: Whether there were exactly so many bytes as the target holds.
    func decompress(_ stored: UnsafeRawBufferPointer, into plain: UnsafeMutableRawBufferPointer) -> Bool {
        let result = ZSTD_decompressDCtx(
            context,
            plain.baseAddress,
            plain.count,
            stored.baseAddress,
            stored.count
        )
        return ZSTD_isError(result) == 0 && result == plain.count
    }
}

enum CompressionFailure: Error, CustomStringConvertible {
    case noMemory

    var description: String { "zstd has no memory. Free some and try again." }
}

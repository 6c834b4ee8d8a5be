internal import CCurl
internal import Foundation

/// What comes in on a connection, in answer to one request. For one thread at a time.
final class Inbox {
    private let easy: UnsafeMutableRawPointer
    var head = HTTPHead()
    private(set) var isTooLarge = false
    private let byteCountMax: Int
    private let memory: AnswerMemory
    /// A short body, or one of which nobody says how long it is.
    private var short = Data()
    private var long: (piece: AnswerMemory.Piece, byteCount: Int)?
    private var isBegun = false

    /// - Parameter easy: libcurl's handle, which knows the length.
    init(_ easy: UnsafeMutableRawPointer, byteCountMax: Int, memory: AnswerMemory) {
        (self.easy, self.byteCountMax, self.memory) = (easy, byteCountMax, memory)
    }

    deinit { if let long { memory.giveBack(long.piece) } }

    /// - Returns: Whether there was room for them.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if !isBegun { begin() }
        // Of a long one not more than it was said to be, either.
        let (byteCount, limit) =
            long.map { ($0.byteCount, min(byteCountMax, $0.piece.capacity)) } ?? (short.count, byteCountMax)
        guard byteCount + bytes.count <= limit else {
            isTooLarge = true
            return false
        }
        if let piece = long?.piece {
            let rest = UnsafeMutableRawBufferPointer(start: piece.start + byteCount, count: bytes.count)
            rest.copyMemory(from: bytes)
            long?.byteCount += bytes.count
        } else {
            short.append(contentsOf: bytes)
        }
        return true
    }

    private func begin() {
        isBegun = true
        var length: curl_off_t = -1
        // It stays so where it is not known.
        _ = cdoc_curl_length(easy, &length)
        let byteCount = Int(clamping: min(length, curl_off_t(byteCountMax)))
        if byteCount >= AnswerMemory.byteCountMin, let piece = memory.take(byteCount) {
            long = (piece, 0)
        } else if byteCount > 0 {
            short.reserveCapacity(byteCount)
        }
    }

    /// Hands out the body.
    func takeBody() -> Data {
        guard let (piece, byteCount) = long else { return short }
        long = nil
        return memory.data(piece, byteCount: byteCount)
    }
}

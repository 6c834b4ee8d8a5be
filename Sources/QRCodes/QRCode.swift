internal import CQREncode

/// A text as a QR code (ISO/IEC 18004), of which about a seventh may be unreadable. By libqrencode.
package struct QRCode: Hashable, Sendable {
    /// How many modules, dark or light squares, a side has.
    package let side: Int
    private let modules: [Bool]

    /// The smallest code that holds a text.
    ///
    /// - Parameter text: At most 2,331 bytes in UTF-8; its bytes stand for themselves.
    /// - Throws: `QRCodeError`.
    package init(_ text: String) throws(QRCodeError) {
        let bytes = Array(text.utf8)
        guard let code = QRcode_encodeData(CInt(bytes.count), bytes, 0, QR_ECLEVEL_M) else {
            throw QRCodeError(byteCount: bytes.count)
        }
        defer { QRcode_free(code) }
        side = Int(code.pointee.width)
        // The lowest bit of each says whether it is dark, the others what it is for.
        modules = UnsafeBufferPointer(start: code.pointee.data, count: side * side).map { $0 & 1 != 0 }
    }

    /// Whether a module is dark; those around the code are light.
    package func isDark(row: Int, column: Int) -> Bool {
        let range = 0..<side
        return range.contains(row) && range.contains(column) && modules[row * side + column]
    }
}

/// A text has no QR code.
package struct QRCodeError: Error, Hashable, Sendable, CustomStringConvertible {
    let byteCount: Int

    package var description: String {
        byteCount == 0
            ? "A QR code of no text cannot be made."
            : "A QR code of \(byteCount) bytes cannot be made; shorten the text to 2,331 at most."
    }
}

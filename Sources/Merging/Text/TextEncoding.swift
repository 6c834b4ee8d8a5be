/// How a text is written, as far as its bytes tell.
enum TextEncoding: Hashable {
    /// The same in most encodings.
    case ascii
    /// UTF-8 with letters beyond ASCII.
    case utf8
    /// Bytes that are no UTF-8: an older encoding, nobody knows which.
    case unknown

    init(of bytes: [UInt8]) {
        if bytes.allSatisfy({ $0 < 0x80 }) {
            self = .ascii
        } else {
            self = String(validating: bytes, as: UTF8.self) == nil ? .unknown : .utf8
        }
    }

    /// Whether lines of two texts can stand in one.
    ///
    /// What has no letters beyond ASCII goes with anything. Markup, which is merged by line, may say in a line how it is
    /// written, and one side may have changed that line: there it goes with UTF-8 alone.
    static func goTogether(_ mine: TextEncoding, _ theirs: TextEncoding, _ unit: TextMerge.Unit) -> Bool {
        switch unit {
        case .word: Set([mine, theirs]) != [.utf8, .unknown]
        case .line: (mine == .unknown) == (theirs == .unknown)
        }
    }
}

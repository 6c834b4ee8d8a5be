internal import Foundation

/// What a trash notes of an item: where it was, and since when it is there no more.
///
/// The text form is that of the FreeDesktop trash specification 1.0, so that file managers can put the item
/// back.
struct TrashInfo: Hashable, Sendable {
    /// Where the item was: from the root, or, in the trash of another volume, from that volume's top folder.
    var path: String
    /// When it was put into the trash, as a clock on the wall showed it: `YYYY-MM-DDThh:mm:ss`.
    var deletionDate: String

    private static let header = "[Trash Info]"
    /// RFC 2396: what stands for itself in a path.
    private static let plainBytes = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()/".utf8
    )

    init(path: String, deletionDate: String) {
        self.path = path
        self.deletionDate = deletionDate
    }

    init(path: String, deleted date: Date, in timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func digits(_ number: Int?, _ count: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        self.path = path
        deletionDate =
            "\(digits(parts.year, 4))-\(digits(parts.month, 2))-\(digits(parts.day, 2))"
            + "T\(digits(parts.hour, 2)):\(digits(parts.minute, 2)):\(digits(parts.second, 2))"
    }

    /// Reads the text form.
    ///
    /// Nil when it names no path; a missing date is "".
    init?(text: String) {
        var values: [String: String] = [:]
        var isInGroup = false
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") { isInGroup = line == Self.header }
            guard isInGroup, let equals = line.firstIndex(of: "=") else { continue }
            let key = line[..<equals].trimmingCharacters(in: .whitespaces)
            // The first of several counts, says the specification.
            if values[key] == nil { values[key] = String(line[line.index(after: equals)...]) }
        }
        guard let path = values["Path"].flatMap(Self.decoded), !path.isEmpty else { return nil }
        self.path = path
        deletionDate = values["DeletionDate"] ?? ""
    }

    /// The text form.
    var text: String {
        "\(Self.header)\nPath=\(Self.encoded(path))\nDeletionDate=\(deletionDate)\n"
    }

    private static func encoded(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            if plainBytes.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func decoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimal),
                let low = rest.popFirst().flatMap(hexadecimal)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}

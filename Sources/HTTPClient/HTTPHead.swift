internal import Foundation

/// The lines of an answer before its body, as they came. Mostly nobody asks what they say: they are taken apart for who does.
struct HTTPHead: Sendable {
    private var bytes: [UInt8] = []

    /// More than most have.
    private static let byteCount = 512

    /// - Parameter line: With its end. One that begins a head takes the place of an interim head before it.
    mutating func take(_ line: UnsafeRawBufferPointer) {
        if bytes.isEmpty { bytes.reserveCapacity(Self.byteCount) }
        if line.starts(with: "HTTP/".utf8) { bytes.removeAll(keepingCapacity: true) }
        bytes.append(contentsOf: line)
    }

    /// By names in small letters; of several with one name the last.
    var fields: [String: String] {
        var fields: [String: String] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            fields[name] = value.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        return fields
    }
}

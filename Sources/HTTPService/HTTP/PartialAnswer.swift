/// Which part of a body answers a request: all, a range, or none.
///
/// Pure: `Range`, `If-Range` and `If-None-Match` of RFC 9110 for one range. A request for several ranges, or
/// in other units, gets the whole body, as the RFC permits.
enum PartialAnswer: Hashable, Sendable {
    /// The whole body.
    case whole
    /// The bytes from `first` to `last`, both included, of a body of that many bytes.
    case part(first: UInt64, last: UInt64)
    /// The reader has this body already.
    case notModified
    /// The range lies outside the body.
    case unsatisfiable

    /// Decides for a `GET` or `HEAD` that would be answered with 200 and `byteCount` bytes.
    static func decide(request: WebRequest, tag: String?, byteCount: UInt64) -> PartialAnswer {
        if let tag, let known = request.header("If-None-Match"), matches(known, tag) { return .notModified }
        guard let range = request.header("Range") else { return .whole }
        if let condition = request.header("If-Range"), condition != tag { return .whole }
        return decide(range: range, byteCount: byteCount)
    }

    private static func matches(_ known: String, _ tag: String) -> Bool {
        if known == "*" { return true }
        return known.split(separator: ",").contains { item in
            let bare = item.drop { $0 == " " }
            return (bare.hasPrefix("W/") ? bare.dropFirst(2) : bare) == tag
        }
    }

    private static func decide(range: String, byteCount: UInt64) -> PartialAnswer {
        guard range.hasPrefix("bytes="), !range.contains(",") else { return .whole }
        let sides = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return .whole }
        if sides[0].isEmpty {
            guard let suffixByteCount = UInt64(sides[1]) else { return .whole }
            guard suffixByteCount > 0, byteCount > 0 else { return .unsatisfiable }
            return .part(first: byteCount - min(suffixByteCount, byteCount), last: byteCount - 1)
        }
        guard let first = UInt64(sides[0]) else { return .whole }
        let asked = sides[1].isEmpty ? UInt64.max : UInt64(sides[1])
        guard let asked, asked >= first else { return .whole }
        guard first < byteCount else { return .unsatisfiable }
        return .part(first: first, last: min(asked, byteCount - 1))
    }
}

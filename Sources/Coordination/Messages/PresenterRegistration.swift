/// Where and when a presenter was registered, as its process knows it.
package struct PresenterRegistration: Hashable, Sendable {
    /// The file, as `#fileID` has it, and the line of the call: "Scrapbook/Page.swift:31"; nil when it is not known.
    package let place: String?
    /// In milliseconds since 1970.
    package let milliseconds: UInt64

    /// - Parameter place: Its end alone is kept where it is longer than `placeByteCountMax`.
    package init(place: String?, milliseconds: UInt64) {
        self.place = place.map { Self.cut($0) }
        self.milliseconds = milliseconds
    }

    /// - Parameter since: In seconds since 1970.
    package init(place: String?, since: Double) {
        self.init(place: place, milliseconds: UInt64(max(0, min(since, 1e12)) * 1000))
    }

    /// In seconds since 1970.
    package var since: Double { Double(milliseconds) / 1000 }

    /// The file's name and the line are at the end.
    private static func cut(_ place: String) -> String {
        guard place.utf8.count > placeByteCountMax else { return place }
        let rest = place.utf8.suffix(placeByteCountMax - mark.utf8.count)
        // Not inside a character.
        return mark + String(decoding: rest.drop { $0 & 0xC0 == 0x80 }, as: UTF8.self)
    }

    private static let mark = "…"
    /// A module's and a file's name and a line are shorter but for generated code.
    package static let placeByteCountMax = 200
}

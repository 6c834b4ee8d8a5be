/// What is said of how large a change has to be for a person to be asked.
package struct BrakeLimit: Hashable, Sendable {
    package enum Share: Hashable, Sendable {
        /// Nobody is asked.
        case off
        /// More than so many items of a hundred.
        case percent(Int)

        /// - Parameter typed: "30%", "30", or "off".
        init?(_ typed: String) {
            if typed == "off" {
                self = .off
                return
            }
            let number = typed.hasSuffix("%") ? String(typed.dropLast()) : typed
            guard number.allSatisfy(\.isASCII), let percent = Int(number), (1...99).contains(percent) else {
                return nil
            }
            self = .percent(percent)
        }
    }

    /// Nil for: as it was.
    package var share: Share?
    /// At least so many items; nil for: as it was.
    package var countMin: Int?

    /// The options that say it.
    struct Options {
        let share = ValueOption(
            "brake",
            "SHARE",
            "ask before more than this share of all items is removed or replaced: 1% to 99%, or off"
        ) { Share($0) }
        let countMin = ValueOption(
            "at-least",
            "COUNT",
            "and only when it is at least so many items, 20 at first; after off this asks again"
        ) { typed in Int(typed).flatMap { (1...1_000_000).contains($0) ? $0 : nil } }

        var parameters: [Parameter] { [.option(share), .option(countMin)] }

        /// - Returns: Nil where nothing is said.
        /// - Throws: `UsageError` for what does not go together.
        func value(_ arguments: Arguments) throws -> BrakeLimit? {
            let limit = BrakeLimit(share: arguments[share].last, countMin: arguments[countMin].last)
            guard limit.share != .off || limit.countMin == nil else {
                throw UsageError(description: "--brake off asks never: leave --at-least out")
            }
            return limit.share == nil && limit.countMin == nil ? nil : limit
        }
    }

    package init(share: Share?, countMin: Int?) { (self.share, self.countMin) = (share, countMin) }
}

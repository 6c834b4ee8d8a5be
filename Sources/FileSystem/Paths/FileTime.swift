package import Foundation

/// A moment as the kernel notes it of a file.
package struct FileTime: Hashable, Comparable, Sendable {
    /// Whole seconds since 1970; less than 0 before.
    package let seconds: Int64
    /// On top of those; never less than 0.
    package let nanoseconds: Int64

    package init(seconds: Int64, nanoseconds: Int64) {
        (self.seconds, self.nanoseconds) = (seconds, nanoseconds)
    }

    package init(nanosecondsSince1970 count: Int64) {
        let (seconds, rest) = count.quotientAndRemainder(dividingBy: 1_000_000_000)
        (self.seconds, nanoseconds) = rest < 0 ? (seconds - 1, rest + 1_000_000_000) : (seconds, rest)
    }

    /// A date that a file can bear.
    package init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.seconds = Int64(seconds)
        nanoseconds = Int64(((date.timeIntervalSince1970 - seconds) * 1e9).rounded(.down))
    }

    /// The reverse of `init(nanosecondsSince1970:)`; nil for what is some centuries away.
    package var nanosecondsSince1970: Int64? {
        // Those before 1970 are counted from the second after: so none is too far away that came of a count.
        let (whole, rest) = seconds < 0 ? (seconds + 1, nanoseconds - 1_000_000_000) : (seconds, nanoseconds)
        let (product, isTooFar) = whole.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = product.addingReportingOverflow(rest)
        return isTooFar || isBeyond ? nil : sum
    }

    /// In seconds, to less than a microsecond.
    package var secondsSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

    package static func < (left: FileTime, right: FileTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

internal import FileSystem
internal import Foundation

/// Finds keys for children whose preferred names clash.
///
/// The first child keeps its name; the next is "Name 2.ext", then "Name 3.ext" and so on, cut to the 255
/// bytes that a directory entry can have. Two names clash when they are equal as Swift strings, that is
/// whatever their Unicode normalisation; names that differ in case do not, as on the file systems of Linux.
struct WrapperNames {
    /// The number to try next for a name, so that the thousandth copy is found at once.
    private var nextNumber: [String: Int] = [:]

    mutating func freeKey(for preferredName: String, isTaken: (String) -> Bool) -> String {
        guard isTaken(preferredName) else { return preferredName }
        var number = nextNumber[preferredName] ?? 2
        var key = NumberedName.of(preferredName, number)
        while isTaken(key) {
            number += 1
            key = NumberedName.of(preferredName, number)
        }
        nextNumber[preferredName] = number + 1
        return key
    }
}

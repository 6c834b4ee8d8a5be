internal import Glibc

/// What has the name of an item's staging and is not this user's to clear away: what another user's save has left, or is using
/// now, or what no save has made.
package struct StagingInTheWay: Hashable, Sendable {
    /// Where it is.
    package let path: FilePath
    /// What cannot be saved.
    package let item: FilePath
    /// Whose it is.
    package let owner: UInt32
    /// Whether a save may have made it.
    let isOfSave: Bool

    /// One sentence that says what is where.
    package var reason: String {
        isOfSave
            ? "“\(path)” is in the way: a save by \(ownerName) is going on or was cut off."
            : "“\(path)” is in the way: it belongs to \(ownerName) and has a name that saves use."
    }

    /// One sentence or two that say what helps.
    package var remedy: String {
        guard isOfSave else { return "Remove it, or have \(ownerName) remove it." }
        return "Try again in a moment. If it stays, have \(ownerName) open “\(item.name)”, or remove it."
    }

    /// The owner by name, where there is one.
    private var ownerName: String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: Self.entryByteCountMax)
        // Who has no entry, or one that cannot be had, has a number still.
        guard getpwuid_r(owner, &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let name = entry.pw_name
        else { return "user \(owner)" }
        return "user \(String(cString: name))"
    }

    /// More than any entry takes in practice: sysconf(_SC_GETPW_R_SIZE_MAX) says 1024.
    private static let entryByteCountMax = 16 * 1024
}

internal import FileSystem
internal import Sync

/// Tells what Sheaf's own saves put into a package from what other programs do there: it is staged beside the package, and gets
/// to its place in one step. Pure.
struct SaveSigns {
    /// What is staged now.
    private var staged: Set<ItemPlace> = []
    /// Moves away from where something was staged whose other halves have not been told.
    private var cookies: [UInt32] = []

    /// Of more moves the other halves are not waited for: they are where nobody looks.
    private static let cookieCountMax = 64

    /// Whether a name is of what saves put beside documents.
    static func isStaging(_ name: String) -> Bool { name.hasPrefix(SaveSite.ownPrefix) }

    /// Something happened to a name of that kind.
    mutating func take(_ event: WatchEvent, at place: ItemPlace) {
        switch event.kind {
        case .created: staged.insert(place)
        case .deleted: staged.remove(place)
        case .movedFrom(let cookie):
            staged.remove(place)
            cookies.append(cookie)
            if cookies.count > Self.cookieCountMax { cookies.removeFirst() }
        case .movedTo, .modified, .changed, .attributesChanged, .selfMoved, .selfDeleted, .overflowed: break
        }
    }

    /// Whether something that came into a package was staged by a save of it.
    ///
    /// - Parameters:
    ///   - cookie: Of the move.
    ///   - place: The package's.
    mutating func isOfSave(_ cookie: UInt32, into place: ItemPlace) -> Bool {
        if let index = cookies.firstIndex(of: cookie) {
            cookies.remove(at: index)
            return true
        }
        return isStaged(place)
    }

    /// Whether a save of a package goes on, as far as is known.
    func isStaged(_ place: ItemPlace) -> Bool {
        staged.contains(ItemPlace(place.parent, SaveSite.stagingName(for: place.name)))
    }
}

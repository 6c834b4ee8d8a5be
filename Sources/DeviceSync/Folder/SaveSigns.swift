internal import FileSystem
internal import Sync

/// Tells what Sheaf's own saves put into a package from what other programs do there: it is staged beside the package, and gets
/// to its place in one step. Pure.
struct SaveSigns {
    /// What is staged now.
    private var staged: Set<ItemPlace> = []
    /// What was told as made last, if nothing has come into a package since.
    private var made: ItemPlace?
    /// What was made and is gone before anything was told to come from there. Where nobody has read for a moment the kernel tells
    /// both in one, at the place of the first.
    private var passed: Set<ItemPlace> = []
    /// Moves away from where something was staged whose other halves have not been told.
    private var moves: [(cookie: UInt32, staging: ItemPlace)] = []

    /// Of more moves the other halves are not waited for: they are where nobody looks.
    private static let moveCountMax = 64

    /// Whether a name is of what saves put beside documents.
    static func isStaging(_ name: String) -> Bool { name.hasPrefix(SaveSite.ownPrefix) }

    /// Something happened to a name of that kind.
    mutating func take(_ event: WatchEvent, at place: ItemPlace) {
        switch event.kind {
        case .created:
            staged.insert(place)
            made = place
        case .deleted:
            staged.remove(place)
            if made == place { passed.insert(place) }
        case .movedFrom(let cookie):
            staged.remove(place)
            moves.append((cookie, place))
            if moves.count > Self.moveCountMax { moves.removeFirst() }
        case .movedTo, .modified, .changed, .attributesChanged, .selfMoved, .selfDeleted, .overflowed: break
        }
    }

    /// Whether something that came into a package was staged by a save of it.
    ///
    /// - Parameters:
    ///   - cookie: Of the move.
    ///   - place: The package's.
    mutating func isOfSave(_ cookie: UInt32, into place: ItemPlace) -> Bool {
        made = nil
        if let index = moves.firstIndex(where: { $0.cookie == cookie }) {
            moves.remove(at: index)
            return true
        }
        let staging = Self.staging(of: place)
        return staged.contains(staging) || passed.contains(staging)
    }

    /// All that was heard has been looked at.
    mutating func endLook() { passed = [] }

    /// Whether a save of a package goes on, or what it has staged is on its way into that, as far as is known.
    func isBeingSaved(_ place: ItemPlace) -> Bool {
        let staging = Self.staging(of: place)
        return staged.contains(staging) || moves.contains { $0.staging == staging }
    }

    private static func staging(of place: ItemPlace) -> ItemPlace {
        ItemPlace(place.parent, SaveSite.stagingName(for: place.name))
    }
}

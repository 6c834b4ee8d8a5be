import Coordination

/// The rules of coordination as Apple's documentation has them, said anew and without regard to how the arbiter
/// works them out.
enum Rules {
    /// One item and how it is used.
    struct Wish: Hashable {
        var place: Place
        let use: AccessClaim.Use
    }

    static func reads(_ use: AccessClaim.Use) -> Bool {
        if case .reading = use { true } else { false }
    }

    static func removes(_ use: AccessClaim.Use) -> Bool {
        use == .writing(.deleting) || use == .writing(.replacing)
    }

    static func covers(_ use: AccessClaim.Use) -> Bool {
        removes(use) || use == .writing(.moving)
    }

    /// Whether two uses of two places exclude each other.
    static func clash(_ one: AccessClaim.Use, _ here: Place, _ two: AccessClaim.Use, _ there: Place) -> Bool {
        if reads(one) && reads(two) { return false }
        let (left, right) = (here.scopeCount, there.scopeCount)
        guard here.agrees(with: there, on: min(left, right)) else { return false }
        return left == right || (left < right ? covers(one) : covers(two))
    }

    /// What a presenter of a place is asked before an access, in order.
    static func messages(
        to place: Place,
        before wishes: [Wish],
        path: (Place) -> ItemPath
    ) -> [PresenterMessage] {
        var (toReader, toWriter, save, deletion) = (false, false, false, false)
        var subitems: [PresenterMessage] = []
        for wish in wishes {
            let isSame = wish.place == place
            let isAround = place.isPackage && wish.place.isInside(place)
            let isWithin = covers(wish.use) && place.isInside(wish.place)
            switch wish.use {
            case .reading(let savesFirst) where isSame || isAround:
                toReader = true
                if savesFirst { save = true }
            case .writing(let writing) where isSame || isAround || isWithin:
                toWriter = true
                if writing == .merging { save = true }
                guard removes(wish.use) else { continue }
                if isAround {
                    let message = PresenterMessage.accommodateSubitemDeletion(path(wish.place))
                    if !subitems.contains(message) { subitems.append(message) }
                } else {
                    deletion = true
                }
            default: continue
            }
        }
        return (toWriter ? [.relinquishToWriter] : toReader ? [.relinquishToReader] : [])
            + (save ? [.saveChanges] : []) + (deletion ? [.accommodateItemDeletion] : []) + subitems
    }
}

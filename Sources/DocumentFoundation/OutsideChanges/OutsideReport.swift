internal import Coordination
package import FileSystem

/// What someone who coordinates nothing has done, and who is to hear of it.
enum OutsideReport: Hashable, Sendable {
    /// The presenter's item is another one now.
    case changed(PresenterID)
    /// The presenter's item is gone, and nothing is at its name.
    case deleted(PresenterID)
    /// An item is at another place; presenters of it, in it and around it are told.
    case moved(ItemPath, to: ItemPath)
    /// Something new is in the presenter's directory.
    case subitemAppeared(PresenterID, ItemPath)
    /// Something in the presenter's directory is another one now, or gone.
    case subitemChanged(PresenterID, ItemPath)
    /// For a presenter that finds out by itself what has changed.
    case mayHaveChanged(PresenterID, OutsideHint)
}

/// That something has happened to a presented item, by whomever, the presenter itself included.
package struct OutsideHint: Hashable, Sendable {
    /// The members of a directory that it happened to; empty when it happened to the item itself.
    package var members: Set<MemberPath> = []
    /// Whether anything in the item may be another now.
    package var isWhole = false
    /// Who did it last, where the kernel tells.
    package var writer: WriterProcess?

    package init(members: Set<MemberPath> = [], isWhole: Bool = false, writer: WriterProcess? = nil) {
        self.members = members
        self.isWhole = isWhole
        self.writer = writer
    }
}

/// Which deletions a presenter is told of when they have happened, instead of being asked before.
package enum OutsideDeletion {
    /// Whether the message that is handled now tells of one. The item may be there again.
    @TaskLocal package static var isTold = false
}

/// A presenter that knows exactly what it has read and written, and so tells others' changes from its own.
///
/// It gets hints instead of `presentedItemDidChange()` and of messages about subitems.
package protocol OutsideChangeReceiver: NSFilePresenter {
    /// Something has happened to the item.
    ///
    /// Called on any thread; must return at once.
    func itemMayHaveChanged(_ hint: OutsideHint)
}

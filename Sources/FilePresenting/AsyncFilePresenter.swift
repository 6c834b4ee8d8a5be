public import Foundation

/// What a presenter is asked and answers, in the spelling with `async` that Swift gives to such methods.
///
/// Part of `NSFilePresenter`, which says what each is for: implement a question in one spelling. It has a module of its own
/// because that is built without the feature NonisolatedNonsendingByDefault: what is declared with it can be implemented by no
/// method that belongs to an actor, as those of a class on the main actor do.
public protocol AsyncFilePresenter: NSObjectProtocol {
    /// Someone waits for the item's latest contents: write them, coordinated by a coordinator made for this presenter.
    ///
    /// - Throws: What ends the other's access.
    func savePresentedItemChanges() async throws

    /// The item is about to go: let it.
    ///
    /// - Throws: What ends the other's access.
    func accommodatePresentedItemDeletion() async throws

    /// The item's contents are about to leave this machine: make do without them.
    ///
    /// - Throws: What keeps them here.
    func accommodatePresentedItemEviction() async throws

    /// Something in the presented package is about to go: let it.
    ///
    /// - Throws: What ends the other's access.
    func accommodatePresentedSubitemDeletion(at url: URL) async throws
}

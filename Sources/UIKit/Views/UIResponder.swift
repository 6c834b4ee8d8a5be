public import DocumentFoundation
public import Foundation

/// Something that an event can reach and that hands it on when it has no use for it.
@MainActor @preconcurrency
open class UIResponder: NSObject, UIUserActivityRestoring {
    /// Makes a responder.
    public override init() { super.init() }

    /// Who is asked after this one; nil at the end of the chain.
    open var next: UIResponder? { nil }

    /// The nearest undo manager up the chain.
    open var undoManager: UndoManager? { next?.undoManager }

    /// What a person is doing with this. Several responders may have the same.
    ///
    /// Shortly after its `needsSave` was set, while a tab shows this, it is brought up to date, and the delegate of the scene or
    /// the app told (`scene(_:didUpdate:)`, `application(_:didUpdate:)`).
    open var userActivity: NSUserActivity?

    /// Called on the main actor to bring `userActivity` up to date: put into it what this knows. Does nothing by itself.
    open func updateUserActivityState(_ activity: NSUserActivity) {}

    /// Called by an app that hands an activity on. Does nothing by itself.
    open func restoreUserActivityState(_ userActivity: NSUserActivity) {}
}

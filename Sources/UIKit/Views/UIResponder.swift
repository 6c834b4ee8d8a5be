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

    /// What a person is doing with this.
    open var userActivity: NSUserActivity?

    /// Called by an app that brings its activity up to date. Does nothing by itself.
    open func updateUserActivityState(_ activity: NSUserActivity) {}

    /// Called by an app that hands an activity on. Does nothing by itself.
    open func restoreUserActivityState(_ userActivity: NSUserActivity) {}
}

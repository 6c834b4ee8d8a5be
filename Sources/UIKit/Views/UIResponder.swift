public import Foundation

/// Something that an event can reach and that hands it on when it has no use for it.
@MainActor @preconcurrency
open class UIResponder: NSObject {
    /// Makes a responder.
    public override init() { super.init() }

    /// Who is asked after this one; nil at the end of the chain.
    open var next: UIResponder? { nil }

    /// The nearest undo manager up the chain.
    open var undoManager: UndoManager? { next?.undoManager }
}

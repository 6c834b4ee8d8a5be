public import Foundation

/// A part of what a window shows. Views here have no geometry: the page lays out what they stand for.
@MainActor @preconcurrency
open class UIView: UIResponder {
    private var storedTintColor: UIColor?
    weak var owner: UIViewController?

    /// The frame that shows this view's page, where it is one that shows a page.
    package var editorFrame: EditorFrame? {
        didSet { SceneUpdates.request() }
    }

    /// Where code written for a screen puts the view. Kept, and of no effect: the page lays views out.
    open var frame: CGRect

    /// Makes an empty view.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    /// Makes an empty view.
    public override convenience init() {
        self.init(frame: .zero)
    }

    /// The frame, seen from inside.
    open var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }

    /// The view that holds this one.
    public private(set) weak var superview: UIView?

    /// The views inside this one, the foremost last.
    public private(set) var subviews: [UIView] = []

    /// The window that shows this view.
    open var window: UIWindow? { superview?.window ?? owner?.presentationWindow }

    /// The colour of what can be acted on; the superview's, unless set.
    open var tintColor: UIColor! {
        get { storedTintColor ?? superview?.tintColor ?? .systemBlue }
        set {
            storedTintColor = newValue
            SceneUpdates.request()
        }
    }

    /// Puts a view in front of those inside this one; it leaves the view that it was in.
    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        view.superview = self
        subviews.append(view)
        SceneUpdates.request()
    }

    /// Leaves the view that holds this one.
    open func removeFromSuperview() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        SceneUpdates.request()
    }

    /// The view controller of a root view, else the superview.
    open override var next: UIResponder? { owner ?? superview }

    /// This view and all below it, front to back.
    var descendants: [UIView] { [self] + subviews.reversed().flatMap(\.descendants) }
}

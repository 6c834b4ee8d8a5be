public import Foundation

/// What stands between a part of the model and the view that shows it.
@MainActor @preconcurrency
open class UIViewController: UIResponder, UIStateRestoring {
    private var storedView: UIView?
    private var storedNavigationItem: UINavigationItem?
    var appearance = Appearance.disappeared
    weak var directWindow: UIWindow?

    /// Where a view controller is between shown and not.
    enum Appearance { case appearing, appeared, disappearing, disappeared }

    /// What the page calls this view controller.
    let pageIdentifier = UUID().uuidString

    /// Makes a view controller. There are no nibs here; both arguments are for code that passes nil.
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init()
    }

    /// Makes a view controller from an archive.
    public required init?(coder: NSCoder) {
        super.init()
    }

    /// Makes a view controller.
    public override convenience init() {
        self.init(nibName: nil, bundle: nil)
    }

    // MARK: Its view

    /// The root view, made when first asked for.
    open var view: UIView! {
        get {
            if storedView == nil {
                loadView()
                storedView?.owner = self
                viewDidLoad()
            }
            return storedView
        }
        set {
            storedView?.owner = nil
            storedView = newValue
            newValue?.owner = self
            SceneUpdates.request()
        }
    }

    /// The root view if there is one yet.
    public var viewIfLoaded: UIView? { storedView }

    /// Whether there is a root view yet.
    public var isViewLoaded: Bool { storedView != nil }

    /// Makes the root view. Override to set `view` to one of your own, without calling `super`.
    open func loadView() {
        view = UIView()
    }

    /// Called once, when the root view was made. `super` does nothing.
    open func viewDidLoad() {}
    /// Called before the view is shown. Call `super`.
    open func viewWillAppear(_ animated: Bool) {}
    /// Called while the view is being shown. Call `super`.
    open func viewIsAppearing(_ animated: Bool) {}
    /// Called when the view is shown. Call `super`.
    open func viewDidAppear(_ animated: Bool) {}
    /// Called before the view goes. Call `super`.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Called when the view is gone. Call `super`.
    open func viewDidDisappear(_ animated: Bool) {}

    /// The text for people that says what this shows. Setting it sets the navigation item's, too.
    open var title: String? {
        didSet {
            storedNavigationItem?.title = title
            SceneUpdates.request()
        }
    }

    /// What the bar above the view shows.
    open var navigationItem: UINavigationItem {
        if let storedNavigationItem { return storedNavigationItem }
        let item = UINavigationItem(title: title ?? "")
        storedNavigationItem = item
        return item
    }

    // MARK: Its state

    /// Lets the view controller encode its state, if all that it is in or over have one, too.
    open var restorationIdentifier: String?
    /// Who makes this view controller again when the app was started anew. A class that is not private and in
    /// no other type.
    open var restorationClass: (any UIViewControllerRestoration.Type)?
    /// What it is in, or over.
    open var restorationParent: (any UIStateRestoring)? { parent ?? presenter }
    /// None: view controllers have a `restorationClass`.
    open var objectRestorationClass: (any UIObjectRestoration.Type)? { nil }
    /// Writes what is needed to be as now. Call `super`.
    open func encodeRestorableState(with coder: NSCoder) {}
    /// Reads it back, after the app was started anew and all view controllers are there. Call `super`.
    open func decodeRestorableState(with coder: NSCoder) {}
    /// Called when all have read.
    open func applicationFinishedRestoringState() {}

    // MARK: Others around it

    /// The view controller over this one, or over the container that this one is in.
    public var presentedViewController: UIViewController? { presented ?? parent?.presentedViewController }
    /// The view controller under this one, or under the container that this one is in.
    public var presentingViewController: UIViewController? { presenter ?? parent?.presentingViewController }
    /// The one over this very one. Only a view controller outside of containers has one.
    var presented: UIViewController?
    /// The one under this very one.
    weak var presenter: UIViewController? {
        didSet { SceneUpdates.request() }
    }
    /// The container that this one is in.
    public internal(set) weak var parent: UIViewController?
    /// Those inside this one.
    public internal(set) var children: [UIViewController] = []
    /// How it covers what is under it. The page shows what is presented full size, whatever stands here.
    open var modalPresentationStyle: UIModalPresentationStyle = .automatic

    /// Whether it is being put over another one now.
    public internal(set) var isBeingPresented = false
    /// Whether it is going from over another one now.
    public internal(set) var isBeingDismissed = false

    /// The navigation controller that this one is in.
    open var navigationController: UINavigationController? {
        (parent as? UINavigationController) ?? parent?.navigationController
    }

    /// Shows a view controller over this one.
    ///
    /// - Parameters:
    ///   - viewControllerToPresent: What to show.
    ///   - flag: Whether its coming is to be seen.
    ///   - completion: Called on the main actor when it is shown.
    open func present(
        _ viewControllerToPresent: UIViewController,
        animated flag: Bool,
        completion: (() -> Void)? = nil
    ) {
        Presentation.present(viewControllerToPresent, over: self, animated: flag, completion)
    }

    /// Takes away what is over this one; with nothing over it, this one itself.
    ///
    /// - Parameters:
    ///   - flag: Whether its going is to be seen.
    ///   - completion: Called on the main actor when it is gone.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        Presentation.dismiss(self, animated: flag, completion)
    }

    /// Puts a view controller inside this one. Follow it with `child.didMove(toParent:)`.
    open func addChild(_ childController: UIViewController) {
        childController.willMove(toParent: self)
        childController.parent?.children.removeAll { $0 === childController }
        childController.parent = self
        children.append(childController)
    }

    /// Leaves the container.
    open func removeFromParent() {
        guard let parent else { return }
        parent.children.removeAll { $0 === self }
        self.parent = nil
        didMove(toParent: nil)
    }

    /// Called before it enters or leaves a container.
    open func willMove(toParent parent: UIViewController?) {}
    /// Called when it has entered or left a container.
    open func didMove(toParent parent: UIViewController?) {}

    /// The window that shows it.
    var presentationWindow: UIWindow? {
        directWindow ?? parent?.presentationWindow ?? presenter?.presentationWindow
    }

    /// The one whose content fills the page when this one is shown.
    var contentViewController: UIViewController { self }

    /// The view that holds its view, the one under it, then the window.
    open override var next: UIResponder? {
        viewIfLoaded?.superview ?? parent ?? presentingViewController ?? directWindow
    }

    /// How the page shows this view controller. The frame of its editor is added by the renderer.
    var layer: SceneDescription.Layer {
        SceneDescription.Layer(
            id: pageIdentifier,
            kind: "page",
            title: navigationItem.title ?? title ?? "",
            leading: (navigationItem.leftBarButtonItems ?? []).map(SceneDescription.Bar.init),
            trailing: (navigationItem.rightBarButtonItems ?? []).map(SceneDescription.Bar.init),
            done: true
        )
    }

    /// Called by the page when Done is pressed. What it takes away is the outermost container's affair.
    func donePressed() {
        if let parent { parent.donePressed() } else { presenter?.dismiss(animated: true) }
    }
}

/// How a presented view controller covers what is under it.
public enum UIModalPresentationStyle: Int, Sendable {
    /// All of it.
    case fullScreen = 0
    /// A page.
    case pageSheet = 1
    /// A smaller page.
    case formSheet = 2
    /// The container's area.
    case currentContext = 3
    /// The app's own.
    case custom = 4
    /// All of it, over what is there.
    case overFullScreen = 5
    /// The container's area, over what is there.
    case overCurrentContext = 6
    /// A bubble.
    case popover = 7
    /// Whatever fits.
    case automatic = -2
}

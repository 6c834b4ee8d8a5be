/// Shows view controllers over each other and tells each what becomes of it, in UIKit's order.
@MainActor
enum Presentation {
    static func present(
        _ shown: UIViewController,
        over asked: UIViewController,
        animated: Bool,
        _ completion: (() -> Void)?
    ) {
        let presenter = base(of: asked)
        precondition(
            presenter.presentedViewController == nil,
            "\(type(of: presenter)) already presents \(presenter.presentedViewController.map { "\(type(of: $0))" } ?? "")")
        precondition(shown.presentingViewController == nil, "\(type(of: shown)) is already presented")
        presenter.presentedViewController = shown
        shown.presentingViewController = presenter
        shown.isBeingPresented = true
        appear(shown, animated: animated)
        shown.isBeingPresented = false
        SceneUpdates.request()
        completion?()
    }

    static func dismiss(_ asked: UIViewController, animated: Bool, _ completion: (() -> Void)?) {
        let presenter = base(of: asked)
        let target = presenter.presentedViewController == nil ? presenter.presentingViewController : presenter
        guard let target, let top = target.presentedViewController else {
            completion?()
            return
        }
        if top.presentedViewController != nil { dismiss(top, animated: false, nil) }
        top.isBeingDismissed = true
        disappear(top, animated: animated)
        target.presentedViewController = nil
        top.presentingViewController = nil
        top.isBeingDismissed = false
        SceneUpdates.request()
        completion?()
    }

    /// The outermost container of a view controller: presenting is its affair.
    private static func base(of controller: UIViewController) -> UIViewController {
        controller.parent.map(base) ?? controller
    }

    static func appear(_ controller: UIViewController, animated: Bool) {
        guard controller.appearance == .disappeared else { return }
        _ = controller.view
        controller.appearance = .appearing
        controller.viewWillAppear(animated)
        controller.viewIsAppearing(animated)
        for child in controller.shownChildren { appear(child, animated: animated) }
        controller.appearance = .appeared
        controller.viewDidAppear(animated)
    }

    static func disappear(_ controller: UIViewController, animated: Bool) {
        guard controller.appearance == .appeared else { return }
        controller.appearance = .disappearing
        controller.viewWillDisappear(animated)
        for child in controller.shownChildren { disappear(child, animated: animated) }
        controller.appearance = .disappeared
        controller.viewDidDisappear(animated)
    }

    /// Takes a whole chain of presented view controllers down, the topmost first.
    static func tearDown(_ root: UIViewController) {
        if root.presentedViewController != nil { dismiss(root, animated: false, nil) }
        disappear(root, animated: false)
    }
}

extension UIViewController {
    /// Those inside this one that can be seen with it.
    var shownChildren: [UIViewController] {
        if let navigation = self as? UINavigationController {
            return navigation.topViewController.map { [$0] } ?? []
        }
        return children
    }
}

/// A container that shows the last of a row of view controllers.
@MainActor @preconcurrency
open class UINavigationController: UIViewController {
    /// Makes a container that shows one.
    public init(rootViewController: UIViewController) {
        super.init(nibName: nil, bundle: nil)
        pushViewController(rootViewController, animated: false)
    }

    /// Makes a container from an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// The row, the one shown last.
    open var viewControllers: [UIViewController] { children }

    /// The one that is shown.
    open var topViewController: UIViewController? { children.last }

    /// Shows another one, over those in the row.
    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        let covered = topViewController
        addChild(viewController)
        if appearance == .appeared {
            covered.map { Presentation.disappear($0, animated: animated) }
            Presentation.appear(viewController, animated: animated)
        }
        viewController.didMove(toParent: self)
        SceneUpdates.request()
    }

    /// Takes the last one away, unless it is the only one.
    ///
    /// - Returns: The one taken away.
    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard children.count > 1, let popped = topViewController else { return nil }
        Presentation.disappear(popped, animated: animated)
        popped.willMove(toParent: nil)
        popped.removeFromParent()
        if appearance == .appeared { topViewController.map { Presentation.appear($0, animated: animated) } }
        SceneUpdates.request()
        return popped
    }

    override var contentViewController: UIViewController {
        topViewController?.contentViewController ?? self
    }

    override func donePressed() {
        if popViewController(animated: true) == nil { super.donePressed() }
    }
}

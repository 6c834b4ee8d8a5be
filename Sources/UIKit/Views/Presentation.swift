internal import StandardStreams

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
        // A person who presses twice before the page has followed gets here: no reason to end the process.
        if let before = presenter.presented {
            StandardError.say(
                "\(type(of: shown)) is not presented: \(type(of: presenter)) already presents \(type(of: before))."
            )
            return
        }
        precondition(shown.presenter == nil, "\(type(of: shown)) is already presented")
        presenter.presented = shown
        shown.presenter = presenter
        shown.isBeingPresented = true
        appear(shown, animated: animated)
        shown.isBeingPresented = false
        SceneUpdates.request()
        completion?()
    }

    static func dismiss(_ asked: UIViewController, animated: Bool, _ completion: (() -> Void)?) {
        let presenter = base(of: asked)
        let target = presenter.presented == nil ? presenter.presenter : presenter
        guard let target, let top = target.presented else {
            completion?()
            return
        }
        if top.presented != nil { dismiss(top, animated: false, nil) }
        top.isBeingDismissed = true
        disappear(top, animated: animated)
        target.presented = nil
        top.presenter = nil
        top.isBeingDismissed = false
        SceneUpdates.request()
        completion?()
    }

    /// The outermost container of a view controller: presenting is its affair.
    private static func base(of controller: UIViewController) -> UIViewController {
        controller.parent.map(base) ?? controller
    }

    static func appear(_ controller: UIViewController, animated: Bool) {
        beginAppearing(controller, animated)
        endAppearing(controller, animated)
    }

    static func disappear(_ controller: UIViewController, animated: Bool) {
        beginDisappearing(controller, animated)
        endDisappearing(controller, animated)
    }

    /// Puts one in the place of another: each hears of its end when the other's has begun.
    static func exchange(_ old: UIViewController, for new: UIViewController, animated: Bool) {
        beginDisappearing(old, animated)
        beginAppearing(new, animated)
        endDisappearing(old, animated)
        endAppearing(new, animated)
    }

    private static func beginAppearing(_ controller: UIViewController, _ animated: Bool) {
        guard controller.appearance == .disappeared else { return }
        _ = controller.view
        controller.appearance = .appearing
        controller.viewWillAppear(animated)
        controller.viewIsAppearing(animated)
        for child in controller.shownChildren { beginAppearing(child, animated) }
    }

    private static func endAppearing(_ controller: UIViewController, _ animated: Bool) {
        guard controller.appearance == .appearing else { return }
        for child in controller.shownChildren { endAppearing(child, animated) }
        controller.appearance = .appeared
        controller.viewDidAppear(animated)
    }

    private static func beginDisappearing(_ controller: UIViewController, _ animated: Bool) {
        guard controller.appearance == .appeared else { return }
        controller.appearance = .disappearing
        controller.viewWillDisappear(animated)
        for child in controller.shownChildren { beginDisappearing(child, animated) }
    }

    private static func endDisappearing(_ controller: UIViewController, _ animated: Bool) {
        guard controller.appearance == .disappearing else { return }
        for child in controller.shownChildren { endDisappearing(child, animated) }
        controller.appearance = .disappeared
        controller.viewDidDisappear(animated)
    }

    /// Takes a whole chain of presented view controllers down, the topmost first.
    static func tearDown(_ root: UIViewController) {
        if root.presented != nil { dismiss(root, animated: false, nil) }
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
            if let covered {
                Presentation.exchange(covered, for: viewController, animated: animated)
            } else {
                Presentation.appear(viewController, animated: animated)
            }
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
        popped.willMove(toParent: nil)
        if appearance == .appeared {
            Presentation.exchange(popped, for: children[children.count - 2], animated: animated)
        }
        popped.removeFromParent()
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

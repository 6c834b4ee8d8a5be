internal import Foundation

extension UIApplication {
    /// In the delegate's coder: the app's version when the state was kept.
    public nonisolated static let stateRestorationBundleVersionKey =
        "UIApplicationStateRestorationBundleVersionKey"
    /// In the delegate's coder: the system's version when the state was kept.
    public nonisolated static let stateRestorationSystemVersionKey =
        "UIApplicationStateRestorationSystemVersionKey"
    /// In the delegate's coder: when the state was kept, an `NSDate`. A state that stays the same is kept once.
    public nonisolated static let stateRestorationTimestampKey =
        "UIApplicationStateRestorationTimestampKey"

    /// In the delegate's coder: what kind of device it was when the state was kept, an `NSNumber`.
    ///
    /// - Differs from Darwin: always -1, which is `UIUserInterfaceIdiom.unspecified`. A browser's tab is of no kind.
    public nonisolated static let stateRestorationUserInterfaceIdiomKey =
        "UIApplicationStateRestorationUserInterfaceIdiom"
    /// In a view controller's coder: the storyboard that it came from.
    ///
    /// - Differs from Darwin: nothing is ever under it, as there are no storyboards.
    public nonisolated static let stateRestorationViewControllerStoryboardKey =
        "UIStateRestorationViewControllerStoryboard"

    /// Lets an object that is no view controller take part in keeping state. It is held weakly.
    public class func registerObject(
        forStateRestoration object: any UIStateRestoring,
        restorationIdentifier: String
    ) {
        RestorableObjects.register(object, restorationIdentifier)
    }

    /// Asks for more time to restore: states stay as they were until `completeStateRestoration()`.
    public func extendStateRestoration() {
        SceneRestoration.applicationExtensionCount += 1
    }

    /// Ends what `extendStateRestoration()` began.
    public func completeStateRestoration() {
        guard SceneRestoration.applicationExtensionCount > 0 else { return }
        SceneRestoration.applicationExtensionCount -= 1
        for session in SceneSessions.all { StateKeeper.current?.settleSoon(session) }
    }
}

extension UIScene {
    /// Asks for more time to restore: the scene's state stays as it was until `completeStateRestoration()`.
    public func extendStateRestoration() {
        restorationExtensionCount += 1
    }

    /// Ends what `extendStateRestoration()` began.
    public func completeStateRestoration() {
        guard restorationExtensionCount > 0 else { return }
        restorationExtensionCount -= 1
        StateKeeper.current?.settleSoon(session)
    }
}

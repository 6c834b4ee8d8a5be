public import DocumentFoundation
public import Foundation

/// What an app does when its process starts, changes state and ends.
///
/// Every method has a default, as Apple's are optional. Declare `@main` on the class.
@MainActor @preconcurrency
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The window of an app without scenes.
    var window: UIWindow? { get }

    /// Called first.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// Called before the first tab can connect.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// Open a document from outside; called after the start, for an app without scenes.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - url: The document.
    ///   - options: How; whether it is to be opened where it is.
    /// - Returns: Whether it could be opened.
    func application(
        _ app: UIApplication,
        open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool
    /// Called for each tab that connects: how its scene is to be made.
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
    /// Called when tabs have gone for good.
    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
    /// A tab shows the app. Not called where scenes are.
    func applicationDidBecomeActive(_ application: UIApplication)
    /// No tab shows the app any longer. Not called where scenes are.
    func applicationWillResignActive(_ application: UIApplication)
    /// The last tab has gone. Not called where scenes are.
    func applicationDidEnterBackground(_ application: UIApplication)
    /// A tab comes back. Not called where scenes are.
    func applicationWillEnterForeground(_ application: UIApplication)
    /// The process has been told to end; documents are saved and closed after this.
    func applicationWillTerminate(_ application: UIApplication)
    /// Whether view controllers are asked for their state, so that it outlasts the process. Asked for each tab.
    func application(_ application: UIApplication, shouldSaveSecureApplicationState coder: NSCoder) -> Bool
    /// As the one above, which asks this one unless it is implemented.
    func application(_ application: UIApplication, shouldSaveApplicationState coder: NSCoder) -> Bool
    /// Whether a tab's view controllers are given the state that was kept.
    func application(_ application: UIApplication, shouldRestoreSecureApplicationState coder: NSCoder) -> Bool
    /// As the one above, which asks this one unless it is implemented.
    func application(_ application: UIApplication, shouldRestoreApplicationState coder: NSCoder) -> Bool
    /// Called before view controllers encode: write what is the app's.
    func application(_ application: UIApplication, willEncodeRestorableStateWith coder: NSCoder)
    /// Called when all have decoded: read it.
    func application(_ application: UIApplication, didDecodeRestorableStateWith coder: NSCoder)
    /// A view controller that was there when the state was kept and has no restoration class; nil for the one
    /// that is there.
    func application(
        _ application: UIApplication,
        viewControllerWithRestorationIdentifierPath identifierComponents: [String],
        coder: NSCoder
    ) -> UIViewController?
    /// An activity of something that is shown was brought up to date, as its `needsSave` was set: put into it what else there
    /// is. Called after its own delegate's `userActivityWillSave(_:)`, for an app without scenes; a scene's delegate is told
    /// by `scene(_:didUpdate:)`.
    func application(_ application: UIApplication, didUpdate userActivity: NSUserActivity)
    /// An activity is about to come from another device or from the system's search: say whether the app shows that itself.
    ///
    /// - Differs from Darwin: nothing here calls it. There is no Handoff on Linux, and no search that knows activities.
    func application(
        _ application: UIApplication,
        willContinueUserActivityWithType userActivityType: String
    ) -> Bool
    /// Go on with an activity from another device or from the system's search.
    ///
    /// - Differs from Darwin: nothing here calls it. There is no Handoff on Linux, and no search that knows activities. What
    ///   the app itself was doing comes back by `scene(_:restoreInteractionStateWith:)`.
    ///
    /// - Parameters:
    ///   - application: The app.
    ///   - userActivity: What was being done.
    ///   - restorationHandler: To be called with those that show it; `restoreUserActivityState(_:)` is called on each.
    /// - Returns: Whether the app has done it.
    func application(
        _ application: UIApplication,
        continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool
    /// An activity that was announced does not come.
    ///
    /// - Differs from Darwin: nothing here calls it, as no activity is ever announced.
    func application(
        _ application: UIApplication,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: any Error
    )
    /// What `UIApplication.registerForRemoteNotifications()` has asked for cannot be had.
    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    )
}

extension UIApplicationDelegate {
    /// None.
    public var window: UIWindow? { nil }
    /// Goes on.
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    /// Goes on.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    /// Opens nothing.
    public func application(
        _ app: UIApplication,
        open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool { false }
    /// What the app's Info.plist says.
    public func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role)
    }
    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didDiscardSceneSessions sceneSessions: Set<UISceneSession>
    ) {}
    /// Does nothing.
    public func applicationDidBecomeActive(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationWillResignActive(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationDidEnterBackground(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationWillEnterForeground(_ application: UIApplication) {}
    /// Does nothing.
    public func applicationWillTerminate(_ application: UIApplication) {}
    /// What `application(_:shouldSaveApplicationState:)` says.
    public func application(
        _ application: UIApplication,
        shouldSaveSecureApplicationState coder: NSCoder
    ) -> Bool { self.application(application, shouldSaveApplicationState: coder) }
    /// Not.
    public func application(
        _ application: UIApplication,
        shouldSaveApplicationState coder: NSCoder
    ) -> Bool { false }
    /// What `application(_:shouldRestoreApplicationState:)` says.
    public func application(
        _ application: UIApplication,
        shouldRestoreSecureApplicationState coder: NSCoder
    ) -> Bool { self.application(application, shouldRestoreApplicationState: coder) }
    /// Not.
    public func application(
        _ application: UIApplication,
        shouldRestoreApplicationState coder: NSCoder
    ) -> Bool { false }
    /// Does nothing.
    public func application(
        _ application: UIApplication,
        willEncodeRestorableStateWith coder: NSCoder
    ) {}
    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didDecodeRestorableStateWith coder: NSCoder
    ) {}
    /// None.
    public func application(
        _ application: UIApplication,
        viewControllerWithRestorationIdentifierPath identifierComponents: [String],
        coder: NSCoder
    ) -> UIViewController? { nil }
    /// Does nothing.
    public func application(_ application: UIApplication, didUpdate userActivity: NSUserActivity) {}
    /// Not.
    public func application(
        _ application: UIApplication,
        willContinueUserActivityWithType userActivityType: String
    ) -> Bool { false }
    /// Not.
    public func application(
        _ application: UIApplication,
        continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool { false }
    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: any Error
    ) {}
    /// Does nothing.
    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}

    /// Where a program starts whose app delegate is marked `@main`.
    public static func main() {
        guard let type = Self.self as? NSObject.Type else {
            preconditionFailure("\(Self.self) must be a subclass of UIResponder")
        }
        exit(ApplicationRun.start(delegateType: type))
    }
}

/// Runs an app until it is told to end.
///
/// Serves the app's page on this machine's loopback, prints the link to it, and runs the main run loop, so that
/// the main actor, the main queue, timers and autosave share the main thread as on iOS. SIGINT and SIGTERM save
/// and close every document before the process ends.
///
/// - Parameters:
///   - argc: Has no effect: the process's own arguments count.
///   - argv: Has no effect either.
///   - principalClassName: Must be nil: there is no other application class than `UIApplication`.
///   - delegateClassName: The delegate's class, as `NSStringFromClass` gives it.
/// - Returns: The process's exit status: 0, or 1 when a document could not be saved.
@MainActor
@discardableResult
public func UIApplicationMain(
    _ argc: Int32,
    _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    _ principalClassName: String?,
    _ delegateClassName: String?
) -> Int32 {
    precondition(principalClassName == nil, "UIApplicationMain knows no application class but UIApplication")
    guard let name = delegateClassName, let type = NSClassFromString(name) as? NSObject.Type else {
        preconditionFailure(
            "UIApplicationMain needs the name of the delegate's class; \(delegateClassName ?? "nil") is none"
        )
    }
    return ApplicationRun.start(delegateType: type)
}

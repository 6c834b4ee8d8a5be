public import DocumentFoundation
public import Foundation

/// One of the app's faces: what one browser tab shows.
@MainActor @preconcurrency
open class UIScene: UIResponder {
    /// Whether anyone sees the scene.
    public enum ActivationState: Int, Sendable {
        /// Not connected.
        case unattached = -1
        /// In front.
        case foregroundActive = 0
        /// Connected, not in front.
        case foregroundInactive = 1
        /// Its tab is hidden or gone.
        case background = 2
    }

    /// What a scene was opened for.
    @MainActor @preconcurrency
    public struct ConnectionOptions {
        /// The documents that the scene is to open: files that the app was started with, or that were handed to
        /// it while no tab was in front.
        public internal(set) var urlContexts: Set<UIOpenURLContext> = []
        /// The app that asked for it; nil, as nobody says so here.
        public var sourceApplication: String? { nil }
        /// Activities that other devices handed over: none. What the scene showed before is in its session's
        /// `stateRestorationActivity`.
        public var userActivities: Set<NSUserActivity> { [] }
    }

    /// Posted when a scene was made and its delegate is about to be told, on the main actor.
    public nonisolated static let willConnectNotification = NSNotification.Name(
        "UISceneWillConnectNotification"
    )

    /// The session that this scene belongs to.
    public let session: UISceneSession
    /// The app's own object that is told of the scene's life.
    open var delegate: (any UISceneDelegate)?
    /// Whether anyone sees the scene.
    public internal(set) var activationState = ActivationState.unattached
    /// A name for the scene.
    open var title: String! = ""
    /// How many times the app asked for more time to restore.
    var restorationExtensionCount = 0

    /// Makes a scene for a session. Scenes are made by the app; this is called by it.
    public required init(session: UISceneSession, connectionOptions: ConnectionOptions) {
        self.session = session
        super.init()
    }

    /// The app.
    open override var next: UIResponder? { UIApplication.shared }
}

/// A scene with a window.
@MainActor @preconcurrency
open class UIWindowScene: UIScene {
    /// The windows in it.
    public internal(set) var windows: [UIWindow] = []
}

/// A tab of the browser, as the app knows it, from its first connection until it has gone for good.
@MainActor @preconcurrency
open class UISceneSession: NSObject {
    /// What sessions are for.
    public struct Role: RawRepresentable, Hashable, Sendable {
        /// The role's name.
        public let rawValue: String
        /// Names a role.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A window of the app.
        public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
    }

    /// The tab's identity; a reloaded tab has the same.
    public internal(set) var persistentIdentifier: String
    /// What it is for.
    public let role: Role
    /// How its scene was made.
    public internal(set) var configuration: UISceneConfiguration
    /// Its scene; nil when it is not connected.
    public internal(set) weak var scene: UIScene?
    var tabSession: TabSession?
    /// What its scene showed when it was last looked at, also before the process started: what
    /// `stateRestorationActivity(for:)` gave.
    open var stateRestorationActivity: NSUserActivity?
    /// The tab whose state its scene was given; nil for none.
    var restored: String?
    /// The tab whose state is being given to its scene; nil when that is done.
    var restoring: String?
    /// The app's own notes.
    open var userInfo: [String: Any]?

    init(identifier: String, role: Role) {
        persistentIdentifier = identifier
        self.role = role
        configuration = UISceneConfiguration(name: nil, sessionRole: role)
        super.init()
    }
}

/// How a scene is made.
@MainActor @preconcurrency
open class UISceneConfiguration: NSObject {
    /// The configuration's name in the Info.plist.
    public let name: String?
    /// What sessions it is for.
    public let role: UISceneSession.Role
    /// The class of the scene's delegate. A class that conforms to `UISceneDelegate`.
    open var delegateClass: AnyClass?

    /// Makes a configuration; one of this name in the Info.plist gives the delegate's class.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
        super.init()
        delegateClass = SceneManifest.delegateClass(named: name, role: sessionRole)
    }
}

/// What an app does when a scene's life changes. Every method has a default, as Apple's are optional.
@MainActor @preconcurrency
public protocol UISceneDelegate: NSObjectProtocol {
    /// A tab has connected: make a window.
    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    )
    /// The tab has gone for good.
    func sceneDidDisconnect(_ scene: UIScene)
    /// The tab is in front.
    func sceneDidBecomeActive(_ scene: UIScene)
    /// The tab will not be in front any longer.
    func sceneWillResignActive(_ scene: UIScene)
    /// The tab comes back.
    func sceneWillEnterForeground(_ scene: UIScene)
    /// The tab is hidden or cut off. Documents are saved.
    func sceneDidEnterBackground(_ scene: UIScene)
    /// What the scene shows, so that it can be shown again when the process was started anew.
    ///
    /// Called often, shortly after anything was done in the tab: a process can be killed at any time.
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?
    /// That activity, or one of something that the scene shows, was brought up to date, as its `needsSave` was set: put into it
    /// what else there is. Called after its own delegate's `userActivityWillSave(_:)`, and before the scene's is kept.
    func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity)
    /// The scene has connected after the process was started anew: show what it showed.
    func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity)
    /// Open documents from outside. A scene that connects for it has them in its connection options instead.
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
    /// An activity is about to come from another device or from the system's search.
    ///
    /// - Differs from Darwin: nothing here calls it. There is no Handoff on Linux, and no search that knows activities.
    func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String)
    /// Go on with an activity from another device or from the system's search.
    ///
    /// - Differs from Darwin: nothing here calls it. There is no Handoff on Linux, and no search that knows activities. What
    ///   the scene itself showed comes back by `scene(_:restoreInteractionStateWith:)`.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
    /// An activity that was announced does not come.
    ///
    /// - Differs from Darwin: nothing here calls it, as no activity is ever announced.
    func scene(
        _ scene: UIScene,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: any Error
    )
}

extension UISceneDelegate {
    /// Does nothing.
    public func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {}
    /// Does nothing.
    public func sceneDidDisconnect(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillResignActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidEnterBackground(_ scene: UIScene) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
    /// Does nothing.
    public func scene(
        _ scene: UIScene,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: any Error
    ) {}
    /// Nothing.
    public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { nil }
    /// Does nothing.
    public func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity)
    {
    }
}

/// The delegate of a scene with a window.
@MainActor @preconcurrency
public protocol UIWindowSceneDelegate: UISceneDelegate {
    /// The scene's window.
    var window: UIWindow? { get set }
}

/// Holds what a scene, or an app without scenes, shows.
@MainActor @preconcurrency
open class UIWindow: UIView {
    /// The scene that it is in.
    public private(set) weak var windowScene: UIWindowScene?

    /// Makes a window of a scene.
    public init(windowScene: UIWindowScene) {
        self.windowScene = windowScene
        super.init(frame: .zero)
        windowScene.windows.append(self)
    }

    /// Makes the window of an app without scenes.
    public override init(frame: CGRect) {
        super.init(frame: frame)
    }

    /// The view controller whose view fills the window.
    open var rootViewController: UIViewController? {
        didSet {
            guard oldValue !== rootViewController else { return }
            if let oldValue {
                Presentation.tearDown(oldValue)
                oldValue.directWindow = nil
            }
            rootViewController?.directWindow = self
            if isShown { rootViewController.map { Presentation.appear($0, animated: false) } }
            SceneUpdates.request()
        }
    }

    private var isShown = false

    /// Shows the window.
    open func makeKeyAndVisible() {
        isShown = true
        rootViewController.map { Presentation.appear($0, animated: false) }
        SceneUpdates.request()
    }

    /// This window.
    open override var window: UIWindow? { self }
    /// The scene, or the app.
    open override var next: UIResponder? { windowScene ?? UIApplication.shared }

    /// Takes everything down, when the scene has gone.
    func close() {
        rootViewController.map(Presentation.tearDown)
        isShown = false
    }
}

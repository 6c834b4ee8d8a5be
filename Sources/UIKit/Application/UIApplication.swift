public import Foundation

/// The one object that stands for the running app.
@MainActor @preconcurrency
open class UIApplication: UIResponder {
    /// What is handed to the delegate at the start.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// The key.
        public let rawValue: String
        /// Names a key.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Whether anyone sees the app.
    public enum State: Int, Sendable {
        /// A tab shows it.
        case active = 0
        /// Tabs are connected, none of them in front.
        case inactive = 1
        /// No tab is connected.
        case background = 2
    }

    /// The app.
    public static let shared = UIApplication()

    /// Posted when the app has started.
    public nonisolated static let didFinishLaunchingNotification = NSNotification.Name(
        "UIApplicationDidFinishLaunchingNotification"
    )
    /// Posted when a tab shows the app.
    public nonisolated static let didBecomeActiveNotification = NSNotification.Name(
        "UIApplicationDidBecomeActiveNotification"
    )
    /// Posted when no tab will be in front.
    public nonisolated static let willResignActiveNotification = NSNotification.Name(
        "UIApplicationWillResignActiveNotification"
    )
    /// Posted when the last tab has gone.
    public nonisolated static let didEnterBackgroundNotification = NSNotification.Name(
        "UIApplicationDidEnterBackgroundNotification"
    )
    /// Posted when a first tab comes.
    public nonisolated static let willEnterForegroundNotification = NSNotification.Name(
        "UIApplicationWillEnterForegroundNotification"
    )
    /// Posted when the process was told to end, before documents are closed.
    public nonisolated static let willTerminateNotification = NSNotification.Name(
        "UIApplicationWillTerminateNotification"
    )

    /// The app's own object that is told of all this.
    open weak var delegate: (any UIApplicationDelegate)?

    /// Whether anyone sees the app.
    public internal(set) var applicationState = State.background

    /// The scenes that have a window now: one for each tab, also for one that was cut off a moment ago.
    public var connectedScenes: Set<UIScene> { Set(SceneSessions.all.compactMap(\.scene)) }

    /// The sessions of those scenes.
    public var openSessions: Set<UISceneSession> { Set(SceneSessions.all) }

    override init() { super.init() }

    /// The delegate, where it is a responder.
    open override var next: UIResponder? { delegate as? UIResponder }
}

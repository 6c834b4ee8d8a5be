internal import DocumentFoundation
internal import Foundation
internal import WebHost

/// The tabs that are connected, or were a moment ago, and the scenes they show.
@MainActor
enum SceneSessions {
    /// Seconds that a scene outlives its tab's connection: time enough to reload, or to find the network again.
    static var graceSeconds: TimeInterval = 30

    private static var sessions: [String: UISceneSession] = [:]
    private static var preparedSession: UISceneSession?
    /// Whether a tab has connected since the process started.
    private static var hasHadTab = false
    private static var departures: [String: Int] = [:]
    private static var departuresCounted = 0

    /// A scene that a person looks at.
    static var front: UIWindowScene? {
        all.compactMap { $0.tabSession?.scene }.first { $0.activationState == .foregroundActive }
    }

    /// All sessions with a scene.
    static var all: [UISceneSession] { Array(sessions.values) }

    /// Whose documents a tab's browser shows; nil for a tab without one.
    static func location(shownBy tab: String) -> BrowserLocation? {
        let root = sessions[tab]?.tabSession?.window?.rootViewController
        return (root?.contentViewController as? UIDocumentBrowserViewController)?.model.location
    }

    // MARK: Tabs come and go

    static func connected(_ tab: WebTab) {
        departures[tab.id] = nil
        let session = sessions[tab.id] ?? begin(tab.id)
        hasHadTab = true
        sessions[tab.id] = session
        guard let tabSession = session.tabSession else { return }
        let isComing = tabSession.scene.activationState == .background
        if isComing { enterForeground(tabSession.scene) }
        tabSession.connect(tab)
        activate(tabSession.scene)
        updateApplicationState()
    }

    static func disconnected(_ tab: WebTab) {
        guard let tabSession = sessions[tab.id]?.tabSession, tabSession.tab === tab else { return }
        tabSession.disconnect()
        enterBackground(tabSession.scene)
        updateApplicationState()
        departuresCounted += 1
        let number = departuresCounted
        departures[tab.id] = number
        DispatchQueue.main.asyncAfter(deadline: .now() + graceSeconds) {
            MainActor.assumeIsolated { forget(tab.id, departure: number) }
        }
    }

    static func received(_ text: String, from tab: WebTab) {
        sessions[tab.id]?.tabSession?.received(text)
    }

    static func visibilityChanged(_ tabSession: TabSession) {
        if tabSession.isVisible {
            if tabSession.scene.activationState == .background { enterForeground(tabSession.scene) }
            activate(tabSession.scene)
        } else {
            enterBackground(tabSession.scene)
        }
        updateApplicationState()
    }

    private static func forget(_ identifier: String, departure number: Int) {
        guard departures[identifier] == number, let session = sessions[identifier] else { return }
        departures[identifier] = nil
        sessions[identifier] = nil
        AppHost.current?.dropUploads(of: identifier)
        disconnect(session)
    }

    /// A scene for a tab that has none: with what the tab showed when the process was here last, or, for the
    /// first tab of all, with what was shown last.
    private static func begin(_ identifier: String) -> UISceneSession {
        guard let keeper = StateKeeper.current, keeper.knows(identifier) else {
            if !OpenedURLs.isEmpty {
                // What was prepared knows nothing of them.
                if let prepared = takePrepared(for: identifier) { disconnect(prepared) }
                return make(identifier, restoring: nil, opening: OpenedURLs.take())
            }
            return takePrepared(for: identifier) ?? make(identifier, restoring: hasHadTab ? nil : lastTab)
        }
        if preparedSession?.restored == identifier, let session = takePrepared(for: identifier) {
            return session
        }
        // What was prepared for the first tab of all shows another tab's scene, or nothing yet.
        if let prepared = preparedSession, prepared.restored != nil {
            preparedSession = nil
            disconnect(prepared)
        }
        return make(identifier, restoring: identifier)
    }

    /// The tab of an earlier process that was in use last.
    private static var lastTab: String? { StateKeeper.current?.latest }

    // MARK: Scenes begin and end

    /// A scene for the next tab that connects: the page is drawn from it before the tab is there.
    static func prepared() -> TabSession {
        if let tabSession = preparedSession?.tabSession { return tabSession }
        // Who asked for a document does not want to see another one first.
        let session = make(UUID().uuidString, restoring: hasHadTab || !OpenedURLs.isEmpty ? nil : lastTab)
        preparedSession = session
        guard let tabSession = session.tabSession else {
            preconditionFailure("a session is made with a scene")
        }
        return tabSession
    }

    private static func takePrepared(for identifier: String) -> UISceneSession? {
        guard let session = preparedSession else { return nil }
        preparedSession = nil
        session.persistentIdentifier = identifier
        return session
    }

    /// - Parameters:
    ///   - origin: The tab whose state the scene gets; nil for none.
    ///   - contexts: What it is to open.
    private static func make(
        _ identifier: String,
        restoring origin: String?,
        opening contexts: Set<UIOpenURLContext> = []
    ) -> UISceneSession {
        let session = UISceneSession(identifier: identifier, role: .windowApplication)
        let state = origin.flatMap { StateKeeper.current?.beginRestoring($0) }
        session.stateRestorationActivity = state?.activity.flatMap(NSUserActivity.unarchived)
        connect(session, opening: contexts)
        if let state {
            (session.restored, session.restoring) = (origin, origin)
            SceneRestoration.apply(state, to: session)
            StateKeeper.current?.settleSoon(session)
        }
        if let scene = session.scene {
            scene.activationState = .foregroundInactive
            scene.delegate?.sceneWillEnterForeground(scene)
        }
        return session
    }

    private static func connect(_ session: UISceneSession, opening contexts: Set<UIOpenURLContext>) {
        let application = UIApplication.shared
        var options = UIScene.ConnectionOptions()
        options.urlContexts = contexts
        if let delegate = application.delegate {
            session.configuration = delegate.application(
                application,
                configurationForConnecting: session,
                options: options
            )
        }
        let scene = UIWindowScene(session: session, connectionOptions: options)
        session.scene = scene
        session.tabSession = TabSession(session: session, scene: scene)
        NotificationCenter.default.post(name: UIScene.willConnectNotification, object: scene)
        if let type = session.configuration.delegateClass as? NSObject.Type {
            guard let delegate = DynamicInit.make(type) as? any UISceneDelegate else {
                preconditionFailure("\(type) cannot be made, or does not conform to UISceneDelegate")
            }
            scene.delegate = delegate
            delegate.scene(scene, willConnectTo: session, options: options)
        }
        OpenedURLs.connected(scene, contexts)
    }

    private static func disconnect(_ session: UISceneSession) {
        guard let tabSession = session.tabSession else { return }
        let scene = tabSession.scene
        scene.windows.forEach { $0.close() }
        scene.activationState = .unattached
        scene.delegate?.sceneDidDisconnect(scene)
        UIApplication.shared.delegate?.application(UIApplication.shared, didDiscardSceneSessions: [session])
        session.tabSession = nil
        // An app that had asked for more time does not say any more that it has had it.
        if session.restoring != nil { StateKeeper.current?.settleSoon(session) }
    }

    private static func activate(_ scene: UIWindowScene) {
        defer { OpenedURLs.deliver(to: scene) }
        guard scene.activationState != .foregroundActive else { return }
        scene.activationState = .foregroundActive
        scene.delegate?.sceneDidBecomeActive(scene)
    }

    private static func enterForeground(_ scene: UIWindowScene) {
        scene.activationState = .foregroundInactive
        scene.delegate?.sceneWillEnterForeground(scene)
    }

    /// A hidden tab may never come back: what is unsaved is saved now.
    private static func enterBackground(_ scene: UIWindowScene) {
        guard scene.activationState != .background else { return }
        if scene.activationState == .foregroundActive { scene.delegate?.sceneWillResignActive(scene) }
        scene.activationState = .background
        scene.delegate?.sceneDidEnterBackground(scene)
        OpenDocuments.autosave()
        StateKeeper.current?.look()
    }

    // MARK: The app as a whole

    private static func updateApplicationState() {
        let application = UIApplication.shared
        let states = all.compactMap { $0.tabSession?.scene.activationState }
        let state: UIApplication.State =
            if states.contains(.foregroundActive) { .active } else if states.contains(.foregroundInactive) {
                .inactive
            } else { .background }
        let before = application.applicationState
        guard state != before else { return }
        application.applicationState = state
        announce(before, state, application)
    }

    private static func announce(
        _ before: UIApplication.State,
        _ state: UIApplication.State,
        _ application: UIApplication
    ) {
        let delegate = application.delegate
        func post(_ name: Notification.Name) {
            NotificationCenter.default.post(name: name, object: application)
        }
        if before == .background {
            delegate?.applicationWillEnterForeground(application)
            post(UIApplication.willEnterForegroundNotification)
        }
        if before == .active {
            delegate?.applicationWillResignActive(application)
            post(UIApplication.willResignActiveNotification)
        }
        if state == .active {
            delegate?.applicationDidBecomeActive(application)
            post(UIApplication.didBecomeActiveNotification)
        }
        if state == .background {
            delegate?.applicationDidEnterBackground(application)
            post(UIApplication.didEnterBackgroundNotification)
        }
    }
}

import Foundation
import Testing

@testable import UIKit

@MainActor
private enum Story {
    static let journal = Journal()
    static var disconnected: (() -> Void)?
}

private final class StoryDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        configurationForConnecting session: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        Story.journal.note("app configures")
        let configuration = UISceneConfiguration(name: nil, sessionRole: session.role)
        configuration.delegateClass = StoryScene.self
        return configuration
    }
    func application(_ application: UIApplication, didDiscardSceneSessions sessions: Set<UISceneSession>) {
        Story.journal.note("app discards \(sessions.count)")
        Story.disconnected?()
    }
    func applicationWillEnterForeground(_ application: UIApplication) { Story.journal.note("app comes") }
    func applicationDidBecomeActive(_ application: UIApplication) { Story.journal.note("app active") }
    func applicationWillResignActive(_ application: UIApplication) { Story.journal.note("app resigns") }
    func applicationDidEnterBackground(_ application: UIApplication) { Story.journal.note("app goes") }
}

private final class StoryScene: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let scene = scene as? UIWindowScene else { return }
        Story.journal.note("connects \(scene.activationState)")
        let window = UIWindow(windowScene: scene)
        window.rootViewController = NotingController("root", Story.journal)
        self.window = window
    }
    func sceneWillEnterForeground(_ scene: UIScene) { Story.journal.note("comes \(scene.activationState)") }
    func sceneDidBecomeActive(_ scene: UIScene) { Story.journal.note("active \(scene.activationState)") }
    func sceneWillResignActive(_ scene: UIScene) { Story.journal.note("resigns") }
    func sceneDidEnterBackground(_ scene: UIScene) { Story.journal.note("goes \(scene.activationState)") }
    func sceneDidDisconnect(_ scene: UIScene) { Story.journal.note("ends \(scene.activationState)") }
}

/// Each story has a process of its own: the app, its sessions and its open documents are one for a process.
@Suite("SceneSessions")
@MainActor
struct SceneSessionsTests {
    private static let delegate = StoryDelegate()

    private static let coming = [
        "comes foregroundInactive", "active foregroundActive", "app comes", "app active",
    ]
    private static let going = ["resigns", "goes background", "app resigns", "app goes"]

    /// The app with one tab that has connected.
    private static func begin() throws -> FakeTab {
        UIApplication.shared.delegate = delegate
        let tab = try FakeTab()
        SceneSessions.connected(tab.tab)
        return tab
    }

    private static func send(_ text: String, from tab: FakeTab) {
        SceneSessions.received(text, from: tab.tab)
    }

    private static let hidden = #"{"type":"visible","visible":false}"#
    private static let visible = #"{"type":"visible","visible":true}"#

    @Test(
        "The first tab: the app configures its scene, which connects, comes, and is active; then the app is"
    )
    func connect() async {
        await #expect(processExitsWith: .success) { @MainActor in
            #expect(UIApplication.shared.applicationState == .background)
            let tab = try Self.begin()
            #expect(Story.journal.take() == ["app configures", "connects unattached"] + Self.coming)
            #expect(UIApplication.shared.applicationState == .active)
            let session = try #require(UIApplication.shared.openSessions.first)
            #expect(session.persistentIdentifier == tab.id)
            #expect(UIApplication.shared.connectedScenes == [try #require(session.scene)])
            #expect(try tab.take().map { $0["type"] as? String } == ["hello"])
        }
    }

    @Test("A tab that is hidden goes to the background, once, and comes back when it is shown")
    func hide() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let tab = try Self.begin()
            _ = Story.journal.take()
            Self.send(Self.visible, from: tab)
            #expect(Story.journal.take().isEmpty)
            Self.send(Self.hidden, from: tab)
            Self.send(Self.hidden, from: tab)
            #expect(Story.journal.take() == Self.going)
            Self.send(Self.visible, from: tab)
            #expect(Story.journal.take() == Self.coming)
        }
    }

    @Test("A tab that reloads has the same scene; it went and came meanwhile")
    func reload() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let tab = try Self.begin()
            let session = try #require(UIApplication.shared.openSessions.first)
            _ = Story.journal.take()
            SceneSessions.disconnected(tab.tab)
            #expect(Story.journal.take() == Self.going)
            #expect(UIApplication.shared.openSessions == [session])
            let again = try FakeTab(id: tab.id)
            SceneSessions.connected(again.tab)
            #expect(Story.journal.take() == Self.coming)
            #expect(UIApplication.shared.openSessions == [session])
            #expect(try again.take().map { $0["type"] as? String } == ["hello"])
        }
    }

    @Test("A tab that comes back hidden is in the background, also when it was before")
    func reloadHidden() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let tab = try Self.begin()
            Self.send(Self.hidden, from: tab)
            SceneSessions.disconnected(tab.tab)
            let again = try FakeTab(id: tab.id)
            SceneSessions.connected(again.tab)
            _ = Story.journal.take()
            Self.send(Self.hidden, from: again)
            #expect(Story.journal.take() == Self.going)
            #expect(UIApplication.shared.applicationState == .background)
        }
    }

    @Test("The end of a connection that has been replaced is no end of the tab")
    func replaced() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let tab = try Self.begin()
            let again = try FakeTab(id: tab.id)
            SceneSessions.connected(again.tab)
            _ = Story.journal.take()
            SceneSessions.disconnected(tab.tab)
            #expect(Story.journal.take().isEmpty)
            #expect(UIApplication.shared.applicationState == .active)
        }
    }

    @Test("With two tabs the app is active as long as one is")
    func twoTabs() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let one = try Self.begin()
            let other = try FakeTab()
            SceneSessions.connected(other.tab)
            #expect(UIApplication.shared.connectedScenes.count == 2)
            _ = Story.journal.take()
            Self.send(Self.hidden, from: one)
            #expect(Story.journal.take() == ["resigns", "goes background"])
            SceneSessions.disconnected(other.tab)
            #expect(Story.journal.take() == Self.going)
        }
    }

    @Test("A tab that stays away is gone for good: its scene is taken down and its session discarded")
    func forget() async {
        await #expect(processExitsWith: .success) { @MainActor in
            SceneSessions.graceSeconds = 0
            let tab = try Self.begin()
            let scene = try #require(UIApplication.shared.connectedScenes.first as? UIWindowScene)
            scene.windows[0].makeKeyAndVisible()
            _ = Story.journal.take()
            SceneSessions.disconnected(tab.tab)
            await withCheckedContinuation { continuation in Story.disconnected = { continuation.resume() } }
            #expect(
                Story.journal.take() == Self.going
                    + ["root willGo", "root gone", "ends unattached", "app discards 1"]
            )
            #expect(UIApplication.shared.openSessions.isEmpty)
            SceneSessions.received(Self.visible, from: tab.tab)
            SceneSessions.disconnected(tab.tab)
            #expect(Story.journal.take().isEmpty)
        }
    }

    @Test("The scene that the first page was drawn from is the next new tab's, and nobody else's")
    func prepared() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let first = try Self.begin()
            let prepared = SceneSessions.prepared()
            #expect(SceneSessions.prepared() === prepared)
            #expect(UIApplication.shared.openSessions.count == 1)
            SceneSessions.connected(try FakeTab(id: first.id).tab)
            #expect(prepared.tab == nil)
            let second = try FakeTab()
            SceneSessions.connected(second.tab)
            #expect(prepared.tab === second.tab)
            #expect(prepared.session.persistentIdentifier == second.id)
            #expect(SceneSessions.prepared() !== prepared)
        }
    }

    @Test("The first page is drawn from a prepared scene")
    func firstPage() async {
        await #expect(processExitsWith: .success) { @MainActor in
            UIApplication.shared.delegate = Self.delegate
            let page = try await FirstPage.make(proofKey: "0f")
            #expect(page.contains(#"<script type="application/json" id="first">"#))
            #expect(!page.contains("<!--SHEAF-FIRST-->"))
            #expect(
                page.contains(SceneSessions.prepared().window?.rootViewController?.pageIdentifier ?? "none")
            )
        }
    }
}

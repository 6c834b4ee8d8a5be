import Foundation
import TestFolders
import Testing

@testable import UIKit

@MainActor
private enum Told {
    static let journal = Journal()

    static func names(_ contexts: Set<UIOpenURLContext>) -> String {
        contexts.map { "\($0.url.lastPathComponent)\($0.options.openInPlace ? "" : " copied")" }.sorted()
            .joined(separator: " ")
    }
}

private final class SceneApp: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        configurationForConnecting session: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(name: nil, sessionRole: session.role)
        configuration.delegateClass = OpeningScene.self
        return configuration
    }

    func application(
        _ app: UIApplication,
        open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        Told.journal.note("app opens \(url.lastPathComponent)")
        return true
    }
}

private final class OpeningScene: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        Told.journal.note("connects for \(Told.names(connectionOptions.urlContexts))")
    }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        Told.journal.note("opens \(Told.names(URLContexts)) \(scene.activationState)")
    }

    func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity) {
        Told.journal.note("restores")
    }
}

/// An app of the time before scenes: its window is there from the start.
private final class WindowApp: UIResponder, UIApplicationDelegate {
    var window: UIWindow? = UIWindow(frame: .zero)

    func application(
        _ app: UIApplication,
        open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        Told.journal.note("app opens \(url.lastPathComponent) \(options[.openInPlace] as? Bool ?? false)")
        return true
    }
}

/// Documents that come from outside. Each story has a process of its own: the app is one for a process.
@Suite("Opened URLs")
@MainActor
struct OpenedURLsTests {
    private static let sceneApp = SceneApp()
    private static let windowApp = WindowApp()

    private static let folder = Result { try TestFolder("opened") }

    private static func file(_ name: String) throws -> URL {
        let url = try folder.get().url.appendingPathComponent(name)
        try Data().write(to: url)
        return url
    }

    private static func begin() throws -> FakeTab {
        UIApplication.shared.delegate = sceneApp
        let tab = try FakeTab()
        SceneSessions.connected(tab.tab)
        return tab
    }

    private static func take() -> [String] { Told.journal.take() }

    @Test("What an app was started with comes with the first tab's connection, and access to it is granted")
    func first() async {
        await #expect(processExitsWith: .success) { @MainActor in
            UIApplication.shared.delegate = Self.sceneApp
            let url = try Self.file("a")
            #expect(try !OpenedURLs.open([url, Self.file("b")]))
            #expect(url.startAccessingSecurityScopedResource())
            url.stopAccessingSecurityScopedResource()
            // The page is drawn from a scene that is not the one.
            _ = SceneSessions.prepared()
            #expect(Self.take() == ["connects for "])
            _ = try Self.begin()
            #expect(Self.take() == ["connects for a b"])
            _ = try Self.begin()
            #expect(Self.take() == ["connects for "])
        }
    }

    @Test("A tab in front gets it at once; one that is hidden when it is shown")
    func connected() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let tab = try Self.begin()
            #expect(try OpenedURLs.open([Self.file("a")]))
            #expect(Self.take() == ["connects for ", "opens a foregroundActive"])
            SceneSessions.received(#"{"type":"visible","visible":false}"#, from: tab.tab)
            #expect(try !OpenedURLs.open([Self.file("b")]))
            #expect(Self.take().isEmpty)
            SceneSessions.received(#"{"type":"visible","visible":true}"#, from: tab.tab)
            #expect(Self.take() == ["opens b foregroundActive"])
            SceneSessions.received(#"{"type":"visible","visible":false}"#, from: tab.tab)
            SceneSessions.received(#"{"type":"visible","visible":true}"#, from: tab.tab)
            #expect(Self.take().isEmpty)
        }
    }

    /// A start of the app after one in which a tab was open.
    private static func restart() throws -> (tab: String, file: StateFile) {
        UIApplication.shared.delegate = sceneApp
        let file = StateFile(in: FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())"))
        let tab = String(repeating: "a", count: 32)
        var sessions = SavedSessions()
        let activity = try NSUserActivity(activityType: "editing").archived()
        sessions.put(RestorationState(activity: activity), for: tab)
        file.saveNow(sessions)
        StateKeeper.current = StateKeeper(file)
        return (tab, file)
    }

    private static func end(_ file: StateFile) throws {
        file.flush()
        try FileManager.default.removeItem(at: file.folder)
    }

    @Test("A new tab that comes for a document does not show another one first")
    func newTab() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let (_, file) = try Self.restart()
            OpenedURLs.open([try Self.file("a")])
            _ = SceneSessions.prepared()
            _ = try Self.begin()
            #expect(Self.take() == ["connects for ", "connects for a"])
            try Self.end(file)
        }
    }

    @Test("A tab that comes back is as it was, and then opens the document")
    func knownTab() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let (tab, file) = try Self.restart()
            OpenedURLs.open([try Self.file("a")])
            SceneSessions.connected(try FakeTab(id: tab).tab)
            #expect(Self.take() == ["connects for ", "restores", "opens a foregroundActive"])
            try Self.end(file)
        }
    }

    @Test("An app without scenes is told by its delegate")
    func withoutScenes() async {
        await #expect(processExitsWith: .success) { @MainActor in
            UIApplication.shared.delegate = Self.windowApp
            let url = try Self.file("a")
            #expect(OpenedURLs.open([url]))
            #expect(Self.take() == ["app opens a true"])
        }
    }
}

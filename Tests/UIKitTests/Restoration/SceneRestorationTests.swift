import DocumentFoundation
import Foundation
import Testing

@testable import UIKit

@MainActor
private enum Story {
    static let journal = Journal()
    /// What the scenes show now, for the next look.
    static var shown: String?
    static var asksForTime = false
    /// Whether view controllers are asked for their state.
    static var savesViews = false
    static var saveQuestionCount = 0
    /// The activity that scenes give, instead of what is shown.
    static var activity: NSUserActivity?
    static var now = Date(timeIntervalSince1970: 1_700_000_000)
}

private final class StoryDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        configurationForConnecting session: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(name: nil, sessionRole: session.role)
        configuration.delegateClass = StoryScene.self
        return configuration
    }
    func application(_ application: UIApplication, shouldSaveApplicationState coder: NSCoder) -> Bool {
        Story.saveQuestionCount += 1
        return Story.savesViews
    }
}

/// Brings an activity up to date.
private final class StoryActivities: NSObject, NSUserActivityDelegate {
    func userActivityWillSave(_ userActivity: NSUserActivity) {
        MainActor.assumeIsolated { Story.journal.note("will save") }
        userActivity.title = "land"
    }
}

private final class StoryScene: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let scene = scene as? UIWindowScene else { return }
        Story.journal.note("connects with \(session.stateRestorationActivity?.title ?? "nothing")")
        window = UIWindow(windowScene: scene)
        window?.rootViewController = UIViewController()
    }
    func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity) {
        Story.journal.note("restores \(stateRestorationActivity.title ?? "nothing")")
        if Story.asksForTime { scene.extendStateRestoration() }
    }
    func sceneWillEnterForeground(_ scene: UIScene) { Story.journal.note("comes") }
    func sceneDidDisconnect(_ scene: UIScene) { Story.journal.note("ends") }
    func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity) {
        Story.journal.note("updated \(userActivity.title ?? "nothing")")
        userActivity.addUserInfoEntries(from: ["line": 7])
    }
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        if let activity = Story.activity { return activity }
        guard let shown = Story.shown else { return nil }
        return SceneRestorationTests.activity(shown)
    }
}

/// Each story has a process of its own: the app and its sessions are one for a process.
@Suite("Scene restoration")
@MainActor
struct SceneRestorationTests {
    private static let delegate = StoryDelegate()

    static func activity(_ title: String) -> NSUserActivity {
        let activity = NSUserActivity(activityType: "org.sheaf.test")
        activity.title = title
        return activity
    }

    /// An app that starts with these tabs' states from before, the latest last.
    private static func start(
        _ states: (tab: String, title: String)...,
        interrupted: String? = nil
    ) throws -> StateFile {
        UIApplication.shared.delegate = delegate
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let file = StateFile(in: folder)
        var sessions = SavedSessions()
        for state in states {
            let archive = try activity(state.title).archived()
            sessions.put(RestorationState(activity: archive), for: state.tab)
        }
        if let interrupted { _ = sessions.beginRestoring(interrupted) }
        file.saveNow(sessions)
        StateKeeper.current = StateKeeper(file) { Story.now }
        return file
    }

    private static func end(_ file: StateFile) throws {
        file.flush()
        try FileManager.default.removeItem(at: file.folder)
    }

    private static let (first, second) = (
        String(repeating: "a", count: 32), String(repeating: "b", count: 32)
    )

    private static func connect(_ id: String = FakeTab.newID()) throws {
        SceneSessions.connected(try FakeTab(id: id).tab)
    }

    @Test("A tab that comes back gets its own state: when it connects, then to restore, then it comes")
    func comesBack() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try Self.start((Self.first, "sea"), (Self.second, "sky"))
            try Self.connect(Self.first)
            #expect(Story.journal.take() == ["connects with sea", "restores sea", "comes"])
            try Self.connect(Self.second)
            #expect(Story.journal.take() == ["connects with sky", "restores sky", "comes"])
            try Self.end(file)
        }
    }

    @Test("The first new tab of a process shows what was shown last; the next ones begin anew")
    func firstNewTab() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try Self.start((Self.first, "sea"), (Self.second, "sky"))
            try Self.connect()
            #expect(Story.journal.take() == ["connects with sky", "restores sky", "comes"])
            try Self.connect()
            #expect(Story.journal.take() == ["connects with nothing", "comes"])
            try Self.connect(Self.second)
            #expect(Story.journal.take() == ["connects with sky", "restores sky", "comes"])
            try Self.end(file)
        }
    }

    @Test("A reloaded tab takes the scene that its page was drawn from; another tab's is taken down")
    func prepared() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try Self.start((Self.first, "sea"), (Self.second, "sky"))
            let prepared = SceneSessions.prepared()
            #expect(Story.journal.take() == ["connects with sky", "restores sky", "comes"])
            try Self.connect(Self.first)
            #expect(Story.journal.take() == ["ends", "connects with sea", "restores sea", "comes"])
            #expect(prepared.session.tabSession == nil)
            try Self.end(file)
        }
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try Self.start((Self.second, "sky"))
            let prepared = SceneSessions.prepared()
            _ = Story.journal.take()
            try Self.connect(Self.second)
            #expect(Story.journal.take() == [])
            #expect(prepared.session.persistentIdentifier == Self.second)
            try Self.end(file)
        }
    }

    @Test("What a process ended over is not restored again, and what others showed is")
    func interrupted() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try Self.start((Self.first, "sea"), (Self.second, "sky"), interrupted: Self.second)
            try Self.connect(Self.second)
            #expect(Story.journal.take() == ["connects with sea", "restores sea", "comes"])
            try Self.end(file)
        }
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try Self.start((Self.first, "sea"), interrupted: Self.first)
            try Self.connect(Self.first)
            #expect(Story.journal.take() == ["connects with nothing", "comes"])
            try Self.end(file)
        }
    }

    @Test("On disk a state is being restored until the scene has lived for a while, longer when asked for")
    func settles() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try Self.start((Self.first, "sea"))
            let keeper = try #require(StateKeeper.current)
            Story.asksForTime = true
            Story.shown = "land"
            try Self.connect(Self.first)
            #expect(file.load().entries.map(\.isRestoring) == [true])
            let session = try #require(UIApplication.shared.openSessions.first)
            keeper.settle(session)
            keeper.look()
            file.flush()
            #expect(file.load().entries.map(\.isRestoring) == [true])
            session.scene?.completeStateRestoration()
            keeper.settle(session)
            file.flush()
            let entry = try #require(file.load().entries.first)
            #expect(!entry.isRestoring)
            #expect(entry.state.activity.flatMap(NSUserActivity.unarchived)?.title == "land")
            try Self.end(file)
        }
    }

    @Test(
        "What was given to a scene that was taken down meanwhile is not taken for what a process ended over"
    )
    func takenDown() async {
        await #expect(processExitsWith: .success) { @MainActor in
            StateKeeper.settlingSeconds = 0
            let file = try Self.start((Self.first, "sea"), (Self.second, "sky"))
            _ = SceneSessions.prepared()
            try Self.connect(Self.first)
            func isSettled() -> Bool {
                file.flush()
                return file.load().entries.allSatisfy { !$0.isRestoring }
            }
            var lookCount = 0
            while !isSettled(), lookCount < 10_000 {
                lookCount += 1
                await Task.yield()
            }
            #expect(isSettled())
            #expect(file.load().knows(Self.second))
            try Self.end(file)
        }
    }

    @Test("A process that is asked to end while it gives a state back has not ended over it")
    func askedToEnd() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try Self.start((Self.first, "sea"))
            try Self.connect(Self.first)
            StateKeeper.current?.finish()
            StateKeeper.current = StateKeeper(file)
            #expect(StateKeeper.current?.knows(Self.first) == true)
            try Self.end(file)
        }
    }

    @Test("What a scene shows is kept when it goes to the background, and at the end")
    func keeps() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try Self.start()
            let tab = try FakeTab()
            SceneSessions.connected(tab.tab)
            Story.shown = "sea"
            SceneSessions.received(#"{"type":"visible","visible":false}"#, from: tab.tab)
            file.flush()
            func kept() -> [String?] {
                file.load().entries.map { $0.state.activity.flatMap(NSUserActivity.unarchived)?.title }
            }
            #expect(kept() == ["sea"])
            let session = try #require(UIApplication.shared.openSessions.first)
            #expect(session.stateRestorationActivity?.title == "sea")
            Story.shown = "sky"
            StateKeeper.current?.finish()
            #expect(kept() == ["sky"])
            #expect(StateKeeper.current == nil)
            try Self.end(file)
        }
    }

    @Test(
        "An activity that is to be saved is brought up to date by its delegate, then by the scene's, and kept so"
    )
    func updated() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try Self.start()
            try Self.connect()
            let activities = StoryActivities()
            let activity = Self.activity("sea")
            activity.delegate = activities
            Story.activity = activity
            _ = Story.journal.take()
            StateKeeper.current?.look()
            #expect(Story.journal.take() == [])
            activity.needsSave = true
            for _ in 0..<2 { StateKeeper.current?.look() }
            #expect(Story.journal.take() == ["will save", "updated land"])
            file.flush()
            let kept = file.load().entries.first?.state.activity.flatMap(NSUserActivity.unarchived)
            #expect(kept?.title == "land" && kept?.userInfo?["line"] as? Int == 7)
            try Self.end(file)
        }
    }

    @Test("A scene that shows what it showed keeps the state that is known, bytes and all")
    func unchanged() async {
        await #expect(processExitsWith: .success) { @MainActor in
            Story.savesViews = true
            let file = try Self.start()
            try Self.connect()
            let session = try #require(UIApplication.shared.openSessions.first)
            let known = try #require(SceneRestoration.capture(session, after: nil, at: Story.now))
            for seconds in 1...10 {
                let now = Story.now + Double(seconds)
                #expect(SceneRestoration.capture(session, after: known, at: now) == known)
                #expect(SceneRestoration.capture(session, after: nil, at: now) != known)
            }
            try Self.end(file)
        }
    }

    @Test("At each look the app's delegate is asked once, whether the state is another or not")
    func askedOnce() async {
        await #expect(processExitsWith: .success) { @MainActor in
            Story.savesViews = true
            let file = try Self.start()
            try Self.connect()
            for shown in ["sea", "sea", "sky"] {
                (Story.now, Story.shown, Story.saveQuestionCount) = (Story.now + 1, shown, 0)
                StateKeeper.current?.look()
                #expect(Story.saveQuestionCount == 1, "\(shown)")
            }
            try Self.end(file)
        }
    }

    @Test("A state says when it was kept: when it became what it is, not when it was looked at last")
    func keptAt() async {
        await #expect(processExitsWith: .success) { @MainActor in
            Story.savesViews = true
            let file = try Self.start()
            try Self.connect()
            let begin = Story.now
            Story.shown = "sea"
            var dates: [Date?] = []
            for (seconds, shown) in [(1.0, "sea"), (2, "sea"), (3, "sky")] {
                (Story.now, Story.shown) = (begin + seconds, shown)
                StateKeeper.current?.look()
                file.flush()
                let data = try #require(file.load().entries.first?.state.archive?.application)
                let coder = try NSKeyedUnarchiver(forReadingFrom: data)
                let key = UIApplication.stateRestorationTimestampKey
                dates.append(coder.decodeObject(of: NSDate.self, forKey: key) as Date?)
            }
            #expect(dates == [begin + 1, begin + 1, begin + 3])
            try Self.end(file)
        }
    }
}

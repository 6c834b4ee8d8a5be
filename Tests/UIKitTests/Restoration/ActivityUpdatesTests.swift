import DocumentFoundation
import Foundation
import Testing

@testable import UIKit

@MainActor
private enum Story {
    static let journal = Journal()
}

/// An app that is told of what its scenes' delegates are not.
private final class UpdatedDelegate: UIResponder, UIApplicationDelegate {
    func application(_ application: UIApplication, didUpdate userActivity: NSUserActivity) {
        Story.journal.note("app \(userActivity.title ?? "nothing")")
    }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        Story.journal.note("no notifications: \((error as? CocoaError)?.code == .featureUnsupported)")
    }
}

private final class UpdatedScene: UIResponder, UISceneDelegate {
    func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity) {
        Story.journal.note("scene \(userActivity.title ?? "nothing")")
    }
}

/// Puts its name into its activity.
private final class UpdatedController: UIViewController {
    override func updateUserActivityState(_ activity: NSUserActivity) {
        super.updateUserActivityState(activity)
        Story.journal.note("\(title ?? "nobody") puts in")
        activity.title = (activity.title ?? "") + (title ?? "")
    }
}

private final class SavedActivities: NSObject, NSUserActivityDelegate {
    func userActivityWillSave(_ userActivity: NSUserActivity) {
        MainActor.assumeIsolated { Story.journal.note("will save") }
    }
}

/// Each story has a process of its own: the app's delegate is one for a process.
@Suite("Updates of activities")
@MainActor
struct ActivityUpdatesTests {
    private static let delegate = UpdatedDelegate()

    private static func controller(_ title: String, _ activity: NSUserActivity?) -> UpdatedController {
        let controller = UpdatedController()
        controller.title = title
        controller.userActivity = activity
        return controller
    }

    /// One over another, both doing the same, and a third that does nothing.
    private static func begin(_ activity: NSUserActivity) throws -> Stage {
        UIApplication.shared.delegate = delegate
        let stage = try Stage(controller("a", activity))
        stage.window.rootViewController?.present(controller("b", activity), animated: false)
        stage.window.rootViewController?.presentedViewController?.present(
            controller("c", nil),
            animated: false
        )
        return stage
    }

    private static func look(_ stage: Stage) {
        _ = SceneRestoration.capture(stage.session, after: nil, at: Date(timeIntervalSince1970: 0))
    }

    @Test(
        "Whoever has it puts something in, then its delegate does, then the app's is told where the scene has none"
    )
    func application() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let (activity, activities) = (NSUserActivity(activityType: "org.sheaf.test"), SavedActivities())
            activity.delegate = activities
            let stage = try Self.begin(activity)
            Self.look(stage)
            #expect(Story.journal.take() == [])
            activity.needsSave = true
            for _ in 0..<2 { Self.look(stage) }
            #expect(Story.journal.take() == ["a puts in", "b puts in", "will save", "app ab"])
        }
    }

    @Test("Where the scene has a delegate, that one is told, and the app's is not")
    func scene() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let activity = NSUserActivity(activityType: "org.sheaf.test")
            let stage = try Self.begin(activity)
            let scene = UpdatedScene()
            stage.scene.delegate = scene
            activity.needsSave = true
            Self.look(stage)
            #expect(Story.journal.take() == ["a puts in", "b puts in", "scene ab"])
        }
    }

    @Test("Who asks for notifications from a server is told that there are none, after the call")
    func notifications() async {
        await #expect(processExitsWith: .success) { @MainActor in
            UIApplication.shared.delegate = Self.delegate
            UIApplication.shared.registerForRemoteNotifications()
            #expect(Story.journal.take() == [])
            await withCheckedContinuation { continuation in
                DispatchQueue.main.async { continuation.resume() }
            }
            #expect(Story.journal.take() == ["no notifications: true"])
            #expect(!UIApplication.shared.isRegisteredForRemoteNotifications)
            UIApplication.shared.unregisterForRemoteNotifications()
        }
    }
}

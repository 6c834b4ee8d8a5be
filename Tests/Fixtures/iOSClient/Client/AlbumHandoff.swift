import UIKit

/// What apps for iOS do about activities of other devices. None come on Linux; the app's own are brought up to date.
class HandoffDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    private(set) var updates = 0

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        application.registerForRemoteNotifications()
        return true
    }

    func application(
        _ application: UIApplication,
        willContinueUserActivityWithType userActivityType: String
    ) -> Bool {
        return userActivityType == RestoringScene.activityType
    }

    func application(
        _ application: UIApplication,
        continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        guard let browser = window?.rootViewController as? RestoringBrowser else { return false }
        restorationHandler([browser])
        return true
    }

    func application(
        _ application: UIApplication,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: Error
    ) {
        print("\(userActivityType) does not come: \(error)")
    }

    func application(_ application: UIApplication, didUpdate userActivity: NSUserActivity) {
        updates += 1
    }

    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: Error
    ) {
        print("no notifications: \(error)")
    }

    func application(_ application: UIApplication, didDecodeRestorableStateWith coder: NSCoder) {
        let idiom = coder.decodeObject(forKey: UIApplication.stateRestorationUserInterfaceIdiomKey)
        print("was kept on \((idiom as? NSNumber)?.intValue ?? 0)")
    }
}

class HandoffScene: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String) {
        window?.rootViewController?.title = userActivityType
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        window?.rootViewController?.restoreUserActivityState(userActivity)
    }

    func scene(
        _ scene: UIScene,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: Error
    ) {
        window?.rootViewController?.title = nil
    }

    func scene(_ scene: UIScene, didUpdate userActivity: NSUserActivity) {
        userActivity.addUserInfoEntries(from: ["scene": scene.session.persistentIdentifier])
    }
}

/// A view controller's state, read as apps do that came from a storyboard.
class StoryboardController: UIViewController {
    override func decodeRestorableState(with coder: NSCoder) {
        super.decodeRestorableState(with: coder)
        if coder.containsValue(forKey: UIApplication.stateRestorationViewControllerStoryboardKey) {
            print("came from a storyboard")
        }
    }

    override func updateUserActivityState(_ activity: NSUserActivity) {
        super.updateUserActivityState(activity)
        activity.addUserInfoEntries(from: ["page": 3])
    }
}

class ActivityStreams: NSObject, NSUserActivityDelegate {
    func userActivity(
        _ userActivity: NSUserActivity,
        didReceive inputStream: InputStream,
        outputStream: OutputStream
    ) {
        inputStream.close()
        outputStream.close()
    }

    /// What is about an album that is gone is not to be shown any more.
    static func forget(_ album: String, then done: @escaping @Sendable () -> Void) {
        NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: [album], completionHandler: done)
    }

    static func forgetAll() async {
        await NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["a", "b"])
        await NSUserActivity.deleteAllSavedUserActivities()
    }
}

import DocumentFoundation
import Foundation
import Testing

@testable import UIKit

private final class Silent: UIResponder, UIApplicationDelegate {}

private final class SilentScene: UIResponder, UISceneDelegate {}

@Suite("UIApplicationDelegate and UISceneDelegate")
@MainActor
struct UIApplicationDelegateTests {
    @Test("A delegate that says nothing goes on, has no window, and takes the Info.plist's configuration")
    func defaults() {
        let delegate: any UIApplicationDelegate = Silent()
        let application = UIApplication.shared
        #expect(delegate.window == nil)
        #expect(delegate.application(application, willFinishLaunchingWithOptions: nil))
        #expect(delegate.application(application, didFinishLaunchingWithOptions: nil))
        let session = UISceneSession(identifier: "1", role: .windowApplication)
        let options = UIScene.ConnectionOptions()
        let configuration = delegate.application(
            application,
            configurationForConnecting: session,
            options: options
        )
        #expect(configuration.name == nil)
        #expect(configuration.role == .windowApplication)
        delegate.application(application, didDiscardSceneSessions: [session])
        delegate.applicationDidBecomeActive(application)
        delegate.applicationWillResignActive(application)
        delegate.applicationDidEnterBackground(application)
        delegate.applicationWillEnterForeground(application)
        delegate.applicationWillTerminate(application)
    }

    @Test("A delegate that says nothing goes on with no activity of another device")
    func activities() {
        let delegate: any UIApplicationDelegate = Silent()
        let (application, activity) = (UIApplication.shared, NSUserActivity(activityType: "org.sheaf.test"))
        #expect(!delegate.application(application, willContinueUserActivityWithType: "org.sheaf.test"))
        #expect(
            !delegate.application(application, continue: activity) { _ in Issue.record("nobody shows it") }
        )
        let error = CocoaError(.userActivityHandoffFailed)
        delegate.application(
            application,
            didFailToContinueUserActivityWithType: "org.sheaf.test",
            error: error
        )
        delegate.application(application, didUpdate: activity)
        delegate.application(application, didFailToRegisterForRemoteNotificationsWithError: error)
        #expect(activity.userInfo == nil)
    }

    @Test("A scene's delegate that says nothing is asked in vain")
    func sceneDefaults() {
        let delegate: any UISceneDelegate = SilentScene()
        let session = UISceneSession(identifier: "1", role: .windowApplication)
        let scene = UIWindowScene(session: session, connectionOptions: UIScene.ConnectionOptions())
        delegate.scene(scene, willConnectTo: session, options: UIScene.ConnectionOptions())
        delegate.sceneWillEnterForeground(scene)
        delegate.sceneDidBecomeActive(scene)
        delegate.sceneWillResignActive(scene)
        delegate.sceneDidEnterBackground(scene)
        delegate.sceneDidDisconnect(scene)
        let activity = NSUserActivity(activityType: "org.sheaf.test")
        delegate.scene(scene, willContinueUserActivityWithType: activity.activityType)
        delegate.scene(scene, continue: activity)
        delegate.scene(
            scene,
            didFailToContinueUserActivityWithType: activity.activityType,
            error: CocoaError(.userActivityHandoffFailed)
        )
        #expect(scene.activationState == .unattached)
        #expect(scene.windows.isEmpty)
    }
}

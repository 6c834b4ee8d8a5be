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
        #expect(scene.activationState == .unattached)
        #expect(scene.windows.isEmpty)
    }
}

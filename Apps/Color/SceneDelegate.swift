import UIKit

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    private var browser: ColorBrowserViewController? {
        window?.rootViewController as? ColorBrowserViewController
    }

    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: windowScene)
        window.rootViewController = ColorBrowserViewController(forOpening: nil)
        window.makeKeyAndVisible()
        self.window = window
        open(connectionOptions.urlContexts)
    }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        open(URLContexts)
    }

    private func open(_ contexts: Set<UIOpenURLContext>) {
        guard let url = contexts.first?.url else { return }
        browser?.open(url)
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        browser?.editor?.restorationActivity
    }

    func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity) {
        browser?.restore(stateRestorationActivity)
    }
}

import UIKit

/// State restoration as apps had it before scenes: the delegate agrees, view controllers encode and decode.
class ParticlesDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(_ application: UIApplication, shouldSaveApplicationState coder: NSCoder) -> Bool {
        return true
    }

    func application(_ application: UIApplication, shouldRestoreApplicationState coder: NSCoder) -> Bool {
        return true
    }

    func application(_ application: UIApplication, shouldSaveSecureApplicationState coder: NSCoder) -> Bool {
        return true
    }

    func application(
        _ app: UIApplication,
        open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        let isInPlace = options[.openInPlace] as? Bool ?? false
        return isInPlace && url.isFileURL && options[UIApplication.OpenURLOptionsKey.sourceApplication] == nil
    }

    func application(_ application: UIApplication, willEncodeRestorableStateWith coder: NSCoder) {
        coder.encode(3, forKey: "version")
    }

    func application(_ application: UIApplication, didDecodeRestorableStateWith coder: NSCoder) {
        print("restored version \(coder.decodeInteger(forKey: "version"))")
    }

    func application(
        _ application: UIApplication,
        viewControllerWithRestorationIdentifierPath identifierComponents: [String],
        coder: NSCoder
    ) -> UIViewController? {
        return nil
    }
}

class RestoringBrowser: UIDocumentBrowserViewController, UIDocumentBrowserViewControllerDelegate {
    static let bookmarkDataKey = "bookmarkData"

    override func viewDidLoad() {
        super.viewDidLoad()
        delegate = self
        restorationIdentifier = "browser"
    }

    var editor: RestoringEditor? { presentedViewController as? RestoringEditor }

    override func encodeRestorableState(with coder: NSCoder) {
        if let documentURL = editor?.document?.fileURL {
            let didStartAccessing = documentURL.startAccessingSecurityScopedResource()
            defer {
                if didStartAccessing { documentURL.stopAccessingSecurityScopedResource() }
            }
            if didStartAccessing, let bookmarkData = try? documentURL.bookmarkData() {
                coder.encode(bookmarkData, forKey: RestoringBrowser.bookmarkDataKey)
            }
        }
        super.encodeRestorableState(with: coder)
    }

    override func decodeRestorableState(with coder: NSCoder) {
        if let bookmarkData = coder.decodeObject(forKey: RestoringBrowser.bookmarkDataKey) as? Data {
            var bookmarkDataIsStale = false
            if let documentURL = try? URL(
                resolvingBookmarkData: bookmarkData,
                bookmarkDataIsStale: &bookmarkDataIsStale
            ) {
                let document = AlbumDocument(fileURL: documentURL)
                present(RestoringEditor(document: document), animated: false)
            }
        }
        super.decodeRestorableState(with: coder)
    }

    override func applicationFinishedRestoringState() {
        super.applicationFinishedRestoringState()
    }
}

/// Makes itself again.
class RestoringEditor: UIDocumentViewController, UIViewControllerRestoration {
    override func viewDidLoad() {
        super.viewDidLoad()
        restorationIdentifier = "editor"
        restorationClass = RestoringEditor.self
    }

    static func viewController(
        withRestorationIdentifierPath identifierComponents: [String],
        coder: NSCoder
    ) -> UIViewController? {
        return identifierComponents.last == "editor" ? RestoringEditor(document: nil) : nil
    }
}

/// State restoration by scenes.
class RestoringScene: UIResponder, UIWindowSceneDelegate {
    static let activityType = "org.sheaf.album.editing"
    var window: UIWindow?

    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        window = UIWindow(windowScene: windowScene)
        window?.rootViewController = RestoringBrowser(forOpening: [.album])
        window?.makeKeyAndVisible()
        if let activity = connectionOptions.userActivities.first ?? session.stateRestorationActivity {
            configure(window, with: activity)
        }
        if let context = connectionOptions.urlContexts.first { open(context) }
    }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        URLContexts.forEach(open)
    }

    private func open(_ context: UIOpenURLContext) {
        guard context.url.isFileURL, let browser = window?.rootViewController as? RestoringBrowser else {
            return
        }
        browser.revealDocument(at: context.url, importIfNeeded: !context.options.openInPlace) { url, error in
            guard let url = url else {
                print(error ?? "nothing")
                return
            }
            browser.present(RestoringEditor(document: AlbumDocument(fileURL: url)), animated: true)
        }
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        return scene.userActivity
    }

    func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity) {
        scene.extendStateRestoration()
        scene.userActivity = stateRestorationActivity
        scene.completeStateRestoration()
    }

    func sceneDidBecomeActive(_ scene: UIScene) {
        scene.userActivity?.becomeCurrent()
    }

    func sceneWillResignActive(_ scene: UIScene) {
        scene.userActivity?.resignCurrent()
    }

    private func configure(_ window: UIWindow?, with activity: NSUserActivity) {
        guard activity.activityType == RestoringScene.activityType,
            let url = activity.userInfo?[UIDocument.userActivityURLKey] as? URL
        else { return }
        let editor = RestoringEditor(document: AlbumDocument(fileURL: url))
        window?.rootViewController?.present(editor, animated: false)
    }
}

/// An object that is no view controller.
class AlbumSettings: NSObject, UIStateRestoring {
    var page = 0

    func encodeRestorableState(with coder: NSCoder) {
        coder.encode(page, forKey: "page")
    }

    func decodeRestorableState(with coder: NSCoder) {
        page = coder.decodeInteger(forKey: "page")
    }
}

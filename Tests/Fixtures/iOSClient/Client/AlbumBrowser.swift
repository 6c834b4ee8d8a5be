import UIKit
import UniformTypeIdentifiers

/// The app's first screen.
class AlbumBrowser: UIDocumentBrowserViewController, UIDocumentBrowserViewControllerDelegate {
    convenience init() {
        self.init(forOpening: [.album])
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        delegate = self
        allowsDocumentCreation = true
        allowsPickingMultipleItems = false
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didRequestDocumentCreationWithHandler importHandler:
            @escaping (
                URL?, UIDocumentBrowserViewController.ImportMode
            ) -> Void
    ) {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("Untitled.album")
        let document = AlbumDocument(fileURL: url)
        document.save(to: url, for: .forCreating) { saved in
            document.close { closed in
                importHandler(saved && closed ? url : nil, saved && closed ? .move : .none)
            }
        }
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didPickDocumentsAt documentURLs: [URL]
    ) {
        guard let url = documentURLs.first else { return }
        present(AlbumViewController(document: AlbumDocument(fileURL: url)), animated: true, completion: nil)
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        failedToImportDocumentAt documentURL: URL,
        error: Error?
    ) {
        print(error?.localizedDescription ?? "The album could not be imported.")
    }
}

class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        return true
    }
}

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let scene = scene as? UIWindowScene else { return }
        window = UIWindow(windowScene: scene)
        window?.rootViewController = AlbumBrowser()
        window?.makeKeyAndVisible()
    }
}

import UIKit

class ColorBrowserViewController: UIDocumentBrowserViewController, UIDocumentBrowserViewControllerDelegate {
    override func viewDidLoad() {
        super.viewDidLoad()
        delegate = self
        allowsDocumentCreation = true
        allowsPickingMultipleItems = false
        localizedCreateDocumentActionTitle = "New Color"
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didRequestDocumentCreationWithHandler importHandler:
            @escaping (
                URL?, UIDocumentBrowserViewController.ImportMode
            ) -> Void
    ) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let url = folder.appendingPathComponent("Color.color")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            importHandler(nil, .none)
            return
        }
        let document = ColorDocument(fileURL: url)
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
        presentDocument(at: url)
    }

    func documentBrowser(
        _ controller: UIDocumentBrowserViewController,
        didImportDocumentAt sourceURL: URL,
        toDestinationURL destinationURL: URL
    ) {
        presentDocument(at: destinationURL)
    }

    /// The editor that is open.
    var editor: ColorViewController? { presentedViewController as? ColorViewController }

    /// Opens the document that was open when the activity was made.
    func restore(_ activity: NSUserActivity) {
        guard let url = DocumentActivity.url(of: activity) else { return }
        let controller = editor(for: url)
        present(controller, animated: false)
    }

    /// Opens a document from outside, in place of the one that is open.
    func open(_ url: URL) {
        guard editor?.document?.fileURL.standardizedFileURL != url.standardizedFileURL else { return }
        if presentedViewController != nil { dismiss(animated: false) }
        presentDocument(at: url)
    }

    private func presentDocument(at url: URL) {
        present(editor(for: url), animated: true)
    }

    private func editor(for url: URL) -> ColorViewController {
        ColorViewController(document: ColorDocument.opened(at: url) ?? ColorDocument(fileURL: url))
    }
}

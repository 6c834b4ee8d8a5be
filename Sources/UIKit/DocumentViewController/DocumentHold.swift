internal import Foundation

/// A view controller's claim on its document; a document is closed when the last claim on it goes.
///
/// The claim goes with the view controller, too, where that was made and never shown.
@MainActor
final class DocumentHold {
    private let document: UIDocument
    private let observers: [any NSObjectProtocol]

    init(_ document: UIDocument) {
        self.document = document
        document.viewControllerCount += 1
        observers = [UIDocument.stateChangedNotification, UIDocument.changeCountedNotification].map { name in
            NotificationCenter.default.addObserver(forName: name, object: document, queue: nil) { _ in
                // Documents post these on the main actor.
                MainActor.assumeIsolated { SceneUpdates.request() }
            }
        }
    }

    isolated deinit {
        observers.forEach(NotificationCenter.default.removeObserver)
        document.viewControllerCount -= 1
        if document.viewControllerCount == 0 { document.close(completionHandler: nil) }
    }
}

import DocumentFoundation
import Foundation
import Locks

/// A presenter that says what it is asked and told, and answers at once, but for what it is to write first.
final class ScriptedPresenter: NSObject, NSFilePresenter, Sendable {
    let presentedItemOperationQueue = OperationQueue()
    private let name: String
    private let registry: FileAccessRegistry
    private let url: Locked<URL>
    private let refused = Locked<Set<String>>([])
    private let unsaved = Locked<String?>(nil)

    init(_ name: String, _ url: URL, _ registry: FileAccessRegistry) {
        (self.name, self.url, self.registry) = (name, Locked(url), registry)
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var presentedItemURL: URL? { url.withLock { $0 } }

    /// From now on this message is answered with an error.
    func refuse(_ message: String) { refused.withLock { _ = $0.insert(message) } }

    /// The next time that it is to save, it writes this, with access of its own.
    func has(unsaved text: String) { unsaved.withLock { $0 = text } }

    private func say(_ message: String, _ urls: URL...) {
        ScriptedProcess.say(([name, message] + urls.map(\.path)).joined(separator: " "))
    }

    private func answer(_ message: String, _ handler: ((any Error)?) -> Void) {
        let isRefused = refused.withLock { $0.contains(message) }
        handler(isRefused ? CocoaError(.fileWriteNoPermission) : nil)
    }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        say("reader")
        reader { self.say("reacquires") }
    }

    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        say("writer")
        writer { self.say("reacquires") }
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        say("save")
        guard let text = unsaved.withLock({ $0.take() }), let url = presentedItemURL else {
            return answer("save", completionHandler)
        }
        var (error, failure): (NSError?, (any Error)?) = (nil, nil)
        NSFileCoordinator(filePresenter: self, registry: registry)
            .coordinate(writingItemAt: url, error: &error) { url in
                do { try Data(text.utf8).write(to: url) } catch { failure = error }
            }
        say(error == nil && failure == nil ? "saved" : "cannot save", url)
        completionHandler(error ?? failure)
    }

    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        say("deletion")
        answer("deletion", completionHandler)
    }

    func accommodatePresentedSubitemDeletion(
        at url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        say("subitem-deletion", url)
        answer("subitem-deletion", completionHandler)
    }

    func presentedItemDidChange() { say("changed") }

    func presentedItemDidMove(to newURL: URL) {
        url.withLock { $0 = newURL }
        say("moved", newURL)
    }

    func presentedSubitemDidAppear(at url: URL) { say("appeared", url) }
    func presentedSubitemDidChange(at url: URL) { say("subitem-changed", url) }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { say("subitem-moved", oldURL, newURL) }
}

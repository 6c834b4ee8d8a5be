import DocumentFoundation
import Foundation
import Locks

/// A presenter that says what it is asked and told, and answers at once.
final class ScriptedPresenter: NSObject, NSFilePresenter, Sendable {
    let presentedItemOperationQueue = OperationQueue()
    private let name: String
    private let url: Locked<URL>
    private let refused = Locked<Set<String>>([])

    init(_ name: String, _ url: URL) {
        (self.name, self.url) = (name, Locked(url))
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
    }

    var presentedItemURL: URL? { url.withLock { $0 } }

    /// From now on this message is answered with an error.
    func refuse(_ message: String) { refused.withLock { _ = $0.insert(message) } }

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
        answer("save", completionHandler)
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

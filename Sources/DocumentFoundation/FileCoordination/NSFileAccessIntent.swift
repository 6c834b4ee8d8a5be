internal import Coordination
public import Foundation
internal import Locks

/// One item that `NSFileCoordinator.coordinate(with:queue:byAccessor:)` is to give access to.
public final class NSFileAccessIntent: NSObject, Sendable {
    private let currentURL: Locked<URL>
    let item: RequestedItem

    private init(_ item: RequestedItem) {
        self.item = item
        self.currentURL = Locked(item.url)
    }

    /// An intent to read an item.
    ///
    /// Any thread.
    public class func readingIntent(
        with url: URL,
        options: NSFileCoordinator.ReadingOptions = []
    ) -> NSFileAccessIntent {
        NSFileAccessIntent(RequestedItem(reading: url, options))
    }

    /// An intent to write an item.
    ///
    /// Any thread.
    public class func writingIntent(
        with url: URL,
        options: NSFileCoordinator.WritingOptions = []
    ) -> NSFileAccessIntent {
        NSFileAccessIntent(RequestedItem(writing: url, options))
    }

    /// Where the item is.
    ///
    /// It may move while the access waits: inside the accessor, use this and no other URL.
    public var url: URL { currentURL.withLock { $0 } }

    func setURL(_ url: URL) {
        currentURL.withLock { $0 = url }
    }
}

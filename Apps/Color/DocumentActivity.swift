import UIKit

/// Which document was open, and what its editor adds: enough to be there again after a restart.
struct DocumentActivity {
    static let activityType = "org.sheaf.color.editing"
    private static let bookmarkKey = "bookmark"

    /// What keeps the document; nil when it cannot be found again.
    @MainActor static func make(for document: UIDocument) -> NSUserActivity? {
        let url = document.fileURL
        let isAccessing = url.startAccessingSecurityScopedResource()
        defer { if isAccessing { url.stopAccessingSecurityScopedResource() } }
        // A document that was deleted a moment ago is not one to come back to.
        guard let bookmark = try? url.bookmarkData() else { return nil }
        let activity = NSUserActivity(activityType: activityType)
        activity.title = document.localizedName
        activity.userInfo = [bookmarkKey: bookmark]
        return activity
    }

    /// Where the document is now; nil when it is gone.
    static func url(of activity: NSUserActivity) -> URL? {
        guard activity.activityType == activityType,
            let bookmark = activity.userInfo?[bookmarkKey] as? Data
        else { return nil }
        var isStale = false
        // A stale bookmark is made anew with the next activity; one of a deleted document leads nowhere.
        return try? URL(
            resolvingBookmarkData: bookmark,
            options: .withoutImplicitStartAccessing,
            bookmarkDataIsStale: &isStale
        )
    }
}

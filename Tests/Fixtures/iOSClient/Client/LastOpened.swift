import Foundation

/// Remembers a document as apps do: by a bookmark, never by its URL.
struct LastOpened {
    var bookmark: Data

    init(_ url: URL) throws {
        let isAccessing = url.startAccessingSecurityScopedResource()
        defer { if isAccessing { url.stopAccessingSecurityScopedResource() } }
        bookmark = try url.bookmarkData(
            options: .minimalBookmark,
            includingResourceValuesForKeys: [.nameKey],
            relativeTo: nil
        )
    }

    mutating func url() throws -> URL {
        var isStale = false
        let url = try URL(
            resolvingBookmarkData: bookmark,
            options: [.withoutUI, .withoutMounting],
            relativeTo: nil,
            bookmarkDataIsStale: &isStale
        )
        if isStale { bookmark = try url.bookmarkData() }
        return url
    }

    static func alias(of url: URL, at place: URL) throws -> URL {
        let data = try url.bookmarkData(options: [.suitableForBookmarkFile])
        try URL.writeBookmarkData(data, to: place)
        return try URL(resolvingAliasFileAt: place)
    }
}

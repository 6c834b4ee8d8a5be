import DocumentFoundation
import FileSystem
import Foundation
import Testing

/// A user with folders, a key and an index of their own.
final class BookmarkStage {
    let root: URL
    let documents: URL
    let keeper: BookmarkKeeper
    let scope = SecurityScope()

    init() throws {
        root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("bookmarks-\(UUID().uuidString)", isDirectory: true)
        documents = root.appendingPathComponent("Documents", isDirectory: true)
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        keeper = BookmarkKeeper(Self.settings(root))
    }

    deinit {
        // A folder that stays is the system's to clean up.
        try? FileManager.default.removeItem(at: root)
    }

    static func settings(_ root: URL) -> BookmarkSettings {
        let environment = ["XDG_STATE_HOME": root.appendingPathComponent("state").path, "HOME": root.path]
        return BookmarkSettings(environment: environment, userID: geteuid())
    }

    /// Runs what apps write, with this user's key and permissions.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try BookmarkKeeper.$shared.withValue(keeper) {
            try SecurityScope.$shared.withValue(scope, operation: body)
        }
    }

    func place(_ name: String) -> URL { documents.appendingPathComponent(name) }

    @discardableResult
    func write(_ name: String, _ text: String = "1") throws -> URL {
        let url = place(name)
        let folder = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url
    }

    /// As a document is saved: with another inode.
    func save(_ url: URL, _ text: String) throws {
        let save = try StagedSave(item: try #require(FilePath(url)))
        try save.write(Data(text.utf8))
        _ = try save.commit()
    }

    func move(_ url: URL, to target: URL) throws {
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try FileManager.default.moveItem(at: url, to: target)
    }

    func link(_ name: String, to text: String) throws -> URL {
        try FileManager.default.createSymbolicLink(atPath: place(name).path, withDestinationPath: text)
        return place(name)
    }

    /// Resolves with the options most apps use.
    func resolve(
        _ data: Data,
        _ options: URL.BookmarkResolutionOptions = [],
        relativeTo base: URL? = nil
    ) throws -> (url: URL, isStale: Bool) {
        try run {
            var isStale = false
            let url = try URL(
                resolvingBookmarkData: data,
                options: options,
                relativeTo: base,
                bookmarkDataIsStale: &isStale
            )
            return (url, isStale)
        }
    }
}

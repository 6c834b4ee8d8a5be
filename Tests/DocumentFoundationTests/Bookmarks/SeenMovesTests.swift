import DocumentFoundation
import FileSystem
import Foundation
import TestThreads
import Testing

/// Bookmarks of items whose moves were seen: they lead there without a search, and without a privilege.
@Suite("Bookmarks and moves that were seen", .onOwnThreads, .timeLimit(.minutes(3)))
struct SeenMovesTests {
    private let stage: BookmarkStage
    /// One that searches for nothing.
    private let keeper: BookmarkKeeper
    private let registry: FileAccessRegistry

    init() throws {
        stage = try BookmarkStage()
        var settings = BookmarkStage.settings(stage.root)
        settings.bounds = IdentitySearch.Bounds(memberCountMax: 0, millisecondsMax: 0)
        settings.documentFolders = []
        let keeper = BookmarkKeeper(settings)
        self.keeper = keeper
        registry = FileAccessRegistry(
            presenterTimeLimitSeconds: 30,
            hearsOutsiders: true,
            events: FileEvents(),
            moved: { keeper.noteMove(from: $0, to: $1) }
        )
    }

    /// Without the kernel's handle, which few may use.
    private func bookmark(_ url: URL) throws -> Data {
        try BookmarkKeeper.$shared.withValue(keeper) { try url.bookmarkData(options: .minimalBookmark) }
    }

    private func resolve(_ data: Data) throws -> URL {
        keeper.finishNotingMoves()
        return try BookmarkKeeper.$shared.withValue(keeper) {
            var isStale = false
            return try URL(
                resolvingBookmarkData: data,
                options: .withoutImplicitStartAccessing,
                bookmarkDataIsStale: &isStale
            )
        }
    }

    @Test("A coordinated move is noted, of an item and of the folder that it is in")
    func coordinated() throws {
        let url = try stage.write("a/Sea.txt")
        let data = try bookmark(url)
        func move(_ source: URL, _ target: URL) throws {
            let coordinator = NSFileCoordinator(filePresenter: nil, registry: registry)
            var outcome = Result<Void, any Error>.success(())
            coordinator.coordinate(
                writingItemAt: source,
                options: .forMoving,
                writingItemAt: target,
                options: .forReplacing,
                error: nil
            ) { from, to in
                outcome = Result {
                    try FileManager.default.moveItem(at: from, to: to)
                    coordinator.item(at: from, didMoveTo: to)
                }
            }
            try outcome.get()
        }
        try move(url, stage.place("a/Ocean.txt"))
        #expect(try resolve(data).path == stage.place("a/Ocean.txt").path)
        try move(stage.place("a"), stage.place("b"))
        #expect(try resolve(data).path == stage.place("b/Ocean.txt").path)
    }

    @Test("A move that only a presenter's watch has seen is noted")
    func watched() throws {
        let url = try stage.write("a/Sea.txt")
        let inner = try stage.write("a/in/Deep.txt")
        let (data, innerData) = (try bookmark(url), try bookmark(inner))
        let scene = try CoordinationScene()
        let presenter = ScenePresenter("p", of: url, in: scene, queue: nil)
        registry.add(presenter)
        #expect(rename(stage.place("a").path, stage.place("b").path) == 0)
        #expect(scene.until { presenter.presentedItemURL == stage.place("b/Sea.txt") })
        #expect(rename(stage.place("b/Sea.txt").path, stage.place("b/Ocean.txt").path) == 0)
        #expect(scene.until { presenter.presentedItemURL == stage.place("b/Ocean.txt") })
        #expect(try resolve(data).path == stage.place("b/Ocean.txt").path)
        #expect(try resolve(innerData).path == stage.place("b/in/Deep.txt").path)
        registry.remove(presenter)
    }

    @Test("A move that nobody has seen is not found without a search")
    func unseen() throws {
        let url = try stage.write("a/Sea.txt")
        let data = try bookmark(url)
        try stage.move(url, to: stage.place("b/Sea.txt"))
        #expect(throws: CocoaError.self) { try resolve(data) }
    }
}

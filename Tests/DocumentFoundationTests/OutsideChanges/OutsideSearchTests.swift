import Coordination
import Foundation
import Locks
import TestFolders
import TestThreads
import Testing

@testable import DocumentFoundation
@testable import FileSystem

/// What is told while an item is looked for on other volumes, and after.
@Suite("OutsideWatcher and lost items", .onOwnThreads, .timeLimit(.minutes(3)))
struct OutsideSearchTests {
    private let testFolder: TestFolder
    private let story = WatcherStory()
    private let search = HeldSearch()
    private let watcher: OutsideWatcher

    init() throws {
        testFolder = try TestFolder("lost")
        watcher = OutsideWatcher(
            events: FileEvents(),
            search: { [search] lost, _, _ in search.find(lost) },
            isBeingWritten: { _ in [] },
            isQuietElsewhere: { _, _ in true },
            report: { [story] in story.add($0) }
        )
        for (number, name) in ["lost", "neighbour"].enumerated() {
            try write(name, "1")
            watcher.present(id(UInt64(number)), try path(name), findsOutItself: false)
        }
    }

    /// A search that waits until it is told what it has found.
    private final class HeldSearch: Sendable {
        private let places = Locked<[String: FilePath]>([:])
        private let isAsked = DispatchSemaphore(value: 0)
        private let mayAnswer = DispatchSemaphore(value: 0)

        func find(_ lost: [CopySearch.Lost]) -> [ObjectIdentifier: FilePath] {
            isAsked.signal()
            mayAnswer.wait()
            return places.withLock { places in
                Dictionary(
                    lost.compactMap { item in places[item.name].map { (ObjectIdentifier(item.handle), $0) } }
                ) { first, _ in first }
            }
        }

        /// Returns when a search is under way.
        func waitForQuestion() { #expect(isAsked.wait(timeout: .now() + 30) == .success) }

        /// Lets one search end.
        func answer(_ found: [String: FilePath] = [:]) {
            places.withLock { $0 = found }
            mayAnswer.signal()
        }
    }

    private func path(_ name: String) throws -> ItemPath {
        try #require(ItemPath(fileURL: testFolder.url.appendingPathComponent(name)))
    }

    private func filePath(_ name: String) -> FilePath {
        FilePath(testFolder.url.appendingPathComponent(name).path)
    }

    private func id(_ number: UInt64) -> PresenterID { PresenterID(client: ClientID(0), number: number) }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: testFolder.url.appendingPathComponent(name))
    }

    /// Removes the item, and returns when it is looked for.
    private func lose() throws {
        #expect(unlink(try path("lost").string) == 0)
        search.waitForQuestion()
    }

    /// Has the item be there again, whole at once and from where nobody looks: a file that is made and then written is changed
    /// twice.
    private func putBack() throws {
        let aside = try TestFolder("aside")
        let file = aside.url.appendingPathComponent("file")
        try Data("again".utf8).write(to: file)
        #expect(rename(file.path, try path("lost").string) == 0)
    }

    /// Returns when a loss waits for the end of the search that is under way.
    private func untilAnotherWaits() {
        while watcher.state.withLock({ $0.items.losses.isEmpty }) {
            // Blocked rather than spinning: what is waited for needs a thread of the pool that this one is from.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.001)
        }
    }

    /// Returns when all that has happened before has been heard, and what there is to tell of it told.
    private func hearNeighbour(_ text: String) throws {
        try write("neighbour", text)
        story.wait(for: .changed(id(1)))
    }

    @Test("Another item's change is told while a search goes on, and then that the lost one is gone")
    func neighbour() throws {
        try lose()
        try hearNeighbour("22")
        #expect(story.inOrder == [.changed(id(1))])
        search.answer()
        story.wait(for: .deleted(id(0)))
        #expect(story.inOrder == [.changed(id(1)), .deleted(id(0))])
    }

    @Test("What is found is told as a move, and nobody hears of a deletion")
    func found() throws {
        try lose()
        try write("copy", "1")
        search.answer(["lost": filePath("copy")])
        story.wait(for: .moved(try path("lost"), to: try path("copy")))
        #expect(watcher.state.withLock { $0.items.path(of: id(0)) } == (try path("copy")))
        story.clear()
        try write("copy", "22")
        story.wait(for: .changed(id(0)))
        #expect(story.inOrder == [.changed(id(0))])
    }

    @Test("A copy that is gone again when the search is over is none")
    func foundAndGone() throws {
        try lose()
        search.answer(["lost": filePath("nowhere")])
        story.wait(for: .deleted(id(0)))
        #expect(story.inOrder == [.deleted(id(0))])
    }

    @Test("An item that is there again is changed, at once, and what the search finds then counts no more")
    func backAgain() throws {
        try lose()
        try putBack()
        story.wait(for: .changed(id(0)))
        try write("copy", "1")
        search.answer(["lost": filePath("copy")])
        // A second loss is looked for by a search of its own, behind what the first one told.
        try lose()
        search.answer()
        story.wait(for: .deleted(id(0)))
        #expect(story.inOrder == [.changed(id(0)), .deleted(id(0))])
    }

    @Test("Lost, back and lost again in one search: the first answer is of an item that is no longer meant")
    func lostTwice() throws {
        try lose()
        try putBack()
        story.wait(for: .changed(id(0)))
        #expect(unlink(try path("lost").string) == 0)
        try write("copy", "1")
        untilAnotherWaits()
        search.answer(["lost": filePath("copy")])
        search.waitForQuestion()
        search.answer()
        story.wait(for: .deleted(id(0)))
        #expect(story.inOrder == [.changed(id(0)), .deleted(id(0))])
    }

    @Test(
        "Who presents the item no longer hears nothing; who presents it since is not told that it went before"
    )
    func presenters() throws {
        watcher.present(id(2), try path("lost"), findsOutItself: false)
        try lose()
        watcher.present(id(0), nil, findsOutItself: false)
        watcher.present(id(3), try path("lost"), findsOutItself: false)
        search.answer()
        story.wait(for: .deleted(id(2)))
        #expect(story.inOrder == [.deleted(id(2))])
    }

    @Test(
        "A move that is announced during the search stands; a folder renamed meanwhile takes the lost item along"
    )
    func followed() throws {
        try lose()
        try write("moved", "1")
        watcher.follow(from: try path("lost"), to: try path("moved"))
        search.answer()
        let folder = testFolder.url.appendingPathComponent("x")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try write("x/inner", "1")
        watcher.present(id(4), try path("x/inner"), findsOutItself: false)
        #expect(unlink(try path("x/inner").string) == 0)
        search.waitForQuestion()
        #expect(rename(try path("x").string, try path("y").string) == 0)
        story.wait(for: .moved(try path("x"), to: try path("y")))
        try write("y/copy", "1")
        search.answer(["inner": filePath("y/copy")])
        story.wait(for: .moved(try path("y/inner"), to: try path("y/copy")))
        #expect(
            story.inOrder == [
                .moved(try path("x"), to: try path("y")), .moved(try path("y/inner"), to: try path("y/copy")),
            ]
        )
    }

    @Test("Who asks where the item is gets the answer when the search is over and has been told")
    func settling() async throws {
        try lose()
        let (answers, continuation) = AsyncStream.makeStream(of: ItemPath?.self)
        watcher.settle(id(0)) { [story] place in
            story.add([.changed(PresenterID(client: ClientID(9), number: 9))])
            continuation.yield(place)
        }
        try hearNeighbour("22")
        try write("copy", "1")
        let move = OutsideReport.moved(try path("lost"), to: try path("copy"))
        search.answer(["lost": filePath("copy")])
        for await place in answers {
            #expect(place == (try path("copy")))
            break
        }
        let answered = OutsideReport.changed(PresenterID(client: ClientID(9), number: 9))
        #expect(story.inOrder == [.changed(id(1)), move, answered])
    }

    @Test("A watcher that goes while it searches is let go of, and its search tells nobody")
    func end() throws {
        let own = HeldSearch()
        let (isReleased, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try write("other", "1")
        weak var gone: OutsideWatcher?
        do {
            let token = Token { isReleased.signal() }
            let watcher = OutsideWatcher(
                events: FileEvents(),
                search: { lost, _, _ in
                    defer { isOver.signal() }
                    return own.find(lost)
                },
                isBeingWritten: { _ in [] },
                isQuietElsewhere: { _, _ in true },
                report: { [story] in
                    withExtendedLifetime(token) {}
                    story.add($0)
                }
            )
            gone = watcher
            watcher.present(id(5), try path("other"), findsOutItself: false)
            #expect(unlink(try path("other").string) == 0)
            own.waitForQuestion()
            withExtendedLifetime(watcher) {}
        }
        #expect(isReleased.wait(timeout: .now() + 30) == .success)
        #expect(gone == nil)
        own.answer()
        #expect(isOver.wait(timeout: .now() + 30) == .success)
        #expect(story.inOrder.isEmpty)
    }

    /// Says when it is let go of.
    private final class Token: Sendable {
        private let isGone: @Sendable () -> Void
        init(_ isGone: @escaping @Sendable () -> Void) { self.isGone = isGone }
        deinit { isGone() }
    }

    @Test("Copies are looked for among the documents, then in the user's folder, then on each volume")
    func roots() {
        let mounts = Mount.all(
            in: """
                22 1 8:1 / / rw - ext4 /dev/sda1 rw
                23 22 0:5 / /proc rw - proc proc rw
                24 22 0:6 / /media/stick rw - vfat /dev/sdb1 rw
                25 22 0:7 / /media/cd ro - ext4 /dev/sr0 ro
                """
        )
        let roots = OutsideWatcher.copyRoots(among: [FilePath("/docs")], at: FilePath("/home/me"), on: mounts)
        #expect(roots.map(\.string) == ["/docs", "/home/me", "/", "/media/stick"])
    }
}

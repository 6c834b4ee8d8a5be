import Coordination
import Foundation
import TestFolders
import TestThreads
import Testing

@testable import DocumentFoundation
@testable import FileSystem

/// What changes of names mean for presented items, told later than they have happened.
@Suite("WatchedItems", .onOwnThreads)
struct WatchedItemsTests {
    private let testFolder: TestFolder
    private var folder: URL { testFolder.url }
    private let presenter = PresenterID(client: ClientID(1), number: 1)
    private let other = PresenterID(client: ClientID(1), number: 2)

    init() throws {
        testFolder = try TestFolder("items")
    }

    private func path(_ name: String) throws -> ItemPath {
        try #require(ItemPath(name.isEmpty ? folder.path : folder.appendingPathComponent(name).path))
    }

    private func put(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    private func move(_ source: String, _ target: String) throws {
        #expect(rename(try path(source).string, try path(target).string) == 0)
    }

    /// Items of which nothing is heard but what a test tells.
    private func items() -> WatchedItems {
        WatchedItems(WatchedFolders { path, _, _ in try FileEvents.shared.watch(path) { _ in } })
    }

    /// The items of a presenter of "a", which has been replaced since, and moved to "b".
    private func itemsReplacedAndMoved() throws -> WatchedItems {
        try put("old", "a")
        var items = items()
        items.present(presenter, try path("a"), findsOutItself: false)
        try put("new", "t")
        try move("t", "a")
        try move("a", "b")
        return items
    }

    @Test(
        "An item replaced and then moved, both told after the second: its presenter goes on with what is there"
    )
    func replacedThenMoved() throws {
        var items = try itemsReplacedAndMoved()
        #expect(items.written(try path("a"), by: nil) == [])
        let reports = items.moved(from: try path("a"), to: try path("b"), by: nil)
        #expect(reports == [.moved(try path("a"), to: try path("b")), .changed(presenter)])
        #expect(items.path(of: presenter) == (try path("b")))
        #expect(items.written(try path("b"), by: nil) == [])
    }

    @Test("Both in one: what has replaced the item is somewhere else")
    func replacedAndMoved() throws {
        var items = try itemsReplacedAndMoved()
        let reports = items.replacedAndMoved(try path("a"), to: try path("b"), by: nil)
        #expect(reports == [.moved(try path("a"), to: try path("b")), .changed(presenter)])
        #expect(items.path(of: presenter) == (try path("b")))
    }

    @Test(
        "What its presenter has written is followed when it is moved before the access has ended",
        arguments: [false, true]
    )
    func movedBeforeTheEnd(_ isHeld: Bool) throws {
        try put("old", "a")
        var items = items()
        let (source, target) = (try path("a"), try path("b"))
        items.present(presenter, source, findsOutItself: false)
        try put("new", "t")
        try move("t", "a")
        if isHeld { items.hold(source, of: presenter) }
        // Of another presenter's item nothing is known by that.
        items.hold(source, of: other)
        try move("a", "b")
        #expect(items.wrote(source) == (isHeld ? [.moved(source, to: target)] : []))
        #expect(items.path(of: presenter) == (isHeld ? target : source))
    }

    @Test(
        "What goes back to the folder where it was first is found there, also behind a link",
        arguments: [false, true]
    )
    func movedBack(_ isLinked: Bool) throws {
        let real = folder.appendingPathComponent("real/in")
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
        let link = folder.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(
            at: link,
            withDestinationURL: real.deletingLastPathComponent()
        )
        let outer = isLinked ? "link" : "real"
        try put("text", "real/in/a")
        var items = items()
        items.present(presenter, try path("\(outer)/in/a"), findsOutItself: false)
        let places = try ["in/a", "b", "in/c"].map { try path("\(outer)/\($0)") }
        try move("real/in/a", "real/b")
        #expect(items.moved(from: places[0], to: places[1], by: nil) == [.moved(places[0], to: places[1])])
        // Nobody sees it arrive: it is looked for.
        try move("real/b", "real/in/c")
        #expect(items.left(places[1], by: nil) == [.moved(places[1], to: places[2])])
        #expect(items.path(of: presenter) == places[2])
    }

    /// A disk of which nothing can be looked at.
    private struct FailingDisk: SystemCallObserver {
        func willMake(_ call: SystemCall) -> CInt { call.name == "fstatat" ? EIO : 0 }
        func didMake(_ call: SystemCall) {}
    }

    @Test("What cannot be looked at is not told to be deleted, and what was done to it is told when it can")
    func failingDisk() throws {
        try put("old", "a")
        var items = items()
        items.present(presenter, try path("a"), findsOutItself: false)
        try put("new, and longer", "a")
        let place = try path("a")
        #expect(SystemCallObservation.withObserver(FailingDisk()) { items.written(place, by: nil) } == [])
        #expect(items.written(place, by: nil) == [.changed(presenter)])
    }

    @Test("A name that was passed on the way, where nothing was, is nobody's item")
    func passedOnTheWay() throws {
        var items = items()
        items.present(presenter, try path("a"), findsOutItself: false)
        try put("new", "b")
        #expect(items.replacedAndMoved(try path("a"), to: try path("b"), by: nil) == [])
        #expect(items.path(of: presenter) == (try path("a")))
    }

    @Test("A move onto an item, seen by a look before it is told, is one change to whoever presents that")
    func movedOntoAndSeen() throws {
        try put("1", "a")
        try put("22", "b")
        var items = items()
        items.present(presenter, try path("a"), findsOutItself: false)
        items.present(other, try path("b"), findsOutItself: false)
        try move("a", "b")
        #expect(items.look(at: try path("b")) == [.changed(other)])
        let reports = items.moved(from: try path("a"), to: try path("b"), by: nil)
        #expect(reports == [.moved(try path("a"), to: try path("b"))])
        #expect(items.written(try path("b"), by: nil) == [])
    }

    @Test(
        "Of what a save makes beside an item, and in a folder of its own, a folder's presenter hears nothing"
    )
    func stagings() throws {
        try put("old", "a")
        var items = items()
        items.present(presenter, try path(""), findsOutItself: false)
        let staging = try path(".sheaf-1-x")
        #expect(mkdir(staging.string, 0o700) == 0)
        #expect(items.written(staging, by: nil) == [])
        for name in ["a", "b"] {
            let staged = try path(".sheaf-1-x/\(name)")
            try put("new \(name)", ".sheaf-1-x/\(name)")
            #expect(items.written(staged, by: nil) == [])
            try move(".sheaf-1-x/\(name)", name)
            let item = try path(name)
            let news = OutsideReport.self
            let wanted =
                name == "a" ? news.subitemChanged(presenter, item) : news.subitemAppeared(presenter, item)
            #expect(items.moved(from: staged, to: item, by: nil) == [wanted])
        }
        try move("a", ".sheaf-2-a")
        #expect(
            items.moved(from: try path("a"), to: try path(".sheaf-2-a"), by: nil) == [
                .subitemChanged(presenter, try path("a"))
            ]
        )
        #expect(items.left(try path(".sheaf-2-a"), by: nil) == [])
        #expect(items.lookAtAll() == [])
    }
}

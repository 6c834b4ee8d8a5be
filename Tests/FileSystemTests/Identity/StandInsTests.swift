import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing

/// Items whose contents are elsewhere, each with a file beside its place that stands for it.
@Suite("StandIns", .onOwnThreads)
struct StandInsTests {
    private let scratch: ScratchFolder
    private let finder: IdentityFinder
    private var home: FilePath { scratch.path.appending("home") }

    /// What stands for an item is called `.NAME.away` here.
    private static let standIns = StandIns(
        place: { $0.parent.appending(".\($0.name).away") },
        item: { place in
            let name = place.name
            guard name.hasPrefix("."), name.hasSuffix(".away"), (try? FileStamp(of: place)) != nil else {
                return nil
            }
            return place.parent.appending(String(name.dropFirst().dropLast(".away".count)))
        }
    )

    init() throws {
        scratch = try ScratchFolder()
        finder = IdentityFinder(
            index: IdentityIndex(folder: scratch.path.appending("index")),
            documentFolders: [],
            standIns: Self.standIns
        )
        try ItemMoves.createFolder(home)
    }

    private func write(_ path: FilePath, _ text: String = "1") throws {
        try Data(text.utf8).write(to: path.url(isDirectory: false))
    }

    /// A marked item, taken without a handle: few have the privilege to use one.
    private func made(_ path: FilePath, isFolder: Bool = false) throws -> TakenIdentity {
        if isFolder { try ItemMoves.createFolder(path) } else { try write(path) }
        var taken = try FileIdentity.marking(path, with: FileMark(UUID()))
        taken.handle = nil
        return taken
    }

    /// Has a file with an item's mark stand for it.
    private func putAway(_ path: FilePath, _ taken: TakenIdentity) throws -> FilePath {
        try FileManager.default.removeItem(atPath: path.string)
        let place = try #require(Self.standIns.place(path))
        try write(place, "away")
        let mark = try #require(taken.identity.mark)
        #expect(try FileIdentity.give(mark, toItemAt: place, replacing: false))
        return place
    }

    @Test("What stands for a file or a folder is found as that, and is not stale", arguments: [false, true])
    func inPlace(isFolder: Bool) throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path, isFolder: isFolder)
        let standIn = try putAway(path, taken)
        for place in [path, standIn] {
            let found = try #require(try finder.find(taken, at: place))
            #expect(found.path == path && !found.isStale && found.identity.kind == taken.identity.kind)
        }
    }

    @Test("Moved, it is found as the item where that is now, and stale", arguments: [false, true])
    func moved(isFolder: Bool) throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path, isFolder: isFolder)
        let standIn = try putAway(path, taken)
        let now = home.appending("deep").appending("Ocean.txt")
        try ItemMoves.createFolder(now.parent)
        try ItemMoves.move(standIn, toFree: try #require(Self.standIns.place(now)))
        let found = try #require(try finder.find(taken, at: path))
        #expect(found.path == now && found.isStale)
    }

    @Test("Where another item has its place, nobody is led to that")
    func taken() throws {
        let path = home.appending("Sea.txt")
        let taken = try made(path)
        _ = try putAway(path, taken)
        _ = try made(path)
        #expect(try finder.find(taken, at: path) == nil)
    }

    @Test("An item that was known by what stood for it is found when it is back, and not stale")
    func back() throws {
        let path = home.appending("Sea.txt")
        let first = try made(path)
        let standIn = try putAway(path, first)
        let identity = try #require(Self.standIns.identity(standingFor: path, as: .regular))
        let taken = TakenIdentity(identity: identity, handle: nil)
        #expect(try finder.find(taken, at: path)?.isStale == false)
        try write(path, "back")
        #expect(try FileIdentity.give(try #require(first.identity.mark), toItemAt: path, replacing: false))
        // Both are there for a moment.
        #expect(try finder.find(taken, at: path)?.path == path)
        try ItemMoves.removeFile(standIn)
        for known in [first, taken] {
            let found = try #require(try finder.find(known, at: path))
            #expect(found.path == path && !found.isStale)
        }
    }

    @Test("A link has nothing that stands for it")
    func link() throws {
        let path = home.appending("Sea.txt")
        try write(home.appending(".Sea.txt.away"))
        #expect(Self.standIns.identity(standingFor: path, as: .regular) != nil)
        #expect(Self.standIns.identity(standingFor: path, as: .symbolicLink) == nil)
    }
}

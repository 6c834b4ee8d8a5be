import CrashHarness
import Foundation
import Testing

@testable import FileSystem

/// Copies are looked for on another volume only: one is needed.
@Suite(
    "CopySearch",
    .enabled(if: MemoryVolume.isApart, "needs /dev/shm on a volume of its own")
)
struct CopySearchTests {
    private let home: ScratchFolder
    private let away: ScratchFolder

    init() throws {
        home = try ScratchFolder()
        away = try ScratchFolder(in: ScratchFolder.memoryDisk)
    }

    private func write(_ text: String, _ path: FilePath) throws {
        try Data(text.utf8).write(to: path.url(isDirectory: false))
    }

    private func run(_ command: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    private func copy(_ source: FilePath, _ target: FilePath) throws {
        try run("/bin/cp", "-a", source.string, target.string)
    }

    /// Takes hold of a file as a watcher does, before it goes.
    private func hold(_ path: FilePath, before: FileStamp? = nil) throws -> CopySearch.Lost {
        let stamps = try [FileStamp(of: path)] + (before.map { [$0] } ?? [])
        return CopySearch.Lost(name: path.name, stamps: stamps, handle: try ItemHandle(path))
    }

    /// A file that is held, copied under a name, and gone.
    private func moved(_ text: String = "sea", to target: FilePath) throws -> CopySearch.Lost {
        let path = home.path.appending("Sea.txt")
        try write(text, path)
        let lost = try hold(path)
        try copy(path, target)
        try FileManager.default.removeItem(atPath: path.string)
        return lost
    }

    private func find(_ lost: CopySearch.Lost..., at now: Date = .now) -> [FilePath?] {
        let found = CopySearch(for: lost, at: now).find(in: [], thenBelow: [away.path])
        return lost.map { found[ObjectIdentifier($0.handle)] }
    }

    /// A file that is held, copied as cp(1) does without a word about dates, and gone.
    private func copied(
        _ text: String = "sea",
        from name: String = "Sea.txt",
        to targets: FilePath...
    ) throws -> CopySearch.Lost {
        let path = home.path.appending(name)
        try write(text, path)
        try run("/bin/touch", "-d", "2001-01-01 10:00:00.5", path.string)
        let lost = try hold(path)
        for target in targets { try run("/bin/cp", path.string, target.string) }
        try FileManager.default.removeItem(atPath: path.string)
        return lost
    }

    @Test("A copy is found under another name and in a folder, and each of several items at its own")
    func found() throws {
        let (first, second) = (away.path.appending("Ocean.txt"), away.path.appending("far/Hill.txt"))
        try ItemMoves.createFolder(away.path.appending("far"))
        let sea = try moved(to: first)
        let hill = try moved("hill", to: second)
        #expect(find(sea, hill) == [first, second])
    }

    @Test("A folder that is only looked at gives its own members and not what is in folders in it")
    func shallow() throws {
        try ItemMoves.createFolder(away.path.appending("far"))
        let lost = try moved(to: away.path.appending("far/Sea.txt"))
        let search = CopySearch(for: [lost])
        #expect(search.find(in: [away.path], thenBelow: []).isEmpty)
        #expect(search.find(in: [away.path.appending("far")], thenBelow: []).count == 1)
    }

    @Test("An item that still has a name is not gone, and so has no copies")
    func kept() throws {
        let path = home.path.appending("Sea.txt")
        try write("sea", path)
        let lost = try hold(path)
        try copy(path, away.path.appending("Sea.txt"))
        #expect(find(lost) == [nil])
        try FileManager.default.removeItem(atPath: path.string)
        #expect(find(lost) == [away.path.appending("Sea.txt")])
    }

    @Test("What was there long before the item went is no copy that a move has made")
    func old() throws {
        let lost = try moved(to: away.path.appending("Sea.txt"))
        let most = CopySearch.secondsMax
        #expect(find(lost, at: .now + most + 5) == [nil])
        #expect(find(lost, at: .now + most - 30) == [away.path.appending("Sea.txt")])
    }

    @Test("A file of the same date is no copy with other bytes, or with more")
    func otherBytes() throws {
        for text in ["tea", "sea "] {
            let place = away.path.appending("Sea.txt")
            let lost = try moved(to: place)
            try write(text, place)
            try giveDate(of: lost, to: place)
            #expect(find(lost) == [nil])
        }
    }

    @Test("Bytes are compared to the end, over the size of what is read at once")
    func manyBytes() throws {
        let text = String(repeating: "sea ", count: 200_000)
        let place = away.path.appending("Sea.txt")
        #expect(find(try moved(text, to: place)) == [place])
        let lost = try moved(text, to: place)
        let file = try FileHandle(forUpdating: place.url(isDirectory: false))
        try file.seekToEnd()
        try file.seek(toOffset: 799_999)
        try file.write(contentsOf: Data("!".utf8))
        try file.close()
        try giveDate(of: lost, to: place)
        #expect(find(lost) == [nil])
    }

    private func giveDate(of lost: CopySearch.Lost, to place: FilePath) throws {
        let (seconds, nanoseconds) = (
            lost.stamps[0].modificationSeconds, String(lost.stamps[0].modificationNanoseconds)
        )
        let zeros = String(repeating: "0", count: 9 - nanoseconds.count)
        try run("/bin/touch", "-d", "@\(seconds).\(zeros)\(nanoseconds)", place.string)
    }

    @Test("A plain copy, which has a date of its own, is found by its name, or as the only one of its bytes")
    func otherDate() throws {
        let (sea, ocean) = (away.path.appending("Sea.txt"), away.path.appending("Ocean.txt"))
        let lost = try copied(to: ocean)
        #expect(find(lost) == [ocean])
        #expect(find(try copied(to: sea)) == [sea])
        // Whatever date a program has given it.
        try run("/bin/touch", "-d", "2002-02-02 10:00:00.5", sea.string)
        #expect(find(lost) == [sea])
    }

    @Test(
        "Of several copies without the date, or of the name, none is taken for the one; the date decides among all"
    )
    func doubtful() throws {
        try ItemMoves.createFolder(away.path.appending("far"))
        let places = ["Ocean.txt", "Pond.txt", "Sea.txt", "far/Sea.txt"].map { away.path.appending($0) }
        let lost = try copied(to: places[0], places[1])
        #expect(find(lost) == [nil])
        #expect(find(try copied(to: places[2])) == [places[2]])
        #expect(find(try copied(to: places[3])) == [nil])
        try giveDate(of: lost, to: places[1])
        #expect(find(lost) == [places[1]])
    }

    @Test("A copy is one item's: the one's whose date or name it has, and nobody's if that does not tell")
    func oneEach() throws {
        let (sea, hill) = (away.path.appending("Sea.txt"), away.path.appending("Hill.txt"))
        let first = try copied(to: sea)
        let second = try copied(from: "Hill.txt")
        #expect(find(first, second) == [sea, nil])
        #expect(find(second) == [sea])
        try giveDate(of: second, to: sea)
        #expect(find(try copied(), try moved(to: hill)) == [sea, hill])
        try FileManager.default.removeItem(atPath: sea.string)
        try FileManager.default.removeItem(atPath: hill.string)
        let pond = try copied(from: "Pond.txt", to: away.path.appending("Lake.txt"))
        #expect(find(pond, try copied(from: "Hill.txt")) == [nil, nil])
    }

    @Test("Two names of one file are one copy")
    func linked() throws {
        let (sea, ocean) = (away.path.appending("Sea.txt"), away.path.appending("Ocean.txt"))
        let lost = try copied(to: sea)
        try FileManager.default.linkItem(atPath: sea.string, toPath: ocean.string)
        let place = try #require(find(lost)[0])
        #expect([sea, ocean].contains(place))
    }

    @Test("An empty file without the date is no copy: it says nothing")
    func empty() throws {
        let sea = away.path.appending("Sea.txt")
        #expect(find(try copied("", to: sea)) == [nil])
        #expect(find(try moved("", to: sea)) == [sea])
    }

    @Test("What somebody presents already is no copy, unless its date says so")
    func known() throws {
        let (sea, ocean) = (away.path.appending("Sea.txt"), away.path.appending("Ocean.txt"))
        func find(_ lost: CopySearch.Lost) -> FilePath? {
            CopySearch(for: [lost])
                .find(in: [], thenBelow: [away.path]) { $0 == sea }[ObjectIdentifier(lost.handle)]
        }
        #expect(find(try copied(to: sea)) == nil)
        #expect(find(try copied(to: ocean)) == ocean)
        #expect(find(try moved(to: sea)) == sea)
    }

    /// Waits until the volume's clock has gone on for more than a moment, and gives its time then.
    @discardableResult
    private func nextMoment() throws -> Double {
        func moment() throws -> Double {
            let marker = away.path.appending(".marker")
            try write("", marker)
            defer { try? FileManager.default.removeItem(atPath: marker.string) }
            return try change(marker)
        }
        let start = try moment()
        while true {
            let now = try moment()
            if now > start + 0.001 { return now }
        }
    }

    private func change(_ path: FilePath) throws -> Double {
        try SystemCalls.fstatat(.working, path.string).change.secondsSince1970
    }

    private func find(_ lost: CopySearch.Lost, at now: Double, secondsMax: Double) -> FilePath? {
        CopySearch(for: [lost], secondsMax: secondsMax, at: Date(timeIntervalSince1970: now))
            .find(in: [], thenBelow: [away.path])[ObjectIdentifier(lost.handle)]
    }

    @Test(
        "A plain copy that was made long ago is none of a move's, whatever has been done to its attributes since"
    )
    func backup() throws {
        let place = away.path.appending("Ocean.txt")
        let lost = try copied(to: place)
        let made = try change(place)
        try nextMoment()
        try run("/bin/chmod", "600", place.string)
        let now = try change(place)
        #expect(find(lost, at: now, secondsMax: now - made + 0.0001) == place)
        #expect(find(lost, at: now, secondsMax: (now - made) / 2) == nil)
    }

    @Test("A plain copy of another name is one only if the original went right after it")
    func stranger() throws {
        let (path, ocean) = (home.path.appending("Sea.txt"), away.path.appending("Ocean.txt"))
        try write("sea", path)
        let lost = try hold(path)
        try nextMoment()
        try run("/bin/cp", path.string, ocean.string)
        let made = try change(ocean)
        try nextMoment()
        try FileManager.default.removeItem(atPath: path.string)
        let pause = try #require(lost.handle.status).change.secondsSince1970 - made
        #expect(pause > 0)
        func find(within seconds: Double) -> FilePath? {
            CopySearch(for: [lost], strangerSecondsMax: seconds)
                .find(in: [], thenBelow: [away.path])[ObjectIdentifier(lost.handle)]
        }
        #expect(find(within: pause + 0.0001) == ocean)
        #expect(find(within: pause / 2) == nil)
        #expect(rename(ocean.string, away.path.appending("Sea.txt").string) == 0)
        #expect(find(within: pause / 2) == away.path.appending("Sea.txt"))
    }

    @Test("The time counts from the last copy of a series in the same folder, or in the folder around it")
    func series() throws {
        let book = away.path.appending("book")
        for folder in [book, book.appending("one")] { try ItemMoves.createFolder(folder) }
        let place = book.appending("one/Sea.txt")
        let lost = try moved(to: place)
        var times = [try change(place)]
        for name in ["one/b", "two", "two/c", "two/d"] {
            try nextMoment()
            let path = book.appending(name)
            if name == "two" { try ItemMoves.createFolder(path) } else { try write("1", path) }
            times.append(try change(path))
        }
        let (first, folder, last) = (times[0], times[2], times[4])
        let pauseMax = (zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0) + 0.0001
        #expect(last - first > pauseMax)
        #expect(find(lost, at: last, secondsMax: pauseMax) == place)
        // With nothing in between what came later does not belong to it.
        try FileManager.default.removeItem(atPath: book.appending("one/b").string)
        #expect(find(lost, at: last, secondsMax: (folder - first) * 0.9) == nil)
    }

    @Test("A volume that keeps whole seconds gives a file by its bytes, whatever its name")
    func wholeSeconds() throws {
        let place = away.path.appending("Ocean.txt")
        let lost = try moved(to: place)
        try run("/bin/touch", "-d", "@\(lost.stamps[0].modificationSeconds)", place.string)
        #expect(find(lost) == [place])
    }

    @Test("What was written after the last look is compared as it was when it went")
    func writtenLast() throws {
        let (path, place) = (home.path.appending("Sea.txt"), away.path.appending("Sea.txt"))
        try write("sea", path)
        let lost = try hold(path)
        let file = try FileHandle(forWritingTo: path.url(isDirectory: false))
        try file.write(contentsOf: Data("longer".utf8))
        try file.close()
        try copy(path, place)
        try FileManager.default.removeItem(atPath: path.string)
        #expect(find(lost) == [place])
    }

    @Test("A directory is found by how it was before it was emptied, and not by how it is when it is gone")
    func directory() throws {
        let (book, place) = (home.path.appending("Sea.book"), away.path.appending("Sea.book"))
        try ItemMoves.createFolder(book)
        try write("one", book.appending("a.txt"))
        let before = try FileStamp(of: book)
        let handle = try ItemHandle(book)
        try copy(book, place)
        try FileManager.default.removeItem(atPath: book.appending("a.txt").string)
        let emptied = try FileStamp(of: book)
        try FileManager.default.removeItem(atPath: book.string)
        #expect(find(.init(name: "Sea.book", stamps: [emptied, before], handle: handle)) == [place])
        #expect(find(.init(name: "Sea.book", stamps: [emptied], handle: handle)) == [nil])
    }

    @Test("On the item's own volume nothing is looked at: there it would have been renamed")
    func ownVolume() throws {
        let path = home.path.appending("Sea.txt")
        try write("sea", path)
        let lost = try hold(path)
        try copy(path, home.path.appending("Copy.txt"))
        try FileManager.default.removeItem(atPath: path.string)
        #expect(CopySearch(for: [lost]).find(in: [home.path], thenBelow: [home.path]).isEmpty)
    }
}

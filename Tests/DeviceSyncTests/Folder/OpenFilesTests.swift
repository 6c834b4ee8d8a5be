import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Files and packages that programs are writing while the folder is kept in step.
@Suite("Open files", .onOwnThreads, .timeLimit(.minutes(2)))
struct OpenFilesTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func wait(_ location: SourceLocation = #_sourceLocation, until condition: () -> Bool) {
        pair.wait(location, until: condition)
    }

    private func url(_ name: String) -> URL { one.folder.appendingPathComponent(name) }

    /// Waits until the first device knows that an item is being written.
    private func waitUntilWaiting(_ name: String, _ location: SourceLocation = #_sourceLocation) {
        wait(location) { one.status?.stuck[name]?.contains("writ") == true }
    }

    /// All that another device has of one file, one after another.
    private final class Seen {
        var texts: [String?] = []

        func look(_ device: TestDevice, _ name: String) {
            let text = device.text(name)
            if texts.last != text { texts.append(text) }
        }
    }

    @Test(
        "A file that is rewritten in place arrives when it is closed, and never half, whatever happens beside it"
    )
    func rewritten() throws {
        try one.write("all of it", to: "a.txt")
        wait { two.text("a.txt") == "all of it" && pair.isSettled }
        let seen = Seen()
        let file = try RestlessFile("a.txt", on: one, isEmptied: true)
        waitUntilWaiting("a.txt")
        // The folder is looked at for another.
        for (number, part) in ["half", " of", " what is"].enumerated() {
            try file.write(part)
            try one.write("beside", to: "b\(number).txt")
            wait {
                seen.look(two, "a.txt")
                return two.text("b\(number).txt") == "beside"
            }
        }
        #expect(one.status?.isSettled == false)
        #expect(one.explanation("a.txt")?.isSettled == false)
        try file.write(" new")
        try file.close()
        wait {
            seen.look(two, "a.txt")
            return two.text("a.txt") == "half of what is new" && pair.isSettled
        }
        #expect(seen.texts == ["all of it", "half of what is new"])
        #expect(one.explanation("a.txt")?.isSettled == true)
        pair.end()
    }

    @Test("A new file comes when it is closed, and who writes it is said until then")
    func new() throws {
        let file = try RestlessFile("new.txt", on: one)
        try file.write("one")
        waitUntilWaiting("new.txt")
        let name = ProcessInfo.processInfo.processName.prefix(15)
        let explanation = try #require(one.explanation("new.txt"))
        let causes = explanation.causes
        #expect(explanation.chain.map(\.kind) == [.beingWritten])
        let next =
            "It goes by itself when it is closed there, or nothing has been written into it for a while."
        #expect(explanation.next == next)
        #expect(causes[0].hasPrefix("It is open in a program that writes it: \(name)"), "\(causes)")
        #expect(causes[0].contains("(process \(ProcessInfo.processInfo.processIdentifier))"), "\(causes)")
        try file.close()
        wait { two.text("new.txt") == "one" && pair.isSettled }
        pair.end()
    }

    @Test("A file that stays open is not called the same, and comes as it is when it is quiet")
    func staysOpen() throws {
        #expect(FileManager.default.createFile(atPath: url("log.txt").path, contents: nil))
        let file = try FileHandle(forWritingTo: url("log.txt"))
        try file.write(contentsOf: Data("1".utf8))
        wait { two.text("log.txt") == "1" && pair.isSettled }
        try file.write(contentsOf: Data("2".utf8))
        waitUntilWaiting("log.txt")
        #expect(one.explanation("log.txt")?.isSettled == false)
        #expect(throws: (any Error).self) { try one.evict(url("log.txt")) }
        // It is open to the end.
        wait { two.text("log.txt") == "12" && pair.isSettled }
        try file.close()
        pair.end()
    }

    @Test("What was moved to its place is sent, though it is open still")
    func moved() throws {
        let outside = pair.base.appendingPathComponent("outside.txt")
        try Data("whole".utf8).write(to: outside)
        let saved = try FileHandle(forWritingTo: outside)
        try FileManager.default.moveItem(at: outside, to: url("saved.txt"))
        var waited: Set<String?> = []
        wait {
            waited.insert(one.status?.stuck["saved.txt"])
            return two.text("saved.txt") == "whole" && pair.isSettled
        }
        #expect(waited == [nil])
        try saved.close()
        pair.end()
    }

    @Test("A package that is made member by member arrives whole")
    func copiedPackage() throws {
        let package = url("p.rtfd")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: false)
        // One file of it is being written all the while.
        let last = try RestlessFile("p.rtfd/last.txt", on: one)
        var counts: Set<Int> = []
        func count() -> Int { two.contents.keys.filter { $0.hasPrefix("p.rtfd/") }.count }
        for number in 0..<6 {
            try Data("\(number)".utf8).write(to: package.appendingPathComponent("\(number).txt"))
            try last.write("\(number)")
            // Each is heard of, and the folder is looked at, before the next comes.
            try one.write("\(number)", to: "beside.txt")
            wait {
                counts.insert(count())
                return two.text("beside.txt") == "\(number)"
            }
        }
        waitUntilWaiting("p.rtfd")
        try last.close()
        wait {
            counts.insert(count())
            return two.text("p.rtfd/last.txt") == "012345" && pair.isSettled
        }
        #expect(counts == [0, 7])
        pair.end()
    }

    @Test("A package waits for a file in it that is open")
    func openMember() throws {
        let package = url("p.rtfd")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: false)
        // It is open and quiet for a moment, again and again, and never for long enough to be read as it is.
        let file = try RestlessFile("p.rtfd/a.txt", on: one, everySeconds: 0.7)
        try file.write("half")
        wait { one.status?.stuck["p.rtfd"]?.hasPrefix("A file in it is open") == true }
        let explanation = try #require(one.explanation("p.rtfd"))
        #expect(!explanation.isSettled && explanation.chain.map(\.kind) == [.beingWritten])
        #expect(explanation.next == "It goes by itself, as one, when that has ended.")
        #expect(two.text("p.rtfd/a.txt") == nil)
        try file.write(" and whole")
        try file.close()
        wait { two.text("p.rtfd/a.txt") == "half and whole" && pair.isSettled }
        pair.end()
    }

    @Test("What is half at a start waits, too")
    func atStart() throws {
        one.stop()
        let package = url("p.rtfd")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: false)
        let files = try ["a.txt", "p.rtfd/a.txt"].map { try RestlessFile($0, on: one) }
        for file in files { try file.write("half") }
        // As a copy that keeps dates has it: nothing at its top tells that it is new.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: package.path
        )
        try one.start()
        for name in ["a.txt", "p.rtfd"] { waitUntilWaiting(name) }
        #expect(two.text("a.txt") == nil && two.text("p.rtfd/a.txt") == nil)
        for file in files {
            try file.write(" and whole")
            try file.close()
        }
        let seen = Seen()
        wait {
            seen.look(two, "p.rtfd/a.txt")
            return two.text("a.txt") == "half and whole" && two.text("p.rtfd/a.txt") == "half and whole"
                && pair.isSettled
        }
        #expect(seen.texts == [nil, "half and whole"] || seen.texts == ["half and whole"])
        pair.end()
    }

    @Test("A package that is moved in, and one that Sheaf saves, is sent without waiting")
    func savedPackages() throws {
        let outside = pair.base.appendingPathComponent("p.rtfd")
        try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: false)
        for name in ["a.txt", "b.txt"] { try Data("1".utf8).write(to: outside.appendingPathComponent(name)) }
        let (a, b) = (try #require(MemberPath(["a.txt"])), try #require(MemberPath(["b.txt"])))
        let waited = Seen()
        func look() { waited.texts.append(one.status?.stuck["p.rtfd"]) }
        try FileManager.default.moveItem(at: outside, to: url("p.rtfd"))
        wait {
            look()
            return two.text("p.rtfd/b.txt") == "1" && pair.isSettled
        }
        for (number, changes) in [
            PackageChanges(placed: [a: .file(.data(Data("2".utf8)), MemberAttributes())]),
            PackageChanges(placed: [
                a: .file(.data(Data("3".utf8)), MemberAttributes()),
                b: .file(.data(Data("3".utf8)), MemberAttributes()),
            ]),
            PackageChanges(
                placed: [a: .file(.data(Data("4".utf8)), MemberAttributes())],
                removed: [b]
            ),
        ].enumerated() {
            let save = try StagedSave(item: FilePath(url("p.rtfd").path))
            try save.write(changes)
            try save.commit()
            wait {
                look()
                return two.text("p.rtfd/a.txt") == "\(number + 2)" && pair.isSettled
            }
        }
        // Between a save and the word of it a look may see it.
        #expect(Set(waited.texts).isSubset(of: [nil, "It is being saved."]))
        pair.end()
    }

    @Test("What others have made of a file that is being written waits for that, and both are kept")
    func changedElsewhere() throws {
        try one.write("a\n", to: "a.md")
        wait { two.text("a.md") == "a\n" && pair.isSettled }
        let file = try RestlessFile("a.md", on: one)
        try file.write("one\n")
        waitUntilWaiting("a.md")
        try two.write("two\na\n", to: "a.md")
        wait {
            one.running?.explain("a.md").change == "both" || one.explanation("a.md")?.change == "elsewhere"
        }
        #expect(one.text("a.md") == "a\none\n")
        try file.close()
        wait { one.text("a.md") == "two\na\none\n" && two.text("a.md") == "two\na\none\n" && pair.isSettled }
        pair.end()
    }

    @Test("What is stored in a mapped file that looks as it was read is read when it is closed")
    func mapped() throws {
        try one.write("first", to: "a.txt")
        wait { two.text("a.txt") == "first" && pair.isSettled }
        let file = try FileHandle(forUpdating: url("a.txt"))
        let place = mmap(nil, 5, PROT_READ | PROT_WRITE, MAP_SHARED, file.fileDescriptor, 0)
        let memory = try #require(place == MAP_FAILED ? nil : place)
        memory.copyMemory(from: Array("AAAAA".utf8), byteCount: 5)
        // Nothing tells of that: the folder is looked at for another, and it is read when it has been quiet.
        try one.write("beside", to: "b.txt")
        wait { two.text("a.txt") == "AAAAA" && one.status?.stuck["a.txt"] == nil && pair.isSettled }
        // Into a page that has not been written back since, so it is no older for that.
        memory.copyMemory(from: Array("BBBBB".utf8), byteCount: 5)
        #expect(munmap(memory, 5) == 0)
        try file.close()
        wait { two.text("a.txt") == "BBBBB" && pair.isSettled }
        pair.end()
    }

    @Test(
        "What is stored in a mapped file of a package that looks as it was read is read when it is closed",
        .enabled(if: MountedVolume.isPossible, "mounts a volume")
    )
    func mappedMember() throws {
        let pair = try DevicePair(areStarted: false)
        let (one, two) = (pair.one, pair.two)
        // Where nothing is ever written back: of what is stored in memory only the first moves a date.
        let volume = try MountedVolume(over: one.folder, keptAt: pair.base.appendingPathComponent("top"))
        defer { withExtendedLifetime(volume) {} }
        let package = one.folder.appendingPathComponent("p.rtfd")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: false)
        let member = package.appendingPathComponent("m.txt")
        try Data("first".utf8).write(to: member)
        let file = try FileHandle(forUpdating: member)
        let place = mmap(nil, 5, PROT_READ | PROT_WRITE, MAP_SHARED, file.fileDescriptor, 0)
        let memory = try #require(place == MAP_FAILED ? nil : place)
        memory.copyMemory(from: Array("AAAAA".utf8), byteCount: 5)
        // By then its dates are taken to tell whether it is written from then on.
        let later = DispatchTime.now() + 2.5
        pair.wait { DispatchTime.now() > later }
        try one.start()
        try two.start()
        pair.wait { two.text("p.rtfd/m.txt") == "AAAAA" && pair.isSettled }
        memory.copyMemory(from: Array("BBBBB".utf8), byteCount: 5)
        #expect(munmap(memory, 5) == 0)
        try file.close()
        pair.wait { two.text("p.rtfd/m.txt") == "BBBBB" && pair.isSettled }
        pair.end()
    }

    @Test("A file that is opened for writing, and closed as it was, is read and is no edit")
    func openedOnly() throws {
        try one.write("first", to: "a.txt")
        try FileManager.default.linkItem(at: url("a.txt"), to: url("other name.txt"))
        wait { two.text("a.txt") == "first" && two.text("other name.txt") == "first" && pair.isSettled }
        let count = pair.hub.entryCount
        for _ in 0..<3 { try FileHandle(forWritingTo: url("a.txt")).close() }
        try one.write("beside", to: "b.txt")
        wait { two.text("b.txt") == "beside" && pair.isSettled }
        #expect(one.running?.isInStepNow == true)
        #expect(pair.hub.entryCount == count + 1)
        pair.end()
    }
}

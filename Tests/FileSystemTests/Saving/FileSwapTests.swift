import CrashHarness
import Foundation
import Locks
import Testing

@testable import FileSystem

@Suite("What a file takes the place of")
struct FileSwapTests {
    private let scratch: ScratchFolder
    private let item: FilePath

    init() throws {
        scratch = try ScratchFolder()
        item = scratch.path.appending("item.doc")
        try DiskTree.file("old").write(to: item)
    }

    /// Saves the item, and gives what was shown of what it has taken the place of.
    private func save(_ observer: (any SystemCallObserver)? = nil) throws -> [String] {
        var shown: [String] = []
        let save = try StagedSave(item: item)
        save.didReplace = { member, place in
            let text = (try? FileReading.contents(of: place)).map { String(decoding: $0, as: UTF8.self) }
            shown.append("\(member): \(text ?? "nothing")")
        }
        try save.write(Data("new".utf8))
        if let observer {
            try SystemCallObservation.withObserver(observer) { _ = try save.commit() }
        } else {
            try save.commit()
        }
        return shown
    }

    @Test("It is shown, and gone")
    func shown() throws {
        #expect(try save() == [": old"])
        #expect(try scratch.tree() == ["item.doc": "new"])
        try FileManager.default.removeItem(atPath: item.string)
        #expect(try save() == [])
        #expect(try scratch.tree() == ["item.doc": "new"])
    }

    @Test("A file that a program has locked itself is shown, and gone, like any other")
    func locked() throws {
        let file = open(item.string, O_RDONLY)
        defer { close(file) }
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        #expect(try save() == [": old"])
        #expect(try scratch.tree() == ["item.doc": "new"])
    }

    /// Takes what stands under the staging's name for what a dead save has left, and puts another save's file there.
    private final class NextSave: SystemCallObserver {
        private let staging: FilePath
        private let held = Locked<CInt>(-1)
        var file: CInt { held.withLock { $0 } }

        init(_ item: FilePath) {
            staging = item.parent.appending(SaveSite.stagingName(for: item.name))
        }

        deinit { close(file) }

        func willMake(_ call: SystemCall) -> CInt { 0 }

        func didMake(_ call: SystemCall) {
            guard call.name == "renameat2", file == -1 else { return }
            unlink(staging.string)
            held.withLock { $0 = open(staging.string, O_RDWR | O_CREAT | O_EXCL, 0o600) }
            #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        }
    }

    @Test("Where the next save has its file by then, that stays")
    func nextSave() throws {
        let next = NextSave(item)
        #expect(try save(next) == [])
        #expect(next.file != -1)
        #expect(try scratch.tree() == ["item.doc": "new", SaveSite.stagingName(for: "item.doc"): ""])
    }

    @Test("A link that has come there goes, and is followed by nobody")
    func link() throws {
        try DiskTree.file("elsewhere").write(to: scratch.path.appending("other"))
        let save = try StagedSave(item: item)
        save.didReplace = { _, place in Issue.record("shown at \(place)") }
        save.beforeSwap = { [item] () throws(SystemError) in
            unlink(item.string)
            symlink("other", item.string)
        }
        try save.write(Data("new".utf8))
        try save.commit()
        #expect(try scratch.tree() == ["item.doc": "new", "other": "elsewhere"])
    }

    /// Puts a folder in the item's place before the save takes it, and takes away what it has put there before the folder goes back.
    private final class Folders: SystemCallObserver {
        private let item: FilePath
        private let count = Locked(0)

        init(_ item: FilePath) { self.item = item }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "renameat2" else { return 0 }
            let count = count.withLock { count in
                count += 1
                return count
            }
            guard count < 3 else { return 0 }
            unlink(item.string)
            if count == 1 {
                #expect(throws: Never.self) { try DiskTree.folder(["a": "theirs"]).write(to: item) }
            }
            return 0
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test("A folder that has come there goes back, also where nothing is in its place any more")
    func folder() throws {
        let error = #expect(throws: SystemError.self) { try save(Folders(item)) }
        #expect(error?.errno == EISDIR && error?.isNewInPlace == false)
        #expect(try scratch.tree() == ["item.doc": ["a": "theirs"]])
    }
}

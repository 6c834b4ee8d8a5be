import DocumentTesting
import FileSystem
import Foundation
import Locks
import Sync
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// More files that programs have open as they are replaced than can be held.
@Suite("Crowds of late files", .onOwnThreads, .timeLimit(.minutes(2)))
struct CrowdOfLateFilesTests {
    private let pair: DevicePair
    private let outside: TestFolder
    private let said = Locked<[SyncReport]>([])
    private let run = SeenRun()
    private var two: TestDevice { pair.two }

    init() throws {
        pair = try DevicePair.holding("first", as: "a.txt")
        outside = try TestFolder("late")
        two.stop()
        try run.start(two) { [said] report in said.withLock { $0.append(report) } }
    }

    private func end() {
        run.stop()
        pair.one.stop()
    }

    /// A file that was the document a moment ago, which a program has open.
    private func open(_ number: Int) throws -> (file: ReplacedFile, program: FileHandle) {
        let url = outside.url.appendingPathComponent("\(number)")
        try Data("first".utf8).write(to: url)
        let program = try FileHandle(forWritingTo: url)
        try program.seekToEnd()
        let file = try #require(ReplacedFile(FilePath(url.path), followsSymbolicLink: false))
        try FileManager.default.removeItem(at: url)
        return (file, program)
    }

    /// Holds as many as can be held and one more.
    ///
    /// - Parameter body: What programs do before the last one comes.
    private func hold(
        _ body: ([FileHandle]) throws -> Void
    ) throws -> [(file: ReplacedFile, program: FileHandle)] {
        let files = try (0...SyncRun.lateCountMax).map(open)
        try run.sync { run in
            let item = try #require(run.item(at: "a.txt"))
            let state = try #require(run.table[item]?.state)
            for (file, _) in files.dropLast() { run.hold(file, of: item, as: state) }
            try body(files.map(\.program))
            run.hold(files[files.count - 1].file, of: item, as: state)
        }
        return files
    }

    private func isHeld(_ file: ReplacedFile) throws -> Bool {
        try run.sync { $0.late.contains { $0.file === file } }
    }

    private func losses(_ text: String) -> [SyncReport] {
        said.withLock { said in
            said.filter { if case .failed(path: "a.txt", let why) = $0 { why.contains(text) } else { false } }
        }
    }

    @Test("One that is closed and was not written goes first")
    func idle() throws {
        let files = try hold { programs in
            try programs[0].write(contentsOf: Data(" and late".utf8))
            try programs[5].close()
        }
        #expect(try isHeld(files[0].file) && !isHeld(files[5].file))
        #expect(losses("lost").isEmpty)
        end()
    }

    @Test("What was written is kept before the file goes, and that it is held no more is said")
    func written() throws {
        let files = try hold { try $0[0].write(contentsOf: Data(" and late".utf8)) }
        #expect(try !isHeld(files[0].file) && isHeld(files[1].file))
        #expect(losses("what a program writes from now on").count == 1 && losses("written late").isEmpty)
        pair.wait { (try? pair.one.conflicts("a.txt")) == ["first and late"] }
        end()
    }

    @Test("What cannot be kept is said to be lost")
    func lost() throws {
        let shortage = Shortage(at: two.memoryFolder.appendingPathComponent("late-").path)
        SystemCallObservation.add(shortage)
        defer { SystemCallObservation.remove(shortage) }
        let files = try hold { programs in
            try programs[0].write(contentsOf: Data(" and late".utf8))
            try programs[0].close()
        }
        #expect(try !isHeld(files[0].file))
        #expect(losses("what was written late is lost").count == 1)
        #expect(losses("from now on").isEmpty)
        end()
    }
}

import CLinux
import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A container's folder that another takes the place of, or nothing, while it is kept in step and while it is not.
@Suite("The container's own folder", .onOwnThreads, .timeLimit(.minutes(2)))
struct RootTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private var aside: URL { pair.base.appendingPathComponent("aside") }

    init() throws { pair = try DevicePair() }

    private static let files = Dictionary(
        uniqueKeysWithValues: (0..<6).map { ("\($0).txt", "precious \($0)") }
    )

    /// Both have some files, and one in a folder.
    private func fill() throws -> [String: String] {
        for (name, text) in Self.files { try one.write(text, to: name) }
        try one.write("deep", to: "album/deep.txt")
        var all = Self.files
        (all["album"], all["album/deep.txt"]) = ("/", "deep")
        pair.wait { two.contents == all && pair.isSettled }
        return all
    }

    private func move(_ source: URL, _ target: URL) throws {
        try #require(rename(source.path, target.path) == 0)
    }

    private var isAway: Bool { two.status?.stuck[""]?.contains("nothing is taken for deleted") == true }

    @Test(
        "Another folder takes its place while it is kept in step: nothing goes, comes or is deleted until it is back"
    )
    func replaced() throws {
        var all = try fill()
        try move(two.folder, aside)
        try FileManager.default.createDirectory(at: two.folder, withIntermediateDirectories: false)
        try two.write("of another", to: "stranger.txt")
        pair.wait { isAway && two.status?.isSettled == false }
        #expect(two.explanation("0.txt")?.next.contains("Mount its volume") == true)
        // What others do meanwhile waits.
        try one.write("newer", to: "0.txt")
        try one.write("new", to: "new.txt")
        try one.write("new", to: "album/new.txt")
        try FileManager.default.removeItem(at: one.folder.appendingPathComponent("1.txt"))
        (all["0.txt"], all["new.txt"], all["album/new.txt"], all["1.txt"]) = ("newer", "new", "new", nil)
        pair.wait { one.status?.isSettled == true && two.running?.logPosition == one.running?.logPosition }
        two.tryAgain()
        #expect(two.contents == ["stranger.txt": "of another"] && one.contents == all)
        try move(two.folder, pair.base.appendingPathComponent("stranger"))
        try move(aside, two.folder)
        try two.write("made elsewhere", to: "own.txt")
        all["own.txt"] = "made elsewhere"
        two.tryAgain()
        pair.wait { two.contents == all && one.contents == all && pair.isSettled }
        // It is watched, and all in it.
        try two.write("later", to: "album/later.txt")
        pair.wait { one.text("album/later.txt") == "later" }
        pair.end()
    }

    @Test("It is gone for a while, in which somebody asks for how things stand")
    func gone() throws {
        let all = try fill()
        try move(two.folder, aside)
        pair.wait { isAway }
        #expect(two.running?.isInStepNow == false)
        try move(aside, two.folder)
        pair.wait { two.contents == all && pair.isSettled }
        #expect(one.contents == all)
        pair.end()
    }

    /// Somebody who puts another folder in its place just before one of the calls that are made in it.
    private func swapper(before number: Int, isMutating: Bool) -> Intruder {
        let (folder, aside) = (two.folder, aside)
        return Intruder(in: folder, after: number, isMutating: isMutating) {
            if rename(folder.path, aside.path) != 0 || mkdir(folder.path, 0o700) != 0 {
                Issue.record("\(errno)")
            }
        }
    }

    @Test(
        "Another takes its place in the midst of a look: whatever that finds deletes nothing",
        arguments: 0..<24
    )
    func replacedInALook(number: Int) throws {
        var all = try fill()
        // In one step, as the look that it brings about is not to come in between; and wherever the folder is by then, as the
        // echo of what has just come may have it looked at before.
        let edited = pair.base.appendingPathComponent("edited")
        try Data("edited".utf8).write(to: edited)
        let album = open(two.path("album"), O_RDONLY | O_DIRECTORY)
        try #require(album >= 0)
        defer { close(album) }
        let swapper = swapper(before: number, isMutating: false)
        SystemCallObservation.add(swapper)
        defer { SystemCallObservation.remove(swapper) }
        try #require(renameat(AT_FDCWD, edited.path, album, "deep.txt") == 0)
        // Where a look does not make so many calls, the next one does.
        pair.wait { two.running?.isInStepNow == false && swapper.isDone && isAway }
        #expect(Set(one.contents.keys) == Set(all.keys))
        all["album/deep.txt"] = "edited"
        try comeBack(with: all)
    }

    /// Somebody who puts another folder in its place just when it has been found there.
    private final class LateSwapper: SystemCallObserver {
        private let folder: String
        private let aside: String
        /// So often it is found there before.
        private let left: Locked<Int>

        init(_ folder: URL, to aside: URL, after count: Int) {
            (self.folder, self.aside, left) = (folder.path, aside.path, Locked(count))
        }

        var isDone: Bool { left.withLock { $0 < 0 } }

        func willMake(_ call: SystemCall) -> CInt { 0 }

        func didMake(_ call: SystemCall) {
            guard call.name == "fstatat", call.path.string == folder else { return }
            left.withLock { left in
                left -= 1
                guard left == -1 else { return }
                if rename(folder, aside) != 0 || mkdir(folder, 0o700) != 0 { Issue.record("\(errno)") }
            }
        }
    }

    @Test(
        "Another takes its place in the midst of a start: whatever that finds deletes nothing",
        arguments: 0..<4
    )
    func replacedAtAStart(number: Int) throws {
        let all = try fill()
        let count = pair.hub.entryCount
        two.stop()
        let swapper = LateSwapper(two.folder, to: aside, after: number)
        SystemCallObservation.add(swapper)
        defer { SystemCallObservation.remove(swapper) }
        var isStarted = false
        do {
            try two.start()
            isStarted = true
        } catch let error as SyncFailure {
            // It was gone before it was known to be the one.
            #expect(error.code == .rootMissing)
        }
        if isStarted {
            pair.wait { two.running?.isInStepNow == false && swapper.isDone && isAway }
            // Whatever it has to tell the others is told.
            pair.wait { two.status?.line == .up && two.status?.unsettledCount == 0 }
        }
        #expect(pair.hub.entryCount == count && one.contents == all)
        try FileManager.default.removeItem(at: two.folder)
        try move(aside, two.folder)
        if isStarted { two.tryAgain() } else { try two.start() }
        pair.wait { two.contents == all && one.contents == all && pair.isSettled }
        #expect(pair.hub.entryCount == count)
        pair.end()
    }

    @Test(
        "Another takes its place while things are put into it: they are where they belong afterwards",
        arguments: 0..<12
    )
    func replacedWhilePlacing(number: Int) throws {
        var all = try fill()
        let swapper = swapper(before: number, isMutating: true)
        SystemCallObservation.add(swapper)
        defer { SystemCallObservation.remove(swapper) }
        try one.write("newer", to: "0.txt")
        try one.write("new", to: "new.txt")
        try FileManager.default.removeItem(at: one.folder.appendingPathComponent("1.txt"))
        try one.write("new", to: "album/new.txt")
        (all["0.txt"], all["new.txt"], all["album/new.txt"], all["1.txt"]) = ("newer", "new", "new", nil)
        pair.wait { swapper.isDone && (two.running?.isInStepNow == false) && isAway }
        try comeBack(with: all)
    }

    /// The folder comes back to its place, from which another goes into which nothing has been put, hidden or not.
    private func comeBack(with all: [String: String]) throws {
        #expect(try FileManager.default.contentsOfDirectory(atPath: two.folder.path) == [])
        try FileManager.default.removeItem(at: two.folder)
        try move(aside, two.folder)
        two.tryAgain()
        pair.wait { two.contents == all && one.contents == all && pair.isSettled }
        pair.end()
    }

    @Test(
        "Another takes its place at any moment while something new comes: nothing of it gets into that",
        arguments: 0..<16
    )
    func replacedAsSomethingComes(number: Int) throws {
        var all = try fill()
        let swapper = swapper(before: number, isMutating: false)
        SystemCallObservation.add(swapper)
        defer { SystemCallObservation.remove(swapper) }
        try one.write("new", to: "new.txt")
        try one.write("new", to: "new/new.txt")
        (all["new.txt"], all["new"], all["new/new.txt"]) = ("new", "/", "new")
        pair.wait { swapper.isDone && (two.running?.isInStepNow == false) && isAway }
        try comeBack(with: all)
    }

    /// Copies a folder with all that it bears: by another program, as people do it.
    private func copy(_ source: URL, _ target: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        process.arguments = ["-a", source.path, target.path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    /// Has the copy that lies aside take the folder's place.
    private func putBack(isRunning: Bool) throws {
        if isRunning {
            try move(two.folder, pair.base.appendingPathComponent("broken"))
            try move(aside, two.folder)
            two.tryAgain()
        } else {
            two.stop()
            try FileManager.default.removeItem(at: two.folder)
            try copy(aside, two.folder)
            try two.start()
        }
    }

    @Test(
        "What is not in a folder that was put back from a backup comes from the hub",
        arguments: [true, false]
    )
    func missingInBackup(isRunning: Bool) throws {
        var all = try fill()
        try copy(two.folder, aside)
        try one.write("since", to: "since.txt")
        try one.write("since", to: "later/since.txt")
        (all["since.txt"], all["later"], all["later/since.txt"]) = ("since", "/", "since")
        pair.wait { two.contents == all && pair.isSettled }
        try putBack(isRunning: isRunning)
        pair.wait { two.contents == all && pair.isSettled }
        #expect(one.contents == all)
        #expect(two.said.contains(.vanished(itemCount: 3)), "\(two.said)")
        // What is removed from then on is removed.
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("since.txt"))
        pair.wait { one.text("since.txt") == nil && pair.isSettled }
        two.stop()
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("later"))
        try two.start()
        pair.wait { one.text("later/since.txt") == nil && pair.isSettled }
        pair.end()
    }

    @Test(
        "What is missing in a folder of a backup that nobody can look into at first comes from the hub, too",
        arguments: [true, false]
    )
    func missingInBlindFolder(isInPlace: Bool) throws {
        var all = try fill()
        try copy(two.folder, aside)
        try one.write("since", to: "album/since.txt")
        all["album/since.txt"] = "since"
        pair.wait { two.contents == all && pair.isSettled }
        let kernel = UnwatchedFolder(two.folder.appendingPathComponent("album"), EIO)
        SystemCallObservation.add(kernel)
        defer { SystemCallObservation.remove(kernel) }
        if isInPlace {
            two.stop()
            try rollBack()
            try two.start()
        } else {
            try putBack(isRunning: false)
        }
        pair.wait { two.status?.stuck["album"] != nil && two.status?.line == .up }
        // All else is looked at.
        #expect(two.running?.isInStepNow == false)
        if isInPlace {
            // The next start knows of it, too.
            two.stop()
            try two.start()
            pair.wait { two.status?.stuck["album"] != nil && two.status?.line == .up }
        }
        kernel.end()
        two.tryAgain()
        pair.wait { two.contents == all && pair.isSettled }
        #expect(one.contents == all)
        #expect(two.said.contains(.vanished(itemCount: 1)), "\(two.said)")
        // What is removed from then on is removed.
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("album/since.txt"))
        pair.wait { one.text("album/since.txt") == nil && pair.isSettled }
        pair.end()
    }

    // MARK: The same directory

    private func count(_ folder: URL) -> UInt64 { (try? CountedFolder.count(at: FilePath(folder.path))) ?? 0 }

    /// Has what is in the folder, and what that bears itself, be as in the copy that lies aside, as when its volume is put back to a
    /// snapshot: it stays the directory that it is.
    private func rollBack() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: two.folder.path) {
            try FileManager.default.removeItem(at: two.folder.appendingPathComponent(name))
        }
        CLinux.removexattr(two.folder.path, CountedFolder.attributeName)
        try MountedVolume.run("cp", "-a", aside.path + "/.", two.folder.path)
    }

    /// The same while nothing else happens on the device, if it runs.
    private func rollBack(isRunning: Bool) throws {
        if isRunning {
            let isDone = try #require(two.running).ask({ _ in (try? rollBack()) != nil }, or: { _ in false })
            #expect(isDone)
            two.tryAgain()
        } else {
            two.stop()
            try rollBack()
            try two.start()
        }
    }

    @Test(
        "A folder whose volume was put back to a snapshot is as one that was put back from a backup",
        arguments: [true, false]
    )
    func rolledBack(isRunning: Bool) throws {
        var all = try fill()
        pair.wait { count(two.folder) > 0 }
        try copy(two.folder, aside)
        // What comes within twenty seconds has no number of its own, but at the end.
        if isRunning { two.letPass(seconds: 20) }
        try one.write("since", to: "since.txt")
        try one.write("since", to: "later/since.txt")
        try one.write("newer", to: "0.txt")
        (all["since.txt"], all["later"], all["later/since.txt"]) = ("since", "/", "since")
        all["0.txt"] = "newer"
        pair.wait { two.contents == all && pair.isSettled }
        if isRunning { pair.wait { count(two.folder) > count(aside) } }
        try rollBack(isRunning: isRunning)
        all["0.txt"] = "precious 0"
        pair.wait { two.contents == all && one.contents == all && pair.isSettled }
        #expect(two.said.contains(.vanished(itemCount: 3)), "\(two.said)")
        #expect(try two.formerTexts(of: "0.txt") == ["newer"])
        // What is removed from then on is removed.
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("since.txt"))
        pair.wait { one.text("since.txt") == nil && pair.isSettled }
        two.stop()
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("later"))
        try two.start()
        pair.wait { one.text("later/since.txt") == nil && pair.isSettled }
        pair.end()
    }

    /// A folder that takes no attributes.
    private final class RigidFolder: SystemCallObserver {
        private let place: String
        private let errno: CInt

        init(_ folder: URL, _ errno: CInt) { (place, self.errno) = (folder.path, errno) }

        func willMake(_ call: SystemCall) -> CInt {
            call.name == "fsetxattr" && call.path.string == place ? errno : 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "A folder that cannot be changed any more is doubted once for being older",
        arguments: [EROFS, ENOSPC]
    )
    func rolledBackRigid(errno: CInt) throws {
        var all = try fill()
        pair.wait { count(two.folder) > 0 }
        try copy(two.folder, aside)
        try one.write("since", to: "since.txt")
        all["since.txt"] = "since"
        pair.wait { two.contents == all && pair.isSettled }
        two.stop()
        #expect(count(two.folder) > count(aside))
        try rollBack()
        let kernel = RigidFolder(two.folder, errno)
        SystemCallObservation.add(kernel)
        defer { SystemCallObservation.remove(kernel) }
        try two.start()
        pair.wait { two.contents == all && one.contents == all && pair.isSettled }
        for name in ["since.txt", "0.txt"] {
            try FileManager.default.removeItem(at: two.folder.appendingPathComponent(name))
            pair.wait { one.text(name) == nil && pair.isSettled }
        }
        two.stop()
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("1.txt"))
        try two.start()
        pair.wait { one.text("1.txt") == nil && pair.isSettled }
        pair.end()
    }

    @Test("A memory that is older than the folder doubts nothing: what was removed meanwhile was removed")
    func countAhead() throws {
        _ = try fill()
        two.stop()
        let folder = try CountedFolder(FilePath(two.folder.path))
        try folder.set(try folder.count() + 5)
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("0.txt"))
        try two.start()
        pair.wait { one.text("0.txt") == nil && pair.isSettled }
        try one.write("newer", to: "1.txt")
        pair.wait { two.text("1.txt") == "newer" && pair.isSettled }
        two.stop()
        #expect(try folder.count() > 5)
        pair.end()
    }

    @Test(
        "What is older in a folder that was put back from a backup counts as an edit, and the newer state stays as a version",
        arguments: [true, false]
    )
    func olderInBackup(isRunning: Bool) throws {
        var all = try fill()
        try copy(two.folder, aside)
        try one.write("newer", to: "0.txt")
        try one.write("one edit", to: "1.txt")
        (all["0.txt"], all["1.txt"]) = ("newer", "one edit")
        pair.wait { two.contents == all && pair.isSettled }
        try putBack(isRunning: isRunning)
        (all["0.txt"], all["1.txt"]) = ("precious 0", "precious 1")
        pair.wait { one.contents == all && two.contents == all && pair.isSettled }
        #expect(try two.formerTexts(of: "0.txt") == ["newer"])
        #expect(try two.formerTexts(of: "1.txt") == ["one edit"])
        // What was the same has none.
        #expect(try two.formerTexts(of: "2.txt") == [])
        // An edit of today's is one like any other.
        try two.write("edited", to: "2.txt")
        pair.wait { one.text("2.txt") == "edited" && pair.isSettled }
        #expect(try two.formerTexts(of: "2.txt") == [])
        pair.end()
    }
}

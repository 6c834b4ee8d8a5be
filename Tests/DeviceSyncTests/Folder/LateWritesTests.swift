import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What programs write into files that they have open as these are replaced or removed.
@Suite("Late writes", .onOwnThreads, .timeLimit(.minutes(2)))
struct LateWritesTests {
    /// When somebody writes: just before or after the call that takes the name of what is removed, or once the file has none.
    enum Moment { case beforeRemoval, afterRemoval, nameless }

    /// Somebody who has a file open, and writes into it and closes it at some moment.
    private final class Writer: SystemCallObserver {
        private let folder: String
        private let moment: Moment
        private let file: Locked<CInt>

        init(_ name: String, on device: TestDevice, _ moment: Moment) throws {
            (folder, self.moment) = (device.folder.path + "/", moment)
            let file = open(device.path(name), O_WRONLY | O_APPEND)
            try #require(file >= 0)
            self.file = Locked(file)
        }

        var isDone: Bool { file.withLock { $0 < 0 } }

        func willMake(_ call: SystemCall) -> CInt {
            if moment == .beforeRemoval, isRemoval(call) { writeNow() }
            return 0
        }

        func didMake(_ call: SystemCall) {
            switch moment {
            case .beforeRemoval: break
            case .afterRemoval: if isRemoval(call) { writeNow() }
            case .nameless: if call.path.string.hasPrefix(folder), isNameless { writeNow() }
            }
        }

        private func isRemoval(_ call: SystemCall) -> Bool {
            call.name == "unlinkat" && call.path.string.hasPrefix(folder)
                && call.path.name.hasPrefix(".sheaf-removed-")
        }

        private var isNameless: Bool {
            file.withLock { file in
                var status = stat()
                return file >= 0 && fstat(file, &status) == 0 && status.st_nlink == 0
            }
        }

        private func writeNow() {
            file.withLock { file in
                guard file >= 0 else { return }
                let bytes = Array(" and late".utf8)
                #expect(write(file, bytes, bytes.count) == bytes.count)
                #expect(close(file) == 0)
                file = -1
            }
        }
    }

    @Test(
        "What a program writes into a file that is just being removed is the document again, on all devices",
        arguments: [Moment.beforeRemoval, .afterRemoval],
        ["a.txt", "folder/a.txt"]
    )
    func removed(_ moment: Moment, name: String) throws {
        let pair = try DevicePair.holding("first", as: name)
        let (one, two) = (pair.one, pair.two)
        try #require(chmod(one.path(name), 0o640) == 0)
        pair.wait { two.description(of: name) == "640 first" && pair.isSettled }
        let writer = try Writer(name, on: two, moment)
        SystemCallObservation.add(writer)
        defer { SystemCallObservation.remove(writer) }
        try FileManager.default.removeItem(atPath: one.path(String(name.split(separator: "/")[0])))
        pair.wait { writer.isDone }
        // Where its folder has gone as well, it is where that was.
        let names = [name, "a.txt"]
        func isSo() -> Bool {
            [one, two].allSatisfy { device in
                names.contains { device.description(of: $0) == "640 first and late" }
            }
        }
        pair.wait { isSo() && pair.isSettled }
        for device in [one, two] {
            #expect(device.contents.values.filter { $0 != "/" } == ["first and late"], "\(device.said)")
            for name in names where device.text(name) != nil { #expect(try device.conflicts(name).isEmpty) }
        }
        pair.end()
    }

    @Test("A file that is removed under one of its names, and written under another, stays removed")
    func otherName() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let two = pair.two
        let outside = pair.base.appendingPathComponent("outside.txt")
        try #require(link(two.path("a.txt"), outside.path) == 0)
        pair.wait { pair.isSettled }
        let writer = try Writer("a.txt", on: two, .afterRemoval)
        SystemCallObservation.add(writer)
        defer { SystemCallObservation.remove(writer) }
        try FileManager.default.removeItem(atPath: pair.one.path("a.txt"))
        pair.wait { writer.isDone && two.said.contains(.removed(path: "a.txt")) }
        // Of what comes after the removal, this comes after the look at what was written.
        try pair.one.write("beside", to: "b.txt")
        pair.wait { two.text("b.txt") == "beside" && pair.isSettled }
        for device in [pair.one, two] { #expect(device.contents == ["b.txt": "beside"]) }
        #expect(try Data(contentsOf: outside) == Data("first and late".utf8))
        pair.end()
    }

    /// Waits until what was written late is the document again on both, where that was removed, or else in conflict with it.
    private func waitUntilKept(_ name: String, _ pair: DevicePair, isRemoved: Bool) {
        for device in [pair.one, pair.two] {
            pair.wait {
                isRemoved
                    ? device.text(name) == "first and late"
                    : (try? device.conflicts(name)) == ["first and late"]
            }
        }
    }

    @Test(
        "What is removed or replaced under a program that keeps it open is kept whenever that writes",
        arguments: [true, false]
    )
    func stillOpen(isRemoved: Bool) throws {
        let pair = try DevicePair.holding("first", as: "log.txt")
        let (one, two) = (pair.one, pair.two)
        let file = try FileHandle(forWritingTo: two.folder.appendingPathComponent("log.txt"))
        try file.seekToEnd()
        if isRemoved {
            try FileManager.default.removeItem(atPath: one.path("log.txt"))
            pair.wait { two.said.contains(.removed(path: "log.txt")) && pair.isSettled }
        } else {
            try one.put("second", at: "log.txt")
            pair.wait { two.text("log.txt") == "second" && pair.isSettled }
        }
        // So long a file is held that nobody can be asked about.
        let later = DispatchTime.now() + 4
        pair.wait { DispatchTime.now() > later }
        try file.write(contentsOf: Data(" and late".utf8))
        try file.close()
        waitUntilKept("log.txt", pair, isRemoved: isRemoved)
        pair.wait { pair.isSettled }
        pair.end()
    }

    @Test(
        "What a program ends with that is what has taken the place is in conflict no more, half written or whole"
    )
    func endsAlike() throws {
        let pair = try DevicePair.holding("first", as: "log.txt")
        let (one, two) = (pair.one, pair.two)
        let files = try (0..<2).map { _ in
            try FileHandle(forWritingTo: two.folder.appendingPathComponent("log.txt"))
        }
        try files[0].seekToEnd()
        try one.put("second", at: "log.txt")
        pair.wait { two.text("log.txt") == "second" && pair.isSettled }
        try files[0].write(contentsOf: Data(" and late".utf8))
        try files[0].close()
        waitUntilKept("log.txt", pair, isRemoved: false)
        try files[1].truncate(atOffset: 0)
        try files[1].write(contentsOf: Data("second".utf8))
        try files[1].close()
        for device in [one, two] {
            pair.wait { (try? device.conflicts("log.txt")) == [] && device.text("log.txt") == "second" }
        }
        pair.wait { pair.isSettled }
        pair.end()
    }

    /// Counts the copies that are made of what was written late.
    private final class CopyCounter: SystemCallObserver {
        private let start: String
        private let counted = Locked(0)

        init(on device: TestDevice) { start = device.memoryFolder.appendingPathComponent("late-").path }

        var count: Int { counted.withLock { $0 } }

        func willMake(_ call: SystemCall) -> CInt {
            if case .createFile = call.effect, call.path.string.hasPrefix(start) {
                counted.withLock { $0 += 1 }
            }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("What is kept of a file that is open still is not read again until somebody writes into it again")
    func readOnce() throws {
        let pair = try DevicePair.holding("first", as: "log.txt")
        let two = pair.two
        let counter = CopyCounter(on: two)
        SystemCallObservation.add(counter)
        defer { SystemCallObservation.remove(counter) }
        let files = try (0..<3).map { _ in
            try FileHandle(forWritingTo: two.folder.appendingPathComponent("log.txt"))
        }
        for file in files { try file.seekToEnd() }
        try pair.one.put("second", at: "log.txt")
        pair.wait { two.text("log.txt") == "second" && pair.isSettled }
        try files[0].write(contentsOf: Data(" and late".utf8))
        try files[0].close()
        waitUntilKept("log.txt", pair, isRemoved: false)
        pair.wait { pair.isSettled }
        let count = counter.count
        #expect(count > 0)
        // As it stops, a device looks once more at all that is open.
        two.stop()
        #expect(counter.count == count)
        for file in files.dropFirst() { try file.close() }
        pair.end()
    }

    @Test("What is open as the file that it was is not evicted, and what is written there is in conflict")
    func evicted() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        let file = try FileHandle(forWritingTo: two.folder.appendingPathComponent("a.txt"))
        try file.seekToEnd()
        try one.put("second", at: "a.txt")
        pair.wait { two.text("a.txt") == "second" && pair.isSettled }
        let refusal = #expect(throws: SyncRefusal.self) { try two.running?.evict("a.txt") }
        #expect(refusal?.code == .inUse, "\(String(describing: refusal))")
        #expect(two.text("a.txt") == "second")
        try file.write(contentsOf: Data(" and late".utf8))
        try file.close()
        waitUntilKept("a.txt", pair, isRemoved: false)
        pair.wait { pair.isSettled }
        pair.end()
    }

    /// A volume on which nobody tells who has a file open.
    private final class NoLeases: SystemCallObserver {
        private let start: String

        init(on device: TestDevice) { start = device.folder.path + "/" }

        func willMake(_ call: SystemCall) -> CInt {
            call.name == "fcntl" && call.path.string.hasPrefix(start) ? EINVAL : 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("What is written late is a document of its own where the item was evicted meanwhile")
    func evictedUnseen() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        let file = try FileHandle(forWritingTo: two.folder.appendingPathComponent("a.txt"))
        try file.seekToEnd()
        try one.put("second", at: "a.txt")
        pair.wait { two.text("a.txt") == "second" && pair.isSettled }
        do {
            let noLeases = NoLeases(on: two)
            SystemCallObservation.add(noLeases)
            defer { SystemCallObservation.remove(noLeases) }
            try #require(two.running).evict("a.txt")
        }
        try file.write(contentsOf: Data(" and late".utf8))
        try file.close()
        for device in [one, two] { pair.wait { device.text("a 2.txt") == "first and late" } }
        pair.wait { pair.isSettled }
        #expect(one.contents == ["a.txt": "second", "a 2.txt": "first and late"])
        #expect(two.contents.keys.sorted() == [".a.txt.icloud", "a 2.txt"])
        pair.end()
    }

    @Test(
        "What a program stores in memory that a file is mapped to which was removed or replaced is kept",
        .enabled(if: MountedVolume.isPossible, "mounts a volume"),
        arguments: [true, false]
    )
    func mapped(isRemoved: Bool) throws {
        let pair = try DevicePair(isSecondToStart: false)
        let (one, two) = (pair.one, pair.two)
        // Where nothing is ever written back: of what is stored in memory only the first moves a date.
        let volume = try MountedVolume(over: two.folder, keptAt: pair.base.appendingPathComponent("top"))
        defer { withExtendedLifetime(volume) {} }
        try two.write("first", to: "a.txt")
        let file = try FileHandle(forUpdating: two.folder.appendingPathComponent("a.txt"))
        let place = mmap(nil, 5, PROT_READ | PROT_WRITE, MAP_SHARED, file.fileDescriptor, 0)
        let memory = try #require(place == MAP_FAILED ? nil : place)
        memory.copyMemory(from: Array("AAAAA".utf8), byteCount: 5)
        try two.start()
        pair.wait { one.text("a.txt") == "AAAAA" && pair.isSettled }
        if isRemoved {
            try FileManager.default.removeItem(atPath: one.path("a.txt"))
            pair.wait { two.said.contains(.removed(path: "a.txt")) && pair.isSettled }
        } else {
            try one.put("second", at: "a.txt")
            pair.wait { two.text("a.txt") == "second" && pair.isSettled }
        }
        memory.copyMemory(from: Array("BBBBB".utf8), byteCount: 5)
        #expect(munmap(memory, 5) == 0)
        try file.close()
        for device in [one, two] {
            pair.wait {
                isRemoved
                    ? device.text("a.txt") == "BBBBB" : (try? device.conflicts("a.txt")) == ["BBBBB"]
            }
        }
        pair.wait { pair.isSettled }
        pair.end()
    }

    @Test(
        "A program that dates a file anew which was removed or replaced under it, and writes nothing, has edited nothing",
        arguments: [true, false]
    )
    func touched(isRemoved: Bool) throws {
        let pair = try DevicePair.holding("first", as: "log.txt")
        let (one, two) = (pair.one, pair.two)
        let counter = CopyCounter(on: two)
        SystemCallObservation.add(counter)
        defer { SystemCallObservation.remove(counter) }
        let file = try FileHandle(forWritingTo: two.folder.appendingPathComponent("log.txt"))
        if isRemoved {
            try FileManager.default.removeItem(atPath: one.path("log.txt"))
            pair.wait { two.said.contains(.removed(path: "log.txt")) && pair.isSettled }
        } else {
            try one.put("second", at: "log.txt")
            pair.wait { two.text("log.txt") == "second" && pair.isSettled }
        }
        #expect(futimens(file.fileDescriptor, nil) == 0)
        #expect(fchmod(file.fileDescriptor, 0o600) == 0)
        try file.close()
        pair.wait { counter.count > 0 && pair.isSettled }
        // What comes after has been done when this is there.
        try two.write("beside", to: "b.txt")
        pair.wait { one.text("b.txt") == "beside" && pair.isSettled }
        for device in [one, two] {
            #expect(device.text("log.txt") == (isRemoved ? nil : "second"))
            if !isRemoved { #expect(try device.conflicts("log.txt").isEmpty) }
        }
        pair.end()
    }

    @Test("That a program has a file open that was removed under it is said when the device ends")
    func lossAtTheEnd() throws {
        let pair = try DevicePair.holding("first", as: "log.txt")
        let two = pair.two
        let file = try FileHandle(forWritingTo: two.folder.appendingPathComponent("log.txt"))
        try FileManager.default.removeItem(atPath: pair.one.path("log.txt"))
        pair.wait { two.said.contains(.removed(path: "log.txt")) && pair.isSettled }
        two.stop()
        let said = two.said.compactMap {
            if case .failed(let path, let why) = $0 { "\(path): \(why)" } else { nil }
        }
        #expect(said.contains { $0.contains("log.txt") && $0.contains("is kept in step no more") }, "\(said)")
        try file.close()
        pair.end()
    }

    @Test("What was written late into what is open still is kept before the device ends")
    func openAtTheEnd() throws {
        let pair = try DevicePair.holding("first", as: "log.txt")
        let two = pair.two
        let file = try FileHandle(forWritingTo: two.folder.appendingPathComponent("log.txt"))
        try file.seekToEnd()
        try FileManager.default.removeItem(atPath: pair.one.path("log.txt"))
        pair.wait { two.said.contains(.removed(path: "log.txt")) && pair.isSettled }
        try file.write(contentsOf: Data(" and late".utf8))
        two.stop()
        #expect(two.text("log.txt") == "first and late")
        try file.close()
        try two.start()
        pair.wait { pair.one.text("log.txt") == "first and late" && pair.isSettled }
        pair.end()
    }

    @Test(
        "What is written late while there is no room is kept once there is, however long that takes",
        arguments: [true, false]
    )
    func noRoom(isRemoved: Bool) throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        let shortage = Shortage(at: two.memoryFolder.appendingPathComponent("late-").path)
        let writer = try Writer("a.txt", on: two, .nameless)
        SystemCallObservation.add(shortage)
        SystemCallObservation.add(writer)
        defer {
            SystemCallObservation.remove(shortage)
            SystemCallObservation.remove(writer)
        }
        if isRemoved {
            try FileManager.default.removeItem(atPath: one.path("a.txt"))
        } else {
            try one.put("second", at: "a.txt")
        }
        pair.wait { writer.isDone }
        // As it was written, and as it would have been let go of.
        pair.wait { shortage.refusalCount >= 2 }
        #expect(two.status?.stuck["a.txt"]?.contains("No space left on device") == true, "\(two.said)")
        #expect(two.status?.isSettled == false)
        SystemCallObservation.remove(shortage)
        two.tryAgain()
        waitUntilKept("a.txt", pair, isRemoved: isRemoved)
        pair.wait { pair.isSettled }
        #expect(one.text("a.txt") == (isRemoved ? "first and late" : "second"))
        pair.end()
    }
}

import CLinux
import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Glibc
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Devices that begin to share a folder when each has files of its own in it, many of them the same.
@Suite("Joining with files", .onOwnThreads, .timeLimit(.minutes(2)))
struct JoiningWithFilesTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair(areStarted: false) }

    private func writeBoth(_ text: String, to name: String) throws {
        for device in [one, two] { try device.write(text, to: name) }
    }

    /// The first one sends what it has, and then the second one joins.
    private func start() throws {
        try one.start()
        #expect(one.wait { one.status?.isSettled == true })
        try two.start()
    }

    private func expectBoth(_ contents: [String: String], _ location: SourceLocation = #_sourceLocation) {
        let isSo = two.wait { one.contents == contents && two.contents == contents && pair.isSettled }
        #expect(
            isSo,
            "\(one.contents) and \(two.contents); \(one.said) and \(two.said)",
            sourceLocation: location
        )
    }

    private func mark(_ name: String, on device: TestDevice) throws -> FileMark? {
        try FileIdentity.mark(at: FilePath(device.path(name)))
    }

    /// Somebody who has a device wait as it reads its files, ten at a time, until the hub has the first of them. What comes over the
    /// line is taken between two times, and several things have to come: each time has only a moment, but for the last.
    private final class Patience: SystemCallObserver {
        static let fileCount = 600

        private let start: String
        private let entryCount: Int
        private let read = Locked<Set<String>>([])
        private let sent = DispatchSemaphore(value: 0)
        private let isSent = Locked(false)

        /// - Parameter entryCount: So many entries there are with the folder's.
        init(_ folder: URL, besides entryCount: Int) {
            (start, self.entryCount) = (folder.path + "/", entryCount)
        }

        /// Whether the hub had the first before the last were read.
        var hasHeard: Bool { isSent.withLock { $0 } }

        func hear(entryCount count: Int) {
            if count > entryCount { sent.signal() }
        }

        func willMake(_ call: SystemCall) -> CInt {
            guard ["read", "pread"].contains(call.name), call.path.string.hasPrefix(start) else { return 0 }
            let count = read.withLock { read in read.insert(call.path.string).inserted ? read.count : 0 }
            guard count % 10 == 1, !hasHeard else { return 0 }
            let isLast = count > Self.fileCount - 10
            if sent.wait(timeout: .now() + (isLast ? 30 : 0.25)) == .success { isSent.withLock { $0 = true } }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test("Who shares a folder with many files sends the first while he reads the others")
    func sendsWhileReading() throws {
        for number in 0..<Patience.fileCount { try one.write("\(number)", to: "many/\(number).txt") }
        // Who shares it, and the folder itself.
        let others = pair.hub.entryCount + 1
        let patience = Patience(one.folder.appendingPathComponent("many"), besides: others)
        SystemCallObservation.add(patience)
        defer { SystemCallObservation.remove(patience) }
        pair.hub.tellEntryCount { patience.hear(entryCount: $0) }
        let device = try HeldDevice(one, readCountMax: 10)
        #expect(one.wait { device.running.status.isSettled }, "\(device.running.status)")
        pair.hub.tellEntryCount(nil)
        #expect(patience.hasHeard)
        #expect(pair.hub.entryCount == others + Patience.fileCount)
        device.stop()
        pair.end()
    }

    @Test("What is the same in both is there once, at any depth; what is not has a number")
    func joined() throws {
        try writeBoth("same", to: "same.txt")
        try writeBoth("same", to: "sub/in.txt")
        try writeBoth("deep", to: "sub/deeper/deep.txt")
        try one.write("one", to: "sub/one.txt")
        try two.write("two", to: "sub/two.txt")
        try one.write("one", to: "differs.txt")
        try two.write("two", to: "differs.txt")
        try start()
        expectBoth([
            "same.txt": "same", "sub": "/", "sub/in.txt": "same", "sub/deeper": "/",
            "sub/deeper/deep.txt": "deep",
            "sub/one.txt": "one", "sub/two.txt": "two", "differs.txt": "one", "differs 2.txt": "two",
        ])
        for name in ["same.txt", "sub", "sub/in.txt", "sub/deeper"] {
            #expect(try mark(name, on: one) == mark(name, on: two) && mark(name, on: one) != nil, "\(name)")
        }
        // It is one item from then on.
        try two.write("edited", to: "sub/in.txt")
        #expect(rename(two.path("same.txt"), two.path("sub/moved.txt")) == 0)
        pair.wait {
            one.text("sub/in.txt") == "edited" && one.text("sub/moved.txt") == "same" && pair.isSettled
        }
        #expect(one.text("same.txt") == nil && one.contents == two.contents)
        two.stop()
        try two.start()
        pair.wait { pair.isSettled && one.contents == two.contents }
        #expect(one.contents.count == 9)
        pair.end()
    }

    @Test("Packages, links, empty folders and files with several names are one with their like")
    func kinds() throws {
        for device in [one, two] {
            try device.write("text", to: "Notes.rtfd/TXT.rtf")
            try device.write("several", to: "several.txt")
            #expect(link(device.path("several.txt"), device.path("names.txt")) == 0)
            #expect(symlink("several.txt", device.path("link")) == 0)
            try FileManager.default.createDirectory(
                atPath: device.path("empty"),
                withIntermediateDirectories: false
            )
        }
        try TestDevice.setDate(of: two.path("Notes.rtfd/TXT.rtf"), like: one.path("Notes.rtfd/TXT.rtf"))
        try start()
        expectBoth([
            "Notes.rtfd": "/", "Notes.rtfd/TXT.rtf": "text", "several.txt": "several", "names.txt": "several",
            "link": "several", "empty": "/",
        ])
        try one.write("other", to: "Notes.rtfd/TXT.rtf")
        #expect(unlink(two.path("link")) == 0 && rmdir(one.path("empty")) == 0)
        expectBoth([
            "Notes.rtfd": "/", "Notes.rtfd/TXT.rtf": "other", "several.txt": "several",
            "names.txt": "several",
        ])
        pair.end()
    }

    @Test("Of two with other permissions what either allows is merged, and nothing is in conflict")
    func permissions() throws {
        try writeBoth("same", to: "same.bin")
        #expect(chmod(one.path("same.bin"), 0o644) == 0 && chmod(two.path("same.bin"), 0o600) == 0)
        try start()
        expectBoth(["same.bin": "same"])
        let modes = try [one, two].map { device in
            try FolderScan.status(at: FilePath(device.path("same.bin")))?.stamp.permissions
        }
        #expect(modes[0] != nil && modes[0] == modes[1], "\(modes)")
        #expect(try one.conflicts("same.bin") == [] && two.conflicts("same.bin") == [])
        pair.end()
    }

    @Test("Many are read before the log counts: none comes a second time, and none is fetched")
    func many() throws {
        // More than are read at a time.
        for number in 0..<700 { try writeBoth("\(number)", to: "\(number % 7)/\(number).txt") }
        try start()
        pair.wait { pair.isSettled }
        #expect(one.contents.count == 707 && two.contents == one.contents)
        let received = two.said.filter { if case .received = $0 { true } else { false } }
        #expect(received.isEmpty, "\(received.prefix(5))")
        pair.end()
    }

    @Test(
        "A device that has lost its memory, and whose files bear nothing any more, joins again with what it has"
    )
    func again() throws {
        try start()
        try one.write("a", to: "a.txt")
        try one.write("b", to: "sub/b.txt")
        let all = ["a.txt": "a", "sub": "/", "sub/b.txt": "b"]
        expectBoth(all)
        two.stop()
        try FileManager.default.removeItem(at: two.memoryFolder)
        try FileManager.default.createDirectory(
            at: two.memoryFolder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        for name in ["", "a.txt", "sub", "sub/b.txt"] {
            #expect(CLinux.removexattr(two.path(name), FileMark.attributeName) == 0, "\(name)")
        }
        try two.write("b edited", to: "sub/b.txt")
        try one.write("c", to: "c.txt")
        #expect(one.wait { one.running?.isInStepNow == true })
        try two.start()
        expectBoth([
            "a.txt": "a", "sub": "/", "sub/b.txt": "b", "sub/b 2.txt": "b edited", "c.txt": "c",
        ])
        pair.end()
    }

    @Test("The versions that a document has on a device that joins stay its versions")
    func versions() throws {
        let url = two.folder.appendingPathComponent("same.txt")
        try two.write("former", to: "same.txt")
        try VersionStore.$shared.withValue(two.versions) {
            let former = pair.base.appendingPathComponent("former.txt")
            try Data("older".utf8).write(to: former)
            _ = try NSFileVersion.addOfItem(at: url, withContentsOf: former)
            _ = try two.versions.keep(contents: url, asVersionOf: url, isDiscardable: true)
        }
        try writeBoth("same", to: "same.txt")
        let before = try two.formerTexts(of: "same.txt")
        #expect(Set(before) == ["former", "older"])
        try start()
        expectBoth(["same.txt": "same"])
        #expect(try mark("same.txt", on: one) == mark("same.txt", on: two))
        #expect(try two.formerTexts(of: "same.txt") == before)
        pair.end()
    }

    @Test(
        "What an app has kept as in conflict before its device joins is so on both, and settled on either",
        arguments: [true, false]
    )
    func conflicts(isSettledWhereItWasKept: Bool) throws {
        try writeBoth("same", to: "same.txt")
        let url = two.folder.appendingPathComponent("same.txt")
        _ = try two.versions.keepConflict(contents: Data("other".utf8), of: url, dated: Date(), .autosave)
        try start()
        func isInConflict(with texts: [String]) -> Bool {
            (try? one.conflicts("same.txt")) == texts && (try? two.conflicts("same.txt")) == texts
        }
        pair.wait { isInConflict(with: ["other"]) && pair.isSettled }
        #expect(try mark("same.txt", on: one) == mark("same.txt", on: two))
        let device = isSettledWhereItWasKept ? two : one
        let place = device.folder.appendingPathComponent("same.txt")
        try VersionStore.$shared.withValue(device.versions) {
            try device.versions.settle(try device.versions.unresolvedConflicts(at: place))
        }
        pair.wait { isInConflict(with: []) && pair.isSettled }
        // Nor does it come back with what is read next.
        try two.put("edited", at: "same.txt")
        pair.wait { one.text("same.txt") == "edited" && pair.isSettled }
        #expect(isInConflict(with: []))
        pair.end()
    }

    @Test("Folders of one name that two have made while one was away are one, with all that is in both")
    func away() throws {
        try start()
        #expect(two.wait { two.status?.isSettled == true })
        two.stop()
        try one.write("one", to: "Letters/one.txt")
        try two.write("two", to: "Letters/two.txt")
        #expect(one.wait { one.running?.isInStepNow == true })
        try two.start()
        expectBoth(["Letters": "/", "Letters/one.txt": "one", "Letters/two.txt": "two"])
        pair.end()
    }
}

import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// On a volume that cannot exchange two names a save takes the old version of a package out, and then puts the new one in.
@Suite("A save that is between two versions", .onOwnThreads, .timeLimit(.minutes(2)))
struct AmidSaveTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private let name = "plan.rtfd"
    private let old = ["plan.rtfd": "755 folder", "plan.rtfd/member": "644 old"]
    private let new = ["plan.rtfd": "755 folder", "plan.rtfd/member": "644 new"]

    init() throws {
        pair = try DevicePair()
        try one.write("old", to: "plan.rtfd/member")
        pair.expectBoth(old)
    }

    private var staging: String { one.path(SaveSite.stagingName(for: name)) }

    /// Begins a save.
    ///
    /// - Returns: The staging, locked as by a process that lives.
    private func begin() throws -> CInt {
        let files = FileManager.default
        try files.createDirectory(atPath: staging + "/.sheaf-next", withIntermediateDirectories: true)
        try Data("new".utf8).write(to: URL(fileURLWithPath: staging + "/.sheaf-next/member"))
        try Data("sheaf swap 1\n".utf8).write(to: URL(fileURLWithPath: staging + "/.sheaf-journal"))
        let descriptor = open(staging, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return descriptor
    }

    private func takeOut() throws {
        try FileManager.default.moveItem(atPath: one.path(name), toPath: staging + "/.sheaf-old")
    }

    private func putIn() throws {
        try FileManager.default.moveItem(atPath: staging + "/.sheaf-next", toPath: one.path(name))
        try FileManager.default.removeItem(atPath: staging + "/.sheaf-journal")
    }

    private var leftovers: [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: one.folder.path).filter {
            $0.hasPrefix(".sheaf-")
        }
    }

    /// Has the device look at its folder, and for what is missing in it.
    private func look() throws {
        for text in ["1", "2"] {
            try one.write(text, to: "other.txt")
            pair.wait { two.text("other.txt") == text }
            try FileManager.default.removeItem(atPath: one.path("other.txt"))
            try one.write(text, to: "last.txt")
            pair.wait { two.text("last.txt") == text && one.running?.item("other.txt") == nil }
        }
        try FileManager.default.removeItem(atPath: one.path("last.txt"))
        pair.wait { two.text("last.txt") == nil }
    }

    @Test("While it goes on, and if it dies, nothing is removed anywhere", arguments: [true, false])
    func live(isEnded: Bool) throws {
        let lock = try begin()
        try takeOut()
        try look()
        #expect(two.text("plan.rtfd/member") == "old", "\(one.said)")
        if isEnded { try putIn() }
        close(lock)
        if !isEnded { one.running?.tryAgain() }
        pair.expectBoth(new)
        if !isEnded { #expect(leftovers == []) }
        pair.end()
    }

    @Test("A document is not in step while it is out of its place, and says so until it is back")
    func said() throws {
        let lock = try begin()
        try takeOut()
        pair.wait { one.running?.explain(name).chain.first?.text == SyncRun.amidSave }
        #expect(one.running?.explain(name).isSettled == false && one.status?.isSettled == false)
        #expect(one.status?.stuck[name] == SyncRun.amidSave)
        #expect(one.running?.item(name)?.isSettled == false && one.running?.item(name)?.isUploaded == false)
        #expect(one.running?.unsettledItems(in: "").count == 1)
        try putIn()
        close(lock)
        pair.expectBoth(new)
        pair.wait { one.running?.explain(name).isSettled == true && pair.isSettled }
        #expect(one.running?.item(name)?.isSettled == true)
        pair.end()
    }

    /// A staging that nobody may look into.
    private final class Closed: SystemCallObserver {
        private let staging: String
        private let isOver = Locked(false)

        init(_ staging: String) { self.staging = staging }

        func end() { isOver.withLock { $0 = true } }

        func willMake(_ call: SystemCall) -> CInt {
            call.name == "openat" && call.path.string == staging && !isOver.withLock({ $0 }) ? EACCES : 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "Where nobody can look into what it has left, that is said, and nothing is removed until somebody can"
    )
    func closed() throws {
        let lock = try begin()
        let closed = Closed(staging)
        SystemCallObservation.add(closed)
        defer { SystemCallObservation.remove(closed) }
        try takeOut()
        close(lock)
        pair.wait {
            one.status?.stuck.values.contains { $0.contains(SaveSite.stagingName(for: name)) } == true
        }
        #expect(two.text("plan.rtfd/member") == "old", "\(one.said)")
        closed.end()
        one.running?.tryAgain()
        pair.expectBoth(new)
        pair.end()
    }

    @Test(
        "If it died while nobody looked, it is ended at the start; what was not begun is cleared away",
        arguments: [true, false]
    )
    func dead(isOut: Bool) throws {
        one.stop()
        let lock = try begin()
        if isOut {
            try takeOut()
        } else {
            try FileManager.default.removeItem(atPath: staging + "/.sheaf-journal")
        }
        close(lock)
        let count = pair.hub.entryCount
        try one.start()
        pair.expectBoth(isOut ? new : old)
        pair.wait { leftovers == [] }
        #expect(pair.hub.entryCount == count + (isOut ? 1 : 0), "\(one.said)")
        pair.end()
    }

    @Test(
        "What a dead save left of a file is cleared away at the start, however long its name",
        arguments: [8, 240]
    )
    func leftover(nameLength: Int) throws {
        let name = String(repeating: "n", count: nameLength) + ".txt"
        try one.write("text", to: name)
        pair.wait { two.text(name) == "text" }
        one.stop()
        let staging = SaveSite.stagingName(for: name)
        #expect((SaveSite.itemName(ofStaging: staging) == nil) == (nameLength > 100))
        try one.write("half", to: staging)
        try one.start()
        pair.wait { leftovers == [] && pair.isSettled }
        #expect(one.text(name) == "text" && two.text(name) == "text")
        pair.end()
    }
}

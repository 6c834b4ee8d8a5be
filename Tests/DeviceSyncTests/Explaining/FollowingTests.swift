import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What those are told who follow items that are not here yet, or a container that could not begin yet.
@Suite("Following", .onOwnThreads, .timeLimit(.minutes(2)))
struct FollowingTests {
    private let pair: DevicePair
    private let told = Locked<[ItemSyncState]>([])
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func follow(isDeep: Bool) throws -> @Sendable () -> Void {
        let running = try #require(two.running)
        return running.follow("", isDeep: isDeep) { [told] states, _ in told.withLock { $0 += states } }
    }

    private func path(_ name: String) -> String { two.place.folder.string + "/" + name }

    @Test("What is at the hub and not here yet is told of where it will be")
    func arriving() throws {
        try one.write("text", to: "Sub/a.txt")
        pair.wait { two.text("Sub/a.txt") == "text" && pair.isSettled }
        try two.write("another", to: "Fern.txt")
        pair.wait { one.text("Fern.txt") == "another" && pair.isSettled }
        two.slowDown(toSeconds: 60)
        try one.write("other contents", to: "Sub/Fern.txt")
        let running = try #require(two.running)
        pair.wait { running.item("Sub/Fern.txt") != nil }
        #expect(running.item("Sub/Fern.txt")?.path == path("Sub/Fern.txt"))
        let end = try follow(isDeep: true)
        defer { end() }
        // News of all that is not in step.
        two.line.cut()
        pair.wait { told.withLock { $0.contains { $0.path == path("Sub/Fern.txt") } } }
        #expect(told.withLock { $0.allSatisfy { $0.path != path("Fern.txt") } })
        #expect(two.text("Sub/Fern.txt") == nil)
        pair.end()
    }

    @Test("Of what is made anew where something has gone it is told how the new one stands, not the old one")
    func anew() throws {
        let names = (0..<12).map { "\($0).txt" }
        for name in names { try two.write("text", to: name) }
        pair.wait { one.contents.count == names.count && pair.isSettled }
        let running = try #require(two.running)
        let end = try follow(isDeep: true)
        defer { end() }
        func last(_ name: String) -> ItemSyncState? {
            told.withLock { $0.last { $0.path == path(name) } }
        }
        two.line.cut()
        for name in names { try FileManager.default.removeItem(at: two.folder.appendingPathComponent(name)) }
        pair.wait { names.allSatisfy { running.item($0)?.contents == .missing } }
        for name in names { try two.write("another", to: name) }
        pair.wait { running.items(below: "").filter { $0.contents == .current }.count == names.count }
        pair.wait { names.allSatisfy { last($0)?.contents == .current } }
        told.withLock { $0 = [] }
        two.line.mend()
        pair.wait { one.text(names[0]) == "another" && pair.isSettled }
        // What is told after all that.
        try two.write("text", to: "later.txt")
        pair.wait { last("later.txt")?.isUploaded == true && pair.isSettled }
        for name in names { #expect(last(name)?.isUploaded == true) }
        let said = told.withLock { $0.filter { $0.path != path("later.txt") } }
        #expect(said.allSatisfy { $0.contents == .current && $0.isNowhere == nil }, "\(said)")
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent(names[0]))
        pair.wait { last(names[0])?.isNowhere == true && pair.isSettled }
        #expect(names.dropFirst().allSatisfy { last($0)?.isNowhere == nil })
        pair.end()
    }

    @Test(
        "Who follows a container that cannot begin yet hears in the end what others heard at once",
        arguments: [true, false]
    )
    func beginning(isDeep: Bool) throws {
        try one.write("text", to: "a/b/c.txt")
        try one.write("text", to: "a/d.txt")
        try one.write("text", to: "e.txt")
        pair.wait { two.contents.count == 5 && pair.isSettled }
        try two.running?.evict("a/b/c.txt")
        two.stop()
        try two.fillDisk()
        try two.start()
        let end = try follow(isDeep: isDeep)
        defer { end() }
        #expect(told.withLock { $0 } == [])
        two.freeDisk()
        pair.wait { told.withLock { $0.contains { $0.path == path("a") } } }
        let first = told.withLock { $0 }
        if isDeep {
            #expect(first.contains { $0.path == path("a/b/c.txt") } && first.allSatisfy { $0.inside == nil })
        } else {
            #expect(first.filter { $0.path == path("a") }.map(\.standing).last == .remote)
            #expect(first.allSatisfy { !$0.path.hasPrefix(path("a/")) })
        }
        pair.end()
    }

    @Test(
        "Who follows a folder hears that it is in step, whatever is the matter elsewhere",
        arguments: [true, false]
    )
    func elsewhere(isDeep: Bool) throws {
        try one.write("text", to: "Sub/In/a.txt")
        try one.write("text", to: "Other/b.txt")
        pair.wait {
            two.text("Sub/In/a.txt") == "text" && two.text("Other/b.txt") == "text" && pair.isSettled
        }
        let running = try #require(two.running)
        let isSettled = Locked<[String: Bool]>([:])
        let ends = ["", "Sub", "Other", "Nowhere"].map { path in
            running.follow(path, isDeep: isDeep) { _, isSo in isSettled.withLock { $0[path] = isSo } }
        }
        defer { for end in ends { end() } }
        func are(_ expected: [String: Bool]) -> Bool { isSettled.withLock { $0 } == expected }
        pair.wait { are(["": true, "Sub": true, "Other": true, "Nowhere": true]) }
        try running.pause("Other/b.txt", by: "a test")
        try two.write("edited", to: "Other/b.txt")
        pair.wait { are(["": false, "Sub": true, "Other": false, "Nowhere": true]) }
        // Who comes now is told the same.
        let late = running.follow("Sub", isDeep: isDeep) { _, isSo in isSettled.withLock { $0["late"] = isSo }
        }
        late()
        #expect(isSettled.withLock { $0["late"] } == true)
        isSettled.withLock { $0["late"] = nil }
        two.line.cut()
        pair.wait { are(["": false, "Sub": false, "Other": false, "Nowhere": false]) }
        two.line.mend()
        pair.wait { are(["": false, "Sub": true, "Other": false, "Nowhere": true]) }
        try running.pause("Sub/In/a.txt", by: "a test")
        try one.write("also edited", to: "Sub/In/a.txt")
        pair.wait { are(["": false, "Sub": false, "Other": false, "Nowhere": true]) }
        try running.resume("Sub/In/a.txt", .preserveLocal) { _ in }
        pair.wait { two.text("Sub/In/a.txt") == "also edited" }
        pair.wait { are(["": false, "Sub": true, "Other": false, "Nowhere": true]) }
        pair.end()
    }

    @Test("Why a container cannot begin is reported once, and again when it has become something else")
    func reports() throws {
        two.stop()
        try two.fillDisk()
        try two.start()
        let reasons = {
            two.said.compactMap { report -> String? in
                guard case .failed("what this device remembers", let why) = report else { return nil }
                return why
            }
        }
        #expect(reasons().count == 1)
        // What is told to those who mend this program names nothing.
        let told = try #require(two.running?.diagnosis([]).lineFailure)
        #expect(told.contains("cannot") && !told.contains("/"), "\(told)")
        for _ in 0..<3 { two.running?.tryAgain() }
        #expect(reasons().count == 1)
        try two.breakDisk()
        two.running?.tryAgain()
        #expect(reasons().count == 2 && Set(reasons()).count == 2, "\(reasons())")
        two.mendDisk()
        two.freeDisk()
        pair.wait { two.status?.line == .up }
        pair.end()
    }
}

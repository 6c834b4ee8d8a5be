import CLinux
import Dispatch
import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Something of another kind takes a name.
@Suite("Another kind of item at a name, on two devices", .onOwnThreads, .timeLimit(.minutes(2)))
struct OtherKindTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    enum Kind: String, CaseIterable {
        case file, folder, package, link
    }

    /// What is made at a name, below a folder; as both devices show it.
    private func make(_ kind: Kind, _ name: String, in folder: String) throws -> [String: String] {
        let place = folder + "/" + name
        switch kind {
        case .file:
            try Data("flat".utf8).write(to: URL(fileURLWithPath: place))
            return [name: "644 flat"]
        case .folder, .package:
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            try Data("in it".utf8).write(to: URL(fileURLWithPath: place + "/member"))
            return [name: "755 folder", name + "/member": "644 in it"]
        case .link:
            try #require(symlink("elsewhere", place) == 0)
            return [name: "link to elsewhere"]
        }
    }

    /// Keeps a device from looking into its folder for a while.
    private final class Blindfold: SystemCallObserver {
        private let place: String
        private let isOn = Locked(true)
        private let off = DispatchSemaphore(value: 0)

        init(_ folder: URL) { place = folder.path }

        func takeOff() {
            isOn.withLock { $0 = false }
            off.signal()
        }

        func willMake(_ call: SystemCall) -> CInt {
            if call.path.string.hasPrefix(place), isOn.withLock({ $0 }) {
                off.wait()
                off.signal()
            }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    /// All kinds that may have one name: what is a package is told by that.
    static let changes: [(Kind, Kind)] = Kind.allCases.flatMap { from in
        Kind.allCases.filter { $0 != from && Set([$0, from]) != [.folder, .package] }.map { (from, $0) }
    }

    @Test(
        "It has the name, on both devices, and nothing else is renamed for it",
        arguments: changes,
        [true, false]
    )
    func replaced(_ kinds: (Kind, Kind), atOnce: Bool) throws {
        let (from, to) = kinds
        let name = [from, to].contains(.package) ? "d.rtfd" : "d"
        pair.expectBoth(try make(from, name, in: one.folder.path))
        let entryCount = pair.hub.entryCount
        let desk = pair.base.appendingPathComponent("desk").path
        try FileManager.default.createDirectory(atPath: desk, withIntermediateDirectories: false)
        let expected: [String: String]
        if atOnce {
            expected = try make(to, name, in: desk)
            let exchange: UInt32 = 2
            #expect(
                cdoc_renameat2(AT_FDCWD, desk + "/" + name, AT_FDCWD, one.path(name), exchange) == 0
            )
        } else {
            // Who looks between the two sees one thing go, and then another come.
            let blindfold = Blindfold(one.folder)
            SystemCallObservation.add(blindfold)
            defer {
                SystemCallObservation.remove(blindfold)
                blindfold.takeOff()
            }
            try FileManager.default.removeItem(atPath: one.path(name))
            expected = try make(to, name, in: one.folder.path)
        }
        pair.expectBoth(expected)
        // A document is what it was, whatever it is made of now. A folder is nobody's successor: one goes, the other comes, with
        // what is in it.
        let count = [from, to].contains(.folder) ? 3 : 1
        #expect(pair.hub.entryCount == entryCount + count, "\(one.said)")
        try pair.expectRest()
        pair.end()
    }

    @Test(
        "What is put beside the placeholder of something that is not here is another item",
        arguments: [Kind.file, .package],
        [Kind.file, .package]
    )
    func besidePlaceholder(evicted: Kind, new: Kind) throws {
        let former = try make(evicted, "d.rtfd", in: one.folder.path)
        pair.expectBoth(former)
        try two.evict(two.folder.appendingPathComponent("d.rtfd"))
        _ = try make(new, "d.rtfd", in: two.folder.path)
        let suffix = new == .package ? "/member" : ""
        // What has the same contents is that again.
        if new == evicted { try two.write("other", to: "d.rtfd" + suffix) }
        let text = new == evicted ? "other" : new == .package ? "in it" : "flat"
        let isSo = two.wait {
            one.text("d 2.rtfd" + suffix) == text && one.contents.count >= 2
                && two.isInStep(at: pair.hub.entryCount)
        }
        #expect(isSo, "\(one.descriptions) and \(two.descriptions); \(two.said)")
        #expect(former.allSatisfy { one.descriptions[$0.key] == $0.value })
        pair.end()
    }

    @Test(
        "What is put beside a placeholder and has the same contents is that again",
        arguments: [Kind.file, .package]
    )
    func sameBesidePlaceholder(kind: Kind) throws {
        let former = try make(kind, "d.rtfd", in: one.folder.path)
        pair.expectBoth(former)
        try two.evict(two.folder.appendingPathComponent("d.rtfd"))
        #expect(two.wait { two.status?.isSettled == true && two.descriptions != former })
        // All of it at once.
        let desk = pair.base.appendingPathComponent("desk").path
        try FileManager.default.createDirectory(atPath: desk, withIntermediateDirectories: false)
        _ = try make(kind, "d.rtfd", in: desk)
        if kind == .package {
            try TestDevice.setDate(of: desk + "/d.rtfd/member", like: one.path("d.rtfd/member"))
        }
        #expect(rename(desk + "/d.rtfd", two.path("d.rtfd")) == 0)
        pair.expectBoth(former)
        try two.write("edited", to: kind == .package ? "d.rtfd/member" : "d.rtfd")
        #expect(one.wait { one.text(kind == .package ? "d.rtfd/member" : "d.rtfd") == "edited" })
        #expect(one.contents == two.contents)
        pair.end()
    }

    @Test(
        "What is saved again beside a placeholder is not taken for what that stands for",
        arguments: [Kind.file, .package, .link]
    )
    func savedBesidePlaceholder(new: Kind) throws {
        let former = try make(.file, "d.rtfd", in: one.folder.path)
        pair.expectBoth(former)
        try two.evict(two.folder.appendingPathComponent("d.rtfd"))
        #expect(two.wait { two.status?.isSettled == true })
        two.goOffline()
        #expect(two.wait { two.status?.line == .down })
        try two.write("first", to: "d.rtfd")
        #expect(two.wait { two.status?.unsettledCount == 1 })
        let desk = pair.base.appendingPathComponent("desk").path
        try FileManager.default.createDirectory(atPath: desk, withIntermediateDirectories: false)
        _ = try make(new, "d.rtfd", in: desk)
        if new == .file { try Data("other".utf8).write(to: URL(fileURLWithPath: desk + "/d.rtfd")) }
        #expect(cdoc_renameat2(AT_FDCWD, desk + "/d.rtfd", AT_FDCWD, two.path("d.rtfd"), 2) == 0)
        two.goOnline()
        var numbered = try make(new, "d 2.rtfd", in: desk)
        if new == .file { numbered["d 2.rtfd"] = "644 other" }
        let isSo = two.wait {
            one.descriptions == former.merging(numbered) { $1 } && two.isInStep(at: pair.hub.entryCount)
        }
        #expect(isSo, "\(one.descriptions) and \(two.descriptions); \(two.said)")
        pair.end()
    }

    @Test("A package that takes the name of a file which was moved away is a new one")
    func movedAway() throws {
        try one.write("text", to: "d.rtfd")
        pair.expectBoth(["d.rtfd": "644 text"])
        let entryCount = pair.hub.entryCount
        let desk = pair.base.appendingPathComponent("desk").path
        try FileManager.default.createDirectory(atPath: desk, withIntermediateDirectories: false)
        _ = try make(.package, "d.rtfd", in: desk)
        #expect(rename(one.path("d.rtfd"), one.path("old.rtfd")) == 0)
        #expect(rename(desk + "/d.rtfd", one.path("d.rtfd")) == 0)
        pair.expectBoth(["old.rtfd": "644 text", "d.rtfd": "755 folder", "d.rtfd/member": "644 in it"])
        // The one is renamed, the other is new; neither is sent as the other.
        #expect(pair.hub.entryCount == entryCount + 2)
        try pair.expectRest()
        pair.end()
    }

    @Test("A file that makes way for a folder of its name and is found elsewhere stays that file")
    func madeWay() throws {
        try one.write("text", to: "d")
        pair.expectBoth(["d": "644 text"])
        let file = try one.inode("d")
        try FileManager.default.moveItem(atPath: one.path("d"), toPath: one.path("d old"))
        try one.write("in it", to: "d/member")
        pair.expectBoth(["d": "755 folder", "d/member": "644 in it", "d old": "644 text"])
        #expect(try one.inode("d old") == file)
        try pair.expectRest()
        pair.end()
    }
}

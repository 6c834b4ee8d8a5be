import Cryptography
import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Sealing
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// When documents were last modified, on two devices: the same to the nanosecond.
@Suite("Modification dates", .onOwnThreads, .timeLimit(.minutes(2)))
struct ModificationDateTests {
    private let pair: DevicePair
    private var hub: HubInMemory { pair.hub }
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private let files = FileManager.default

    init() throws { pair = try DevicePair() }

    private func end() { pair.end() }

    /// In the year 2001, so that no time at which anything arrives here is any of these.
    private static func date(_ number: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(number)) }

    /// Has a document be in a device's folder, all at once.
    ///
    /// - Parameter date: How old; nil for as it is written.
    private func put(_ text: String, _ name: String, _ date: Date?, on device: TestDevice) throws {
        let source = FilePath(pair.base.path).appending("next")
        try Data(text.utf8).write(to: source.url(isDirectory: false))
        if let date { try files.setAttributes([.modificationDate: date], ofItemAtPath: source.string) }
        try put(source, name, on: device)
    }

    private func put(_ source: FilePath, _ name: String, on device: TestDevice) throws {
        let target = FilePath(device.folder.path).appending(name)
        try #require(rename(source.string, target.string) == 0)
    }

    private func move(_ name: String, to target: String, on device: TestDevice) throws {
        let source = device.folder.appendingPathComponent(name)
        try files.moveItem(at: source, to: device.folder.appendingPathComponent(target))
    }

    /// Nanoseconds since 1970; nil for nothing.
    private func modified(_ name: String, on device: TestDevice) throws -> Int64? {
        let path = FilePath(device.folder.path).appending(name)
        return try FolderScan.status(at: path).map { ItemTrace($0).modified }
    }

    /// Waits until both have a document and are at rest.
    private func wait(for text: String, _ name: String, _ location: SourceLocation = #_sourceLocation) {
        pair.wait(location) { one.text(name) == text && two.text(name) == text && pair.isSettled }
    }

    private func expectSame(
        _ name: String,
        _ date: Date? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try #require(try modified(name, on: one), sourceLocation: location)
        #expect(try modified(name, on: two) == found, "\(name)", sourceLocation: location)
        guard let date else { return }
        let seconds = Double(found) / 1e9
        #expect(abs(seconds - date.timeIntervalSince1970) < 1e-6, "\(name)", sourceLocation: location)
    }

    @Test(
        "A document is as old on the other device, whatever the clocks say",
        arguments: [-1, 1, 4e9].map { Date(timeIntervalSince1970: $0) } + [date(1)]
    )
    func oneDocument(date: Date) throws {
        try put("text", "a.txt", date, on: one)
        wait(for: "text", "a.txt")
        try expectSame("a.txt", date)
        // As it was written, to the nanosecond.
        try put("text", "b.txt", nil, on: one)
        wait(for: "text", "b.txt")
        try expectSame("b.txt")
        // Nothing of it is news to anybody.
        let entryCount = hub.entryCount
        two.stop()
        try two.start()
        pair.wait { pair.isSettled }
        #expect(hub.entryCount == entryCount)
        end()
    }

    @Test("So are many that come together")
    func arrivingTogether() throws {
        two.line.cut()
        pair.wait { two.status?.line == .down }
        for number in 0..<200 { try put("\(number)", "\(number).txt", Self.date(number), on: one) }
        pair.wait { one.status?.isSettled == true && one.status?.itemCount == 200 }
        two.line.mend()
        pair.wait { (0..<200).allSatisfy { two.text("\($0).txt") == "\($0)" } && pair.isSettled }
        for number in 0..<200 { try expectSame("\(number).txt", Self.date(number)) }
        end()
    }

    @Test("What is changed there is as old as there, and what is renamed stays as old")
    func changedAndRenamed() throws {
        try put("first", "a.txt", Self.date(1), on: one)
        wait(for: "first", "a.txt")
        try put("second", "a.txt", Self.date(2), on: two)
        wait(for: "second", "a.txt")
        try expectSame("a.txt", Self.date(2))
        try move("a.txt", to: "b.txt", on: one)
        wait(for: "second", "b.txt")
        try expectSame("b.txt", Self.date(2))
        end()
    }

    @Test("A package is as old as its folder, changed or new, and its members are as old as they were")
    func package() throws {
        let source = pair.base.appendingPathComponent("next.rtfd")
        try files.createDirectory(at: source, withIntermediateDirectories: false)
        for (name, text) in [("TXT.rtf", "text"), ("picture.png", "picture")] {
            try Data(text.utf8).write(to: source.appendingPathComponent(name))
        }
        try put(FilePath(source.path), "p.rtfd", on: one)
        wait(for: "picture", "p.rtfd/picture.png")
        for name in ["p.rtfd", "p.rtfd/TXT.rtf", "p.rtfd/picture.png"] { try expectSame(name) }
        try one.write("another text", to: "p.rtfd/TXT.rtf")
        wait(for: "another text", "p.rtfd/TXT.rtf")
        try one.write("new", to: "p.rtfd/Pages/1.txt")
        wait(for: "new", "p.rtfd/Pages/1.txt")
        for name in ["p.rtfd", "p.rtfd/TXT.rtf", "p.rtfd/Pages/1.txt"] { try expectSame(name) }
        end()
    }

    @Test("What is merged was modified when it was merged, on both devices")
    func merged() throws {
        try put("one\ntwo\nthree\n", "a.txt", Self.date(1), on: one)
        wait(for: "one\ntwo\nthree\n", "a.txt")
        two.line.cut()
        pair.wait { two.status?.line == .down }
        let entryCount = hub.entryCount
        try put("ONE\ntwo\nthree\n", "a.txt", Self.date(2), on: one)
        try put("one\ntwo\nTHREE\n", "a.txt", Self.date(3), on: two)
        pair.wait { hub.entryCount == entryCount + 1 }
        let began = Int64(Date().timeIntervalSince1970) * 1_000_000_000
        two.line.mend()
        wait(for: "ONE\ntwo\nTHREE\n", "a.txt")
        try expectSame("a.txt")
        #expect(try #require(try modified("a.txt", on: one)) >= began)
        end()
    }

    /// When what has lost a conflict was modified, and on which device, as a device's versions say.
    private func lost(_ name: String, on device: TestDevice) throws -> [(date: Date?, by: String?)] {
        try device.unresolvedConflicts(of: device.folder.appendingPathComponent(name)).map { version in
            VersionStore.$shared.withValue(device.versions) {
                (version.modificationDate, version.localizedNameOfSavingComputer)
            }
        }
    }

    @Test(
        "What has lost a conflict is as old on both devices as where it was made, and named after that, also when it comes late",
        arguments: [false, true]
    )
    func lost(isStartedAnew: Bool) throws {
        try put("base", "a.bin", Self.date(1), on: one)
        wait(for: "base", "a.bin")
        two.stop()
        let count = one.said.count
        try put("newer, and first at the hub", "a.bin", Self.date(3), on: one)
        pair.wait { one.said.dropFirst(count).contains(.settled) }
        try put("older", "a.bin", Self.date(2), on: two)
        if isStartedAnew { one.stop() }
        try two.start()
        if isStartedAnew {
            pair.wait { two.status?.isSettled == true && two.text("a.bin") == "newer, and first at the hub" }
            two.stop()
            try two.start()
            try one.start()
        }
        wait(for: "newer, and first at the hub", "a.bin")
        try expectSame("a.bin", Self.date(3))
        let found = try [one, two].map { try lost("a.bin", on: $0) }
        #expect(found.map(\.count) == [1, 1])
        for lost in found.flatMap(\.self) {
            #expect(lost.by == two.name)
            #expect(lost.date.map { abs($0.timeIntervalSince(Self.date(2))) < 1e-6 } == true, "\(lost)")
        }
        #expect(found[0].first?.date == found[1].first?.date)
        // An edit of who sees the conflict leaves it as old.
        try put("later", "a.bin", Self.date(4), on: one)
        wait(for: "later", "a.bin")
        #expect(try lost("a.bin", on: two).map(\.date) == [found[0].first?.date])
        end()
    }

    // MARK: Not here

    /// Has a document be on both devices, and evicts it on the second.
    private func evict(_ name: String) throws {
        try put("text", name, Self.date(1), on: one)
        wait(for: "text", name)
        try #require(two.running).evict(name)
        pair.wait { two.said.contains(.freed) }
        #expect(try modified(".\(name).icloud", on: two) == modified(name, on: one))
    }

    private func fill(_ name: String) throws {
        _ = try #require(two.running).download(name, done: nil)
        pair.wait { two.text(name) != nil && pair.isSettled }
    }

    @Test("A placeholder is as old as its document, which is as old again when it is filled")
    func evicted() throws {
        try evict("a.txt")
        try fill("a.txt")
        try expectSame("a.txt", Self.date(1))
        end()
    }

    @Test("What is renamed or changed elsewhere while it is not here is as old when it comes")
    func changedWhileEvicted() throws {
        try evict("a.txt")
        try move("a.txt", to: "b.txt", on: one)
        pair.wait { files.fileExists(atPath: two.folder.path + "/.b.txt.icloud") && pair.isSettled }
        #expect(try modified(".b.txt.icloud", on: two) == modified("b.txt", on: one))
        try put("another text", "b.txt", Self.date(2), on: one)
        pair.wait { one.running?.isInStepNow == true }
        pair.wait { (try? modified(".b.txt.icloud", on: two) == modified("b.txt", on: one)) == true }
        // Whoever renames it has not modified it.
        try move(".b.txt.icloud", to: ".c.txt.icloud", on: two)
        pair.wait { one.text("c.txt") == "another text" && pair.isSettled }
        try fill("c.txt")
        try expectSame("c.txt", Self.date(2))
        end()
    }

    // MARK: Later

    @Test("A device that joins later has what was modified last, by whomever, as old as that")
    func joiningLater() throws {
        try put("first", "a.txt", Self.date(1), on: one)
        try put("kept", "b.txt", Self.date(2), on: one)
        wait(for: "first", "a.txt")
        wait(for: "kept", "b.txt")
        try put("second", "a.txt", Self.date(3), on: two)
        try move("b.txt", to: "c.txt", on: two)
        wait(for: "second", "a.txt")
        wait(for: "kept", "c.txt")
        let identity = try DeviceIdentity(random: RandomBytes.make)
        let keys = one.keys.keys
        let named = identity.publicIdentity(named: "device 3")
        try Founding.add(named, to: keys, by: one.identity, at: hub.line())
        let third = try TestDevice(3, in: pair.base, identity, keys, at: hub)
        try third.start()
        #expect(third.wait { third.contents == one.contents }, "\(third.said)")
        for name in ["a.txt", "c.txt"] { #expect(try modified(name, on: third) == modified(name, on: one)) }
        third.stop()
        end()
    }

    @Test("What was heard of in another process is as old when it comes")
    func heardBefore() throws {
        two.line.cut()
        pair.wait { two.status?.line == .down }
        try put("text", "a.txt", Self.date(1), on: one)
        pair.wait { one.status?.isSettled == true && one.status?.itemCount == 1 }
        let backup = hub.backup()
        hub.loseBlobs()
        two.line.mend()
        pair.wait { two.said.contains { if case .failed("a.txt", _) = $0 { true } else { false } } }
        two.stop()
        hub.restore(backup)
        try two.start()
        wait(for: "text", "a.txt")
        try expectSame("a.txt", Self.date(1))
        end()
    }
}

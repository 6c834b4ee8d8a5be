import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Glibc
import SeededNumbers
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Documents that are lent to their containers' vaults instead of copied.
@Suite("Lent documents of two devices", .onOwnThreads, .timeLimit(.minutes(2)))
struct LentDocumentTests {
    private let pair: DevicePair
    private var hub: HubInMemory { pair.hub }
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws {
        var room = ContainerSync.Room()
        room.lentByteCountMin = 50_000
        room.formerByteCountMin = 1 << 20
        pair = try DevicePair(room: room)
    }

    private func wait(_ location: SourceLocation = #_sourceLocation, until condition: () -> Bool) {
        pair.wait(location, until: condition)
    }

    private var isSettled: Bool { pair.isSettled }

    /// Text that is nobody else's.
    private func text(_ byteCount: Int, seed: UInt64) -> String {
        var random = SplitMix64(seed: seed)
        return String(decoding: (0..<byteCount).map { _ in UInt8(33 + random.next() % 90) }, as: UTF8.self)
    }

    private func url(_ name: String, on device: TestDevice) -> URL {
        device.folder.appendingPathComponent(name)
    }

    /// Writes another file in a file's place, as apps save.
    private func save(_ text: String, _ name: String, on device: TestDevice) throws {
        try Data(text.utf8).write(to: url(name, on: device), options: .atomic)
    }

    /// Writes into the file that there is.
    private func overwrite(_ text: String, at offset: UInt64, _ name: String, on device: TestDevice) throws {
        let file = try FileHandle(forWritingTo: url(name, on: device))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    /// How many bytes the files have that the container's vault has to itself, and how many are lent.
    private func vault(of device: TestDevice) throws -> (own: Int64, lentCount: Int) {
        let folder = device.memory.appending("vault/packs")
        var (own, lentCount) = (Int64(0), 0)
        for name in try FileReading.entries(in: folder).map(\.name) {
            if name.hasPrefix(".sheaf-lent-") {
                lentCount += 1
            } else {
                own += try FileStamp(of: folder.appending(name)).byteCount
            }
        }
        return (own, lentCount)
    }

    @Test(
        "A large document goes to the other device, and comes back changed, and neither vault has a copy of it"
    )
    func rounds() throws {
        let first = text(400_000, seed: 1)
        try save(first, "a.txt", on: one)
        wait { two.text("a.txt") == first && isSettled }
        for device in [one, two] {
            let room = try vault(of: device)
            #expect(room.own < 60_000 && room.lentCount == 1)
        }
        // Nobody looks at it again for having been lent.
        let entryCount = hub.entryCount
        for device in [one, two] {
            device.stop()
            try device.start()
        }
        wait { isSettled }
        #expect(hub.entryCount == entryCount)
        let second = first.prefix(200_000) + "more" + first.suffix(200_000)
        try save(String(second), "a.txt", on: two)
        wait { one.text("a.txt") == String(second) && isSettled }
        try overwrite("changed", at: 100_000, "a.txt", on: one)
        let third = try #require(one.text("a.txt"))
        #expect(third != second)
        wait { two.text("a.txt") == third && isSettled }
        try overwrite("again", at: 300_000, "a.txt", on: two)
        let fourth = try #require(two.text("a.txt"))
        wait { one.text("a.txt") == fourth && isSettled }
        #expect(try one.conflicts("a.txt") == [] && two.conflicts("a.txt") == [])
        pair.end()
    }

    @Test(
        "Two edits of a large document: one wins, and the other is whole among the conflicts, on both devices"
    )
    func conflict() throws {
        let base = text(300_000, seed: 2)
        try save(base, "a.bin", on: one)
        wait { two.text("a.bin") == base && isSettled }
        two.goOffline()
        let (mine, theirs) = (text(300_000, seed: 3), text(300_000, seed: 4))
        try save(mine, "a.bin", on: one)
        wait { one.running?.isInStepNow == true }
        try overwrite(theirs, at: 0, "a.bin", on: two)
        two.goOnline()
        wait { isSettled && two.text("a.bin") == mine && one.text("a.bin") == mine }
        wait {
            (try? one.conflicts("a.bin")) == [theirs] && (try? two.conflicts("a.bin")) == [theirs]
        }
        pair.end()
    }

    @Test("What has lost a conflict is sent though a program goes on writing into its file before it is")
    func conflictWrittenLate() throws {
        let base = text(300_000, seed: 2)
        try save(base, "a.bin", on: one)
        wait { two.text("a.bin") == base && isSettled }
        two.stop()
        let (mine, theirs) = (text(300_000, seed: 3), text(300_000, seed: 4))
        try save(mine, "a.bin", on: one)
        wait { one.running?.isInStepNow == true }
        try overwrite(theirs, at: 0, "a.bin", on: two)
        let file = open(two.path("a.bin"), O_WRONLY)
        try #require(file >= 0)
        defer { close(file) }
        let held = try HeldDevice(two, holding: [.missing])
        // It has lost, and is not sent yet.
        wait { two.text("a.bin") == mine && held.hub.isHolding(.missing) }
        #expect(pwrite(file, "late", 4, 1000) == 4)
        held.hub.letGo()
        let late = theirs.prefix(1000) + "late" + theirs.dropFirst(1004)
        let isSo = two.wait {
            held.running.tryAgain()
            return one.status?.isSettled == true && held.running.status.isSettled
                && (try? Set(one.conflicts("a.bin"))) == [theirs, String(late)]
        }
        #expect(isSo)
        #expect(try Set(two.conflicts("a.bin")) == [theirs, String(late)] && two.text("a.bin") == mine)
        // What becomes of it from then on goes on.
        try save("settled", "a.bin", on: two)
        wait { one.text("a.bin") == "settled" }
        held.stop()
        pair.end()
    }

    @Test("Two edits of what the hub has let go of meanwhile are in conflict, and wait for nothing")
    func baseGone() throws {
        let base = text(300_000, seed: 12)
        try save(base, "a.bin", on: one)
        wait { two.text("a.bin") == base && isSettled }
        let former = Set(hub.blobs.keys)
        two.goOffline()
        let (mine, theirs) = (text(300_000, seed: 13), text(300_000, seed: 14))
        try save(mine, "a.bin", on: one)
        wait { one.running?.isInStepNow == true }
        try overwrite(theirs, at: 0, "a.bin", on: two)
        hub.rewriteBlobs { blobs in for name in former { blobs[name] = nil } }
        two.goOnline()
        wait { isSettled && two.text("a.bin") == mine && one.text("a.bin") == mine }
        wait {
            (try? one.conflicts("a.bin")) == [theirs] && (try? two.conflicts("a.bin")) == [theirs]
        }
        #expect(two.status?.hubDeeds?.isEmpty == true)
        pair.end()
    }

    @Test("A copy of a large document on the same device stays what it is when the other is written into")
    func twins() throws {
        let bytes = text(300_000, seed: 5)
        try save(bytes, "a.bin", on: one)
        wait { two.text("a.bin") == bytes && isSettled }
        // It comes from what is here, and is a file of its own.
        try save(bytes, "b.bin", on: one)
        wait { two.text("b.bin") == bytes && isSettled }
        try overwrite("changed", at: 0, "a.bin", on: two)
        let changed = try #require(two.text("a.bin"))
        wait { one.text("a.bin") == changed && isSettled }
        #expect(one.text("b.bin") == bytes && two.text("b.bin") == bytes)
        pair.end()
    }

    @Test("A hub that has lost what a lent file held gets it again from whichever document has it")
    func healed() throws {
        let backup = hub.backup()
        let bytes = text(300_000, seed: 6)
        try save(bytes, "a.bin", on: one)
        try save(bytes, "b.bin", on: one)
        wait { two.text("a.bin") == bytes && two.text("b.bin") == bytes && isSettled }
        two.stop()
        one.goOffline()
        // Its pieces are those of both; the index counts on one of the two.
        try overwrite(text(300_000, seed: 7), at: 0, "a.bin", on: one)
        let changed = try #require(one.text("a.bin"))
        wait { one.running?.item("a.bin")?.isUploaded == false }
        hub.restore(backup)
        one.goOnline()
        wait { one.status?.isSettled == true }
        try two.start()
        wait { isSettled && two.text("a.bin") == changed && two.text("b.bin") == bytes }
        pair.end()
    }

    @Test("What a document was for a moment is nowhere any more: what it is then arrives by the same line")
    func lostEverywhere() throws {
        let texts = (80..<83).map { text(300_000, seed: $0) }
        try save(texts[0], "a.bin", on: one)
        wait { two.text("a.bin") == texts[0] && isSettled }
        two.stop()
        let held = try HeldDevice(two)
        let areSettled = { one.status?.isSettled == true && held.running.status.isSettled }
        let known = hub.blobs.keys
        try overwrite(texts[1], at: 0, "a.bin", on: two)
        wait { one.text("a.bin") == texts[1] && areSettled() }
        // It is again what it was. The hub has lost that, though the log speaks of it,
        hub.rewriteBlobs { blobs in
            for name in known { blobs[name] = nil }
        }
        held.hub.hold([.missing])
        try overwrite(texts[0], at: 0, "a.bin", on: two)
        wait { held.hub.isHolding(.missing) }
        // and here it is in the file alone, which is another before it is read to be sent.
        try overwrite(texts[2], at: 0, "a.bin", on: two)
        held.hub.letGo()
        wait { one.text("a.bin") == texts[2] && areSettled() }
        #expect(held.running.status.line == .up)
        held.stop()
        pair.end()
    }

    @Test("Written into again and again while it is sent, a large document arrives as it is in the end")
    func restless() throws {
        var bytes = text(2_000_000, seed: 8)
        try save(bytes, "a.bin", on: one)
        for number in 0..<20 {
            try overwrite("number \(number)", at: UInt64(number) * 90_000, "a.bin", on: one)
        }
        bytes = try #require(one.text("a.bin"))
        wait { two.text("a.bin") == bytes && isSettled }
        #expect(try one.conflicts("a.bin") == [] && two.conflicts("a.bin") == [])
        pair.end()
    }

    @Test(
        "What a large document held that is emptied in place is a version of it on both devices",
        arguments: [false, true]
    )
    func emptied(isAsLong: Bool) throws {
        let bytes = text(300_000, seed: 10)
        try save(bytes, "a.bin", on: one)
        wait { two.text("a.bin") == bytes && isSettled }
        let file = try FileHandle(forWritingTo: url("a.bin", on: one))
        if isAsLong {
            try file.write(contentsOf: Data(count: 300_000))
        } else {
            try file.truncate(atOffset: 0)
        }
        try file.close()
        let blank = isAsLong ? String(repeating: "\0", count: 300_000) : ""
        wait { two.text("a.bin") == blank && isSettled }
        for device in [one, two] { #expect(try device.formerTexts(of: "a.bin").contains(bytes)) }
        pair.end()
    }

    @Test("Evicted, a large document takes no room, and comes back whole")
    func evicted() throws {
        let bytes = text(300_000, seed: 9)
        try save(bytes, "a.bin", on: one)
        wait { two.text("a.bin") == bytes && isSettled }
        try #require(two.running).evict("a.bin")
        wait { two.said.contains(.freed) }
        #expect(try vault(of: two).lentCount == 0)
        _ = try #require(two.running).download("a.bin", done: nil)
        wait { two.text("a.bin") == bytes && isSettled }
        #expect(try vault(of: two).lentCount == 1)
        pair.end()
    }

    @Test("What documents were before leaves the vault once it takes room and all is in step")
    func former() throws {
        for number in 0..<8 {
            let bytes = text(300_000, seed: 20 + UInt64(number))
            try save(bytes, "a.bin", on: one)
            let small = text(20_000, seed: 40 + UInt64(number))
            try save(small, "small.txt", on: one)
            wait { two.text("a.bin") == bytes && two.text("small.txt") == small && isSettled }
        }
        for device in [one, two] {
            wait { device.said.contains(.freed) }
            wait { (try? vault(of: device).lentCount) ?? .max < 6 }
        }
        // Nothing is gone that is needed: what it was before is had from the hub.
        let last = try #require(one.text("a.bin"))
        try save("short", "a.bin", on: two)
        wait { one.text("a.bin") == "short" && isSettled }
        try save(last, "a.bin", on: one)
        wait { two.text("a.bin") == last && isSettled }
        pair.end()
    }

    @Test(
        "Each name of one large file is a document, and the file bears what it is to bear where it comes to"
    )
    func severalNames() throws {
        let first = text(300_000, seed: 70)
        try save(first, "a.bin", on: one)
        wait { two.text("a.bin") == first && isSettled }
        try one.makeFolder("folder")
        for name in ["b.bin", "folder/c.bin"] {
            try #require(Glibc.link(one.path("a.bin"), one.path(name)) == 0)
        }
        wait { two.text("folder/c.bin") == first && two.text("b.bin") == first && isSettled }
        #expect(try one.inode("a.bin") == one.inode("folder/c.bin"))
        #expect(try two.inode("a.bin") != two.inode("b.bin"))
        try one.setPermissions(0o755, of: "a.bin")
        try one.setAttribute("user.note", to: "new", of: "a.bin")
        try overwrite("changed", at: 1000, "b.bin", on: one)
        let second = try #require(one.text("a.bin"))
        func areAll(_ names: [String], _ text: String) -> Bool {
            [one, two].allSatisfy { device in
                names.allSatisfy { device.description(of: $0) == "755 user.note=new \(text)" }
            } && two.contents.count == names.count + 1 && isSettled
        }
        wait { areAll(["a.bin", "b.bin", "folder/c.bin"], second) }
        // Whichever bears the mark goes.
        try FileManager.default.removeItem(atPath: one.path("a.bin"))
        wait { areAll(["b.bin", "folder/c.bin"], second) }
        try FileManager.default.moveItem(atPath: one.path("b.bin"), toPath: one.path("folder/b.bin"))
        wait { areAll(["folder/b.bin", "folder/c.bin"], second) }
        try overwrite("again", at: 200_000, "folder/c.bin", on: one)
        let third = try #require(one.text("folder/b.bin"))
        wait { areAll(["folder/b.bin", "folder/c.bin"], third) }
        try pair.expectRest()
        pair.end()
    }

    @Test("A large document on a volume that lets it bear less than it is to bear loses nothing elsewhere")
    func poorVolume() throws {
        let volume = LimitedVolume(two.folder.path, .withoutDress)
        defer { volume.end() }
        let first = text(300_000, seed: 71)
        try save(first, "a.bin", on: one)
        try one.setPermissions(0o750, of: "a.bin")
        try one.setAttribute("user.note", to: "kept", of: "a.bin")
        wait { two.description(of: "a.bin") == "644 \(first)" && isSettled }
        try pair.expectRest()
        try overwrite("changed", at: 100, "a.bin", on: two)
        let second = try #require(two.text("a.bin"))
        wait { one.description(of: "a.bin") == "750 user.note=kept \(second)" && isSettled }
        try pair.expectRest()
        pair.end()
    }

    @Test("One that is excluded between being listed and being read, which lends it, goes nowhere")
    func excludedAmidReading() throws {
        let text = text(100_000, seed: 8)
        let packs = one.memoryFolder.appendingPathComponent("vault/packs")
        let intruder = Intruder(in: packs, after: 0, isMutating: true) { [one] in
            do { try one.setAttribute(SyncExclusion.attribute, to: "1", of: "large.txt") } catch {
                Issue.record(error)
            }
        }
        SystemCallObservation.add(intruder)
        defer { SystemCallObservation.remove(intruder) }
        try save(text, "large.txt", on: one)
        wait { one.running?.explain("large.txt").chain.first?.kind == .leftOut }
        #expect(intruder.isDone)
        try one.write("marker", to: "marker.txt")
        wait { two.text("marker.txt") == "marker" && isSettled }
        let hasCome = two.text("large.txt") != nil
        #expect(!hasCome)
        try SyncExclusion.set(false, FilePath(one.path("large.txt")))
        wait { two.text("large.txt") == text && isSettled }
        pair.end()
    }
}

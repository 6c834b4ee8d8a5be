import DeviceSync
import Foundation
import SyncMessages
import TestThreads
import Testing
import UIKit

@testable import DocumentTesting

/// Random stories of people on several devices, what is checked in them, and how one is told shorter.
@Suite("Stories of worlds", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldStoryTests {
    @Test("Random stories end well: all agree, nothing is lost, no package is half", arguments: 0..<4)
    func random(run: Int) async throws {
        let story = WorldStory(seed: UInt64.random(in: 1...999_999), deedCount: 30)
        let ending = try await story.run()
        #expect(ending.faults == [], "\(story.test(ending))")
    }

    @Test("A seed gives the same deeds again, and another one others; deeds are told as lines of a test")
    func seeds() {
        let story = WorldStory(seed: 7)
        #expect(story == WorldStory(seed: 7) && story.deeds.count >= 40)
        #expect(story.deeds != WorldStory(seed: 8).deeds)
        let told = WorldStory(
            seed: 7,
            deviceCount: 2,
            deeds: [.edit(on: 1, item: 3), .breakDisk(on: 0, reading: true), .fillHub, .rest, .freeHub]
        )
        let test = told.test()
        for line in [
            "seed: 7,", "deviceCount: 2,", ".edit(on: 1, item: 3),", ".breakDisk(on: 0, reading: true),",
            ".fillHub,", ".rest,", ".freeHub,",
        ] { #expect(test.contains("        \(line)\n"), "\(test)") }
    }

    @Test("All kinds of deeds come in stories of some seeds")
    func deeds() {
        let all = (UInt64(1)...400).flatMap { WorldStory(seed: $0).deeds }
        let kinds = Set(all.map { String("\($0)".prefix { $0 != "(" }) })
        #expect(
            kinds == [
                "make", "makeFolder", "edit", "open", "type", "close", "move", "remove", "settle", "evict",
                "download", "pass", "rest", "goOffline", "goOnline", "disturbLine", "calmLine", "fillDisk",
                "crash", "makeExecutable", "deleteReleased",
                "freeDisk", "breakDisk", "mendDisk", "setClock", "stop", "start", "kill", "cutPower",
                "backUpHub", "restoreHub", "crashHub", "startHub", "backUp", "restore", "fillHub", "freeHub",
                "endTroubles",
            ]
        )
    }

    @Test("Own documents have their part in a story")
    func ownKind() async throws {
        let kind = StoryKind("note", Note.init) { note, mark, _ in note.text += mark + "\n" }
        let story = WorldStory(
            seed: 1,
            deviceCount: 2,
            deeds: [
                .make(on: 0, kind: 0, folder: 0, name: 0), .rest, .edit(on: 1, item: 0), .rest,
                .edit(on: 0, item: 0),
            ]
        )
        let ending = try await story.run([kind])
        #expect(ending.faults == [] && ending.editCount == 3, "\(ending.told)")
    }

    @Test("A package of an own class is half where it is written member by member, and not where it is saved")
    func ownPackages() async throws {
        let deeds: [WorldDeed] = [
            .make(on: 0, kind: 0, folder: 0, name: 0), .rest, .edit(on: 1, item: 0), .rest,
            .edit(on: 0, item: 0),
        ]
        let story = WorldStory(seed: 1, deviceCount: 2, deeds: deeds)
        let whole = StoryKind("rtfd", Album.init) { album, mark, _ in
            album.lines.append(mark)
        } isWhole: {
            Album.isWhole($0)
        }
        let ending = try await story.run([whole])
        #expect(ending.faults == [] && ending.editCount == 3, "\(ending.told)")
        // Executable is a file in it: that of a folder is what lets anybody into it.
        let scene = try StoryScene(seed: 1, deviceCount: 2, kinds: [whole])
        for deed in deeds + [.makeExecutable(on: 0, item: 0, isSo: false), .rest] { await scene.apply(deed) }
        let package = scene.devices[0].folder.appendingPathComponent("a.rtfd")
        let attributes = try FileManager.default.attributesOfItem(atPath: package.path)
        #expect(attributes[.posixPermissions] as? Int == 0o755, "\(scene.told)")
        #expect(await scene.judge() == [], "\(scene.told)")
        try scene.end()

        let half = StoryKind("rtfd", CarelessAlbum.init) { album, mark, _ in
            album.lines.append(mark)
        } isWhole: { url in
            let isWhole = Album.isWhole(url)
            if !isWhole { CarelessAlbum.seen.signal() }
            return isWhole
        }
        let once = WorldStory(seed: 1, deviceCount: 2, deeds: [deeds[0]])
        let faults = try await once.run([half]).faults
        #expect(faults.contains { $0.contains("a.rtfd” is half, as its kind says") }, "\(faults)")
    }

    @Test("A package of a type that nobody has declared is said to be none")
    func undeclared() async throws {
        let undeclared = StoryKind("undeclared", Album.init) { album, mark, _ in album.lines.append(mark) }
        let story = WorldStory(seed: 1, deviceCount: 1, deeds: [.make(on: 0, kind: 0, folder: 0, name: 0)])
        let faults = try await story.run([undeclared]).faults
        #expect(faults.contains { $0.contains("declareTypes(infoPlist:)") }, "\(faults)")
    }

    @Test("Deeds mean something with any numbers")
    func anyNumbers() async throws {
        let story = WorldStory(
            seed: 1,
            deviceCount: 2,
            deeds: [
                .make(on: -1, kind: -1, folder: -1, name: -1), .makeFolder(on: -3, folder: -7, name: .min),
                .rest, .edit(on: -2, item: -5), .open(on: .min, item: -1), .close(on: .min, document: -9),
                .setClock(on: -1, years: -1), .kill(on: -4), .move(on: -1, item: -1, folder: -1, name: -2),
            ]
        )
        let ending = try await story.run()
        #expect(ending.faults == [] && ending.editCount == 2, "\(ending.told)")
    }

    @Test("A story without a kind of documents, and one that is told in no try, are mistakes")
    func nothingToTell() async {
        await #expect(processExitsWith: .failure) {
            _ = try? await WorldStory(seed: 1, deviceCount: 1, deeds: []).run([])
        }
        await #expect(processExitsWith: .failure) {
            _ = try? await WorldStory(seed: 1, deviceCount: 1, deeds: []).shrunk(tryCount: 0)
        }
    }

    @Test("Who cannot save his edit has the document open until he can, and nothing is judged before")
    func unsavedAtTheEnd() async throws {
        let story = WorldStory(
            seed: 1,
            deviceCount: 2,
            deeds: [
                .make(on: 0, kind: 2, folder: 0, name: 0), .rest, .fillDisk(on: 1), .edit(on: 1, item: 0),
            ]
        )
        let told = try await story.run().told
        let isRefused = told.contains { $0.contains("is edited") && $0.hasSuffix("which fails") }
        #expect(isRefused && told.dropLast().last?.hasSuffix("is closed") == true, "\(told)")
    }

    /// Has a scene play, and be judged.
    private func played(_ deeds: [WorldDeed]) async throws -> StoryScene {
        let scene = try StoryScene(seed: 1, deviceCount: 2, kinds: StoryKind.all)
        for deed in deeds { await scene.apply(deed) }
        #expect(await scene.judge() == [], "\(scene.told)")
        try scene.end()
        return scene
    }

    /// Two devices have a document, and the second has a backup from then.
    private static let backedUp: [WorldDeed] = [
        .make(on: 0, kind: 0, folder: 0, name: 0), .rest, .backUpHub, .backUp(on: 1),
    ]

    @Test("What a device has sent since its backup comes back, also where only the hub has it")
    func sentSinceBackup() async throws {
        let deeds: [WorldDeed] = [
            .goOffline(on: 0), .edit(on: 1, item: 0), .rest, .restore(on: 1), .edit(on: 0, item: 0),
        ]
        let scene = try await played(Self.backedUp + deeds)
        #expect(scene.restoreCount == 1 && scene.acknowledged.count == 3, "\(scene.told)")
        #expect(scene.evaporated.isEmpty)
    }

    @Test("What a device had not sent is gone with its disk, and nobody misses it")
    func unsentSinceBackup() async throws {
        let deeds: [WorldDeed] = [
            .goOffline(on: 1), .edit(on: 1, item: 0), .open(on: 1, item: 0), .restore(on: 1),
            .edit(on: 1, item: 0),
        ]
        let scene = try await played(Self.backedUp + deeds)
        #expect(scene.restoreCount == 1 && scene.evaporated == ["mark-1-2."], "\(scene.told)")
    }

    @Test("What only the hub had, as its device was put back, is gone with the hub's disk")
    func hubAfterDevice() async throws {
        let deeds: [WorldDeed] = [
            .goOffline(on: 0), .edit(on: 1, item: 0), .rest, .goOffline(on: 1), .restore(on: 1), .restoreHub,
        ]
        let scene = try await played(Self.backedUp + deeds)
        #expect(scene.evaporated == ["mark-1-2."], "\(scene.told)")
        // A device without a backup is left as it is.
        let none: [WorldDeed] = [.restore(on: 0), .make(on: 0, kind: 0, folder: 0, name: 0)]
        #expect(try await played(none).restoreCount == 0)
    }

    @Test("Who removes a document throws away nothing of another whose contents have left his device")
    func removedBesideEvicted() async throws {
        let scene = try await played([
            .make(on: 0, kind: 0, folder: 0, name: 0), .make(on: 0, kind: 0, folder: 0, name: 1), .rest,
            .evict(on: 0, item: 0), .remove(on: 0, item: 1),
        ])
        #expect(scene.evicted[0].map { Array($0.values) } == [[1]], "\(scene.told)")
        #expect(scene.discarded == ["mark-2-2."], "\(scene.told)")
    }

    @Test("With a folder goes what stands in it for contents that have left, and no other")
    func removedWithPlaceholder() async throws {
        let scene = try await played([
            .makeFolder(on: 0, folder: 0, name: 0), .make(on: 0, kind: 0, folder: 1, name: 0),
            .make(on: 0, kind: 0, folder: 0, name: 1), .rest, .evict(on: 0, item: 0), .rest,
            .evict(on: 0, item: 0), .rest, .remove(on: 0, item: 0),
        ])
        #expect(scene.evicted[0]?.count == 2, "\(scene.told)")
        #expect(scene.discarded == ["mark-1-1."], "\(scene.told)")
    }

    @Test("Who settles a conflict throws away what only the version holds that has lost it")
    func settledConflict() async throws {
        let scene = try await played([
            .make(on: 0, kind: 1, folder: 0, name: 0), .rest, .edit(on: 0, item: 0), .rest,
            .goOffline(on: 1), .edit(on: 0, item: 0), .edit(on: 1, item: 0), .rest, .goOnline(on: 1), .rest,
            .settle(on: 0, item: 0),
        ])
        #expect(scene.acknowledged.count == 4, "\(scene.told)")
        #expect([["mark-1-3."], ["mark-1-4."]].contains(scene.discarded), "\(scene.told)")
    }
}

/// A text that is added to.
private final class Note: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

/// The same lines in two members.
private class Album: UIDocument {
    nonisolated static let members = ["TXT.rtf", "index.txt"]
    var lines: [String] = []

    nonisolated static func isWhole(_ url: URL) -> Bool {
        // What cannot be read is not there.
        let contents = members.map { try? Data(contentsOf: url.appendingPathComponent($0)) }
        return contents[0] != nil && contents[0] == contents[1]
    }

    override func contents(forType typeName: String) throws -> Any {
        let data = Data(lines.map { $0 + "\n" }.joined().utf8)
        let package = FileWrapper(directoryWithFileWrappers: [:])
        for member in Self.members {
            package.addRegularFile(withContents: data, preferredFilename: member)
        }
        return package
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        let data = (contents as? FileWrapper)?.fileWrappers?[Self.members[0]]?.regularFileContents
        lines = String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// Writes into the package in its place, and goes on when somebody has seen it half.
private final class CarelessAlbum: Album {
    nonisolated static let seen = DispatchSemaphore(value: 0)

    nonisolated override func writeContents(
        _ contents: Any,
        andAttributes additionalFileAttributes: [AnyHashable: Any]? = nil,
        safelyTo url: URL,
        for saveOperation: SaveOperation
    ) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for member in Self.members {
            let data = (contents as? FileWrapper)?.fileWrappers?[member]?.regularFileContents ?? Data()
            try data.write(to: url.appendingPathComponent(member))
            let isHalf = !FileManager.default.fileExists(atPath: url.path + "/" + Self.members[1])
            if isHalf { _ = Self.seen.wait(timeout: .now() + 60) }
        }
    }
}

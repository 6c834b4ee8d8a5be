import DocumentFoundation
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing
import UIKit

@testable import DeviceSync
@testable import DocumentTesting

/// What people do in stories, and what is looked at meanwhile.
@Suite("Deeds in stories", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldStoryDeedsTests {
    /// Has a scene play.
    private func played(_ deeds: [WorldDeed], deviceCount: Int = 2) async throws -> StoryScene {
        let scene = try StoryScene(seed: 1, deviceCount: deviceCount, kinds: StoryKind.all)
        for deed in deeds { await scene.apply(deed) }
        return scene
    }

    private func end(_ scene: StoryScene) async throws {
        #expect(await scene.judge() == [], "\(scene.told)")
        try scene.end()
    }

    private func names(_ device: WorldDevice) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.folder.path).sorted()
    }

    private static let made: [WorldDeed] = [.make(on: 0, kind: 0, folder: 0, name: 0), .rest]

    @Test("A document whose contents have left is moved, opened and edited as any other")
    func evicted() async throws {
        let scene = try await played(
            Self.made + [
                .evict(on: 0, item: 0), .rest, .move(on: 0, item: 0, folder: 0, name: 1), .rest,
            ]
        )
        #expect(try names(scene.devices[0]) == [".b.txt.icloud"], "\(scene.told)")
        #expect(try names(scene.devices[1]) == ["b.txt"], "\(scene.told)")
        for deed: WorldDeed in [.edit(on: 0, item: 0), .rest, .evict(on: 0, item: 0), .open(on: 0, item: 0)] {
            await scene.apply(deed)
        }
        #expect(scene.acknowledged.count == 2 && scene.documents[0]?.count == 1, "\(scene.told)")
        try await end(scene)
    }

    @Test("Who cannot get what has left leaves it alone")
    func evictedOffline() async throws {
        let scene = try await played(
            Self.made + [
                .evict(on: 0, item: 0), .rest, .goOffline(on: 0), .edit(on: 0, item: 0),
                .open(on: 0, item: 0),
            ]
        )
        #expect(scene.acknowledged.count == 1 && scene.documents[0] == nil, "\(scene.told)")
        try await end(scene)
    }

    @Test(
        "Who removes what stands for contents throws away what the hub has, and nothing that another has not sent"
    )
    func removedEvicted() async throws {
        let scene = try await played(
            Self.made + [
                .evict(on: 0, item: 0), .rest, .goOffline(on: 1), .edit(on: 1, item: 0),
                .remove(on: 0, item: 0), .rest,
            ]
        )
        #expect(scene.discarded == ["mark-1-1."], "\(scene.told)")
        #expect(try names(scene.devices[0]) == [], "\(scene.told)")
        try await end(scene)
        #expect(scene.acknowledged == ["mark-1-1.", "mark-1-2."], "\(scene.told)")
    }

    @Test("An edit of an album changes one member or two, and the others stay where they are on all devices")
    func album() async throws {
        let scene = try await played([.make(on: 0, kind: 3, folder: 0, name: 0), .rest])
        let album = scene.devices[1].folder.appendingPathComponent("a.bundle")
        func inodes() throws -> [String: Int] {
            let members = StoryAlbum.alikeMembers + [StoryAlbum.notes, StoryAlbum.cover]
            return try members.reduce(into: [:]) { found, member in
                let path = album.appendingPathComponent(member).path
                found[member] =
                    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
            }
        }
        // A device that has let go of what an album held before, to have room, makes it anew: that is not so each time.
        var (missing, editCount): ([Set<String>], Int) = (
            [[StoryAlbum.notes], Set(StoryAlbum.alikeMembers)], 0
        )
        while !missing.isEmpty, editCount < 10 {
            let former = try inodes()
            for deed: WorldDeed in [.edit(on: 0, item: 0), .rest] { await scene.apply(deed) }
            let now = try inodes()
            missing.removeAll { $0 == Set(now.filter { former[$0.key] != $0.value }.keys) }
            editCount += 1
        }
        #expect(missing == [], "\(scene.told)")
        try await end(scene)
    }

    @Test("That a file may be executed comes to all devices")
    func executable() async throws {
        let scene = try await played(Self.made + [.makeExecutable(on: 0, item: 0, isSo: true), .rest])
        for device in scene.devices {
            guard case .file(_, let dress)? = try StoryFolder(device.folder).items[Array("a.txt".utf8)] else {
                Issue.record("\(device.name) has no file")
                continue
            }
            #expect(dress.isExecutable)
        }
        try await end(scene)
    }

    @Test("What is typed into an open document is acknowledged once that is saved, or closed")
    func typed() async throws {
        let scene = try await played(Self.made + [.open(on: 0, item: 0), .type(on: 0, document: 0)])
        #expect(scene.acknowledged == ["mark-1-1."], "\(scene.told)")
        await scene.apply(.edit(on: 0, item: 0))
        #expect(scene.acknowledged == ["mark-1-1.", "mark-1-2.", "mark-1-3."], "\(scene.told)")
        for deed: WorldDeed in [.type(on: 0, document: 0), .close(on: 0, document: 0)] {
            await scene.apply(deed)
        }
        #expect(scene.acknowledged.count == 4 && scene.typed.isEmpty, "\(scene.told)")
        try await end(scene)
    }

    @Test("With a document that comes into a folder as that is removed goes what its device had of it before")
    func cameAsRemoved() {
        let there: Set = ["mark-1-1.", "mark-1-2.", "mark-2-3.", "mark-3-4."]
        let thrown = StoryScene.versions(of: ["mark-1-5.", "mark-2-3."], come: ["mark-2-3."], from: there)
        #expect(thrown == ["mark-1-1.", "mark-1-2."])
        #expect(StoryScene.versions(of: ["mark-2-6."], come: ["mark-2-3."], from: there) == [])
    }

    @Test("What is saved where its document was thrown away is missed by nobody")
    func savedAfterRemoval() async throws {
        let scene = try await played([])
        let places = [
            scene.desk.appendingPathComponent("1"), scene.devices[0].folder.appendingPathComponent("a.txt"),
        ]
        for (number, place) in places.enumerated() {
            let document = try StoryKind.text.make(place)
            scene.typed[ObjectIdentifier(document)] = [StoryMarks.mark(of: 1, number)]
            scene.acknowledge(document)
        }
        #expect(scene.acknowledged == ["mark-1-0.", "mark-1-1."] && scene.discarded == ["mark-1-0."])
        try scene.end()
    }

    @Test("What another device has done meets what is typed and not saved, and both are there in the end")
    func typedMeanwhile() async throws {
        let scene = try await played(
            Self.made + [
                .open(on: 0, item: 0), .type(on: 0, document: 0), .edit(on: 1, item: 0), .rest,
                .close(on: 0, document: 0), .rest,
            ]
        )
        #expect(scene.acknowledged.count == 3, "\(scene.told)")
        try await end(scene)
    }

    @Test("A machine that has no power any more has no open documents, nor what was not saved")
    func abandoned() async throws {
        let open: [WorldDeed] = Self.made + [.open(on: 0, item: 0)]
        var scene = try await played(open + [.crash(on: 0, afterWrites: 0), .edit(on: 0, item: 0)])
        #expect(scene.acknowledged == ["mark-1-1."] && scene.documents[0]?.count == 1, "\(scene.told)")
        await scene.apply(.start(on: 0))
        #expect(scene.documents[0] == nil && scene.typed.isEmpty, "\(scene.told)")
        try await scene.world.settle()
        #expect(try StoryFolder(scene.devices[1].folder).marks == ["mark-1-1."], "\(scene.told)")
        try await end(scene)
        scene = try await played(open + [.cutPower(on: 0), .edit(on: 0, item: 0)])
        #expect(scene.documents[0] == nil && scene.acknowledged.count == 2, "\(scene.told)")
        try await end(scene)
    }

    @Test("What devices have said nobody needs leaves the hub, and nobody misses it")
    func released() async throws {
        let edits: [WorldDeed] = (0..<12).flatMap { [.edit(on: $0 % 2, item: 0), .rest] }
        let scene = try await played(Self.made + edits)
        for device in scene.devices { device.running?.waitForRoom() }
        let former = scene.world.hub.blobCount
        await scene.apply(.deleteReleased)
        #expect(scene.world.hub.blobCount < former)
        try await end(scene)
    }

    @Test("What is said to be in step is compared with what the hub has")
    func compared() async throws {
        let scene = try await played(Self.made + [.goOffline(on: 0), .edit(on: 1, item: 0), .rest])
        #expect(scene.faults == [], "\(scene.told)")
        // As far as it knows it is in step.
        scene.comparisonCount = 0
        try await scene.compareWithHub([0])
        #expect(scene.faults.map(\.kind) == [.explain])
        #expect(scene.faults.first?.text.contains("has other contents") == true, "\(scene.faults)")
        try scene.end()
    }

    @Test("Where no process keeps a device's folder in step that is to, nothing is explained")
    func nobodyExplains() async throws {
        let scene = try await played(Self.made)
        scene.devices[0].stop()
        scene.devices[0].isToRun.withLock { $0 = true }
        await scene.askWhy()
        #expect(scene.faults.contains { $0.kind == .explain }, "\(scene.told)")
        try scene.end()
    }

    @Test("What only a look tells of is a fault; what is told, or has just happened, is none")
    func untold() async throws {
        let scene = try await played(Self.made)
        #expect(scene.faults == [], "\(scene.faults)")
        let device = scene.devices[0]
        for count in 0..<20 {
            try Data("mark-1-1.\n\(count)".utf8).write(to: device.folder.appendingPathComponent("a.txt"))
            try await scene.world.settle()
        }
        #expect(scene.world.takeUntold() == [])
        device.running?.ask({ $0.watches?.endAll() }, or: { _ in })
        try Data("mark-1-1.\nunheard".utf8).write(to: device.folder.appendingPathComponent("a.txt"))
        await scene.apply(.rest)
        #expect(scene.faults.map(\.kind) == [.restless], "\(scene.faults)")
        try scene.end()
    }

    @Test("A conflict that is settled while nothing keeps the folder in step is found settled as that begins")
    func settledMeanwhile() async throws {
        let scene = try await played([
            .make(on: 0, kind: 1, folder: 0, name: 0), .rest, .goOffline(on: 1), .edit(on: 0, item: 0),
            .edit(on: 1, item: 0), .rest, .goOnline(on: 1), .rest, .stop(on: 0), .settle(on: 0, item: 0),
            .start(on: 0),
        ])
        let isKnown = scene.devices[0].running?.ask({ $0.conflicts.shown.isEmpty }, or: { _ in false })
        #expect(isKnown == true, "\(scene.told)")
        try await end(scene)
    }

    @Test("A settled conflict of which only a look tells is a fault")
    func untoldConflict() async throws {
        let scene = try await played([
            .make(on: 0, kind: 1, folder: 0, name: 0), .rest, .goOffline(on: 1), .edit(on: 0, item: 0),
            .edit(on: 1, item: 0), .rest, .goOnline(on: 1), .rest,
        ])
        #expect(scene.faults == [], "\(scene.faults)")
        let device = scene.devices[0]
        #expect(try device.unresolvedConflicts(of: device.folder.appendingPathComponent("a.dat")).count == 1)
        // What was told before is looked at first, which begins to watch anew.
        let running = try #require(device.running)
        let isDeaf = device.wait {
            running.ask(
                { run in
                    if !run.conflicts.isLookDue { run.conflicts.watch?.cancel() }
                    return !run.conflicts.isLookDue
                },
                or: { _ in false }
            )
        }
        #expect(isDeaf)
        let attemptCount = { running.ask({ $0.attemptCount }, or: { _ in -1 }) }
        let before = attemptCount()
        for deed: WorldDeed in [.settle(on: 0, item: 0), .rest] { await scene.apply(deed) }
        // What is tried again after ten seconds finds it, too, should it come just then.
        let isFound = attemptCount() != before && scene.faults.isEmpty
        #expect(isFound || scene.faults.map(\.kind) == [.restless], "\(scene.faults) \(scene.told)")
        try scene.end()
    }
}

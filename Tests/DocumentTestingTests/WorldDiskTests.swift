import DeviceSync
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing
import UIKit

@testable import DocumentTesting

/// A text that remembers what it was told of its saves.
private class Memo: UIDocument {
    var text = ""
    private(set) var failures: [CocoaError.Code] = []

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }

    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        if let error = error as? CocoaError { failures.append(error.code) }
        finishedHandlingError(error, recovered: false)
    }
}

/// A memo that is written by Foundation.
private final class OwnWriter: Memo {
    nonisolated override func writeContents(
        _ contents: Any,
        to url: URL,
        for saveOperation: SaveOperation,
        originalContentsURL: URL?
    ) throws {
        try (contents as? Data ?? Data()).write(to: url)
    }
}

/// A document that takes nothing for its contents.
private class Unreadable: UIDocument {
    override func contents(forType typeName: String) throws -> Any { Data() }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        throw CocoaError(.fileReadCorruptFile)
    }
}

/// One that keeps its errors to itself.
private final class Silent: Unreadable {
    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        finishedHandlingError(error, recovered: false)
    }
}

@Suite("Disks of a world's devices", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldDiskTests {
    private func text(_ name: String = "a.txt", on device: WorldDevice) throws -> String {
        try String(contentsOf: device.folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// Waits until the explanation of a document says something; not on the main actor, which other tests need.
    @concurrent
    private nonisolated func explains(
        _ text: String,
        _ name: String = "a.txt",
        on device: WorldDevice
    ) async -> Bool {
        device.wait { explanation(name, on: device).contains(text) }
    }

    private nonisolated func explanation(_ name: String = "a.txt", on device: WorldDevice) -> String {
        device.explain(device.folder.appendingPathComponent(name)).joined(separator: " ")
    }

    /// Edits a document whose device's disk is full, frees the disk, and saves.
    private func saveOnFullDisk(_ make: @escaping @MainActor (URL) -> Memo) async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(make, "a.txt", on: phone) { $0.text = "one\n" }
        try await world.settle()
        let url = phone.folder.appendingPathComponent("a.txt")
        try await phone.run { @MainActor in
            let memo = make(url)
            #expect(await memo.open())
            memo.text = "two\n"
            memo.updateChangeCount(.done)
            try phone.fillDisk()
            #expect(await memo.save(to: url, for: .forOverwriting) == false)
            // Where all of this takes long the document has tried to save itself, too.
            #expect(Set(memo.failures) == [.fileWriteOutOfSpace])
            #expect(memo.hasUnsavedChanges)
            #expect(try text(on: phone) == "one\n")
            // The other device's disk is another one.
            try await world.create(make, "b.txt", on: pad) { $0.text = "of the pad\n" }
            phone.freeDisk()
            #expect(await memo.save(to: url, for: .forOverwriting))
            #expect(await memo.close())
        }
        try await world.settle()
        for device in [phone, pad] {
            #expect(try text(on: device) == "two\n")
            #expect(try text("b.txt", on: device) == "of the pad\n")
        }
        try world.end()
    }

    @Test("A save on a full disk fails with Apple's error and leaves the old contents; freed, all goes on")
    func save() async throws { try await saveOnFullDisk(Memo.init) }

    @Test("So does one that Foundation writes")
    func ownWriter() async throws { try await saveOnFullDisk(OwnWriter.init) }

    @Test("A document can be neither made nor edited while the disk is full")
    func createAndEdit() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Memo.init, "a.txt", on: phone) { $0.text = "one\n" }
        try await world.settle()
        try phone.fillDisk()
        await #expect(throws: WorldDocumentFailure.self) {
            try await world.create(Memo.init, "b.txt", on: phone) { $0.text = "new\n" }
        }
        await #expect(throws: WorldDocumentFailure.self) {
            try await world.edit(Memo.init, "a.txt", on: phone) { $0.text = "two\n" }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: phone.folder.path) == ["a.txt"])
        phone.freeDisk()
        try await world.edit(Memo.init, "a.txt", on: phone) { $0.text = "three\n" }
        try await world.settle()
        #expect(try text(on: pad) == "three\n")
        try world.end()
    }

    @Test(
        "What could not be saved is gone when that is told: nothing saves it later, and nobody presents the file"
    )
    func abandoned() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Memo.init, "a.txt", on: phone) { $0.text = "one\n" }
        try await world.settle()
        try phone.fillDisk()
        var memo: Memo?
        await #expect(throws: WorldDocumentFailure.self) {
            try await world.edit(Memo.init, "a.txt", on: phone) { edited in
                edited.text = "two\n"
                memo = edited
            }
        }
        #expect(memo?.documentState.contains(.closed) == true)
        #expect(presenters(below: world.folder).isEmpty)
        phone.freeDisk()
        try await world.settle()
        for device in [phone, pad] { #expect(try text(on: device) == "one\n") }
        try world.end()
        #expect(presenters(below: world.folder).isEmpty)
    }

    private func presenters(below folder: URL) -> [URL] {
        NSFileCoordinator.filePresenters.compactMap { $0.presentedItemURL }.filter {
            $0.path.hasPrefix(folder.path + "/")
        }
    }

    @Test("What goes wrong while one looks is told, not that the document could not be closed then")
    func firstFailure() async throws {
        let world = try DocumentWorld()
        let phone = try world.devices(["phone"])[0]
        try await world.create(Memo.init, "a.txt", on: phone) { $0.text = "one\n" }
        let error = await #expect(throws: CocoaError.self) {
            try await world.look(Memo.init, "a.txt", on: phone) { memo in
                memo.text = "two\n"
                memo.updateChangeCount(.done)
                try phone.fillDisk()
                throw CocoaError(.userCancelled)
            }
        }
        #expect(error?.code == .userCancelled)
        #expect(presenters(below: world.folder).isEmpty)
        try world.end()
    }

    @Test("Why a document could not be opened is told, also where its class tells nobody")
    func cause() async throws {
        let world = try DocumentWorld()
        let phone = try world.devices(["phone"])[0]
        try await world.create(Memo.init, "a.txt", on: phone) { $0.text = "one\n" }
        let kinds: [@MainActor (URL) -> Unreadable] = [{ Unreadable(fileURL: $0) }, { Silent(fileURL: $0) }]
        for kind in kinds {
            let failure = await #expect(throws: WorldDocumentFailure.self) {
                try await world.look(kind, "a.txt", on: phone) { _ in }
            }
            #expect((failure?.cause as? CocoaError)?.code == .fileReadCorruptFile)
            #expect(failure?.description.contains("\(CocoaError(.fileReadCorruptFile))") == true)
        }
        try world.end()
    }

    @Test("What others send waits for room, is explained, and comes; what is here and cannot be kept, too")
    func arriving() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Memo.init, "a.txt", on: phone) { $0.text = "one\ntwo\nthree\n" }
        try await world.settle()
        try pad.fillDisk()
        try await world.edit(Memo.init, "a.txt", on: phone) { $0.text = "ONE\ntwo\nthree\n" }
        try await world.create(Memo.init, "b.txt", on: phone) { $0.text = "new\n" }
        #expect(await explains("What this device remembers cannot be written", on: pad))
        #expect(explanation(on: pad).contains("Free some space"))
        // It waits, and has not given up.
        #expect(pad.status?.line == .up)
        #expect(try text(on: pad) == "one\ntwo\nthree\n")
        // The last that still had room; what it holds cannot be kept.
        try Data("mine\n".utf8).write(to: pad.folder.appendingPathComponent("c.txt"))
        #expect(await explains("Free some space", "c.txt", on: pad))
        await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.2) }

        pad.freeDisk()
        try await world.settle()
        for device in [phone, pad] {
            #expect(try text(on: device) == "ONE\ntwo\nthree\n")
            #expect(try text("b.txt", on: device) == "new\n")
            #expect(try text("c.txt", on: device) == "mine\n")
        }
        try world.end()
    }

    @Test(
        "A device that cannot start on a full disk says so, and merges once there is room",
        arguments: [true, false]
    )
    func cannotStart(isStartedAnew: Bool) async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Memo.init, "a.txt", on: phone) { $0.text = "one\ntwo\nthree\n" }
        try await world.settle()
        pad.goOffline()
        try await world.edit(Memo.init, "a.txt", on: pad) { $0.text = "one\ntwo\nTHREE\n" }
        try pad.fillDisk()
        try await world.edit(Memo.init, "a.txt", on: phone) { $0.text = "ONE\ntwo\nthree\n" }
        pad.goOnline()
        await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.2) }
        #expect(explanation(on: pad).contains("Free some space"))
        if isStartedAnew { pad.stop() }
        pad.freeDisk()
        if isStartedAnew { try pad.start() }
        try await expectMerged(phone, pad, in: world)
    }

    @Test("A device whose disk fills while it sends an edit merges it with another's once there is room")
    func merged() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Memo.init, "a.txt", on: phone) { $0.text = "one\ntwo\nthree\n" }
        try await world.settle()
        phone.goOffline()
        try await world.edit(Memo.init, "a.txt", on: phone) { $0.text = "ONE\ntwo\nthree\n" }
        pad.slowDown(toSeconds: 0.2)
        try await world.edit(Memo.init, "a.txt", on: pad) { $0.text = "one\ntwo\nTHREE\n" }
        try pad.fillDisk()
        phone.goOnline()
        #expect(await explains("Free some space", on: pad))
        pad.slowDown(toSeconds: 0)
        pad.freeDisk()
        try await expectMerged(phone, pad, in: world)
    }

    @Test("A start on a full disk waits for room, says so, and begins without being told to")
    func start() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Memo.init, "a.txt", on: phone) { $0.text = "one\ntwo\nthree\n" }
        try await world.settle()
        pad.stop()
        try await world.edit(Memo.init, "a.txt", on: pad) { $0.text = "one\ntwo\nTHREE\n" }
        try await world.edit(Memo.init, "a.txt", on: phone) { $0.text = "ONE\ntwo\nthree\n" }
        try pad.fillDisk()
        try pad.start()
        #expect(explanation(on: pad).contains("It cannot begin"))
        #expect(explanation(on: pad).contains("Free some space"))
        #expect(pad.status?.line == .down)
        #expect(throws: CocoaError.self) { try pad.evict(pad.folder.appendingPathComponent("a.txt")) }
        let told = Locked<[[ItemSyncState]]>([])
        let end = pad.running?.follow("") { items, _ in told.withLock { $0.append(items) } }
        #expect(told.withLock { $0 } == [[]])

        pad.disk.free()
        #expect(await explains("It is the same here and at the hub", on: pad))
        #expect(told.withLock { $0 }.contains { $0.contains { $0.path.hasSuffix("/a.txt") } })
        end?()
        try await expectMerged(phone, pad, in: world)
    }

    private func expectMerged(_ phone: WorldDevice, _ pad: WorldDevice, in world: DocumentWorld) async throws
    {
        try await world.settle()
        for device in [phone, pad] {
            #expect(try text(on: device) == "ONE\ntwo\nTHREE\n")
            #expect(try device.unresolvedConflicts(of: device.folder.appendingPathComponent("a.txt")) == [])
        }
        try world.end()
    }
}

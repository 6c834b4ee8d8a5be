import DeviceSync
import DocumentTesting
import Foundation
import SyncMessages
import TestThreads
import Testing
import UIKit

/// A text that remembers what it was told of its failures.
private final class Memo: UIDocument {
    var text = ""
    private(set) var failures: [NSError] = []

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }

    override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
        failures.append(error as NSError)
        finishedHandlingError(error, recovered: false)
    }
}

@Suite("Failing disks of a world's devices", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldFailingDiskTests {
    private func text(_ name: String = "a.txt", on device: WorldDevice) throws -> String {
        try String(contentsOf: device.folder.appendingPathComponent(name), encoding: .utf8)
    }

    private nonisolated func explanation(_ name: String = "a.txt", on device: WorldDevice) -> String {
        device.explain(device.folder.appendingPathComponent(name)).joined(separator: " ")
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

    /// That a failure is the one that Apple's interfaces report of a disk that fails.
    private func expect(_ failure: NSError?, is code: CocoaError.Code) {
        #expect(failure?.domain == NSCocoaErrorDomain)
        #expect(failure?.code == code.rawValue)
        let cause = failure?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.domain == NSPOSIXErrorDomain)
        #expect(cause?.code == Int(EIO))
    }

    private func twoDevices() async throws -> (DocumentWorld, WorldDevice, WorldDevice) {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Memo.init, "a.txt", on: phone) { $0.text = "one\ntwo\nthree\n" }
        try await world.settle()
        return (world, phone, pad)
    }

    @Test(
        "A save on a failing disk fails with Apple's error and leaves the old contents; mended, all goes on"
    )
    func save() async throws {
        let (world, phone, pad) = try await twoDevices()
        let url = phone.folder.appendingPathComponent("a.txt")
        try await phone.run { @MainActor in
            let memo = Memo(fileURL: url)
            #expect(await memo.open())
            memo.text = "two\n"
            memo.updateChangeCount(.done)
            try phone.breakDisk(.writing)
            #expect(await memo.save(to: url, for: .forOverwriting) == false)
            expect(memo.failures.last, is: .fileWriteUnknown)
            #expect(memo.hasUnsavedChanges)
            #expect(try text(on: phone) == "one\ntwo\nthree\n")
            phone.mendDisk()
            #expect(await memo.save(to: url, for: .forOverwriting))
            #expect(await memo.close())
        }
        try await world.settle()
        for device in [phone, pad] { #expect(try text(on: device) == "two\n") }
        try world.end()
    }

    @Test("A document that cannot be read is not opened, and not deleted for one that has it open")
    func open() async throws {
        let (world, phone, pad) = try await twoDevices()
        let url = phone.folder.appendingPathComponent("a.txt")
        try await phone.run { @MainActor in
            let held = Memo(fileURL: url)
            #expect(await held.open())
            try phone.breakDisk(.reading)
            let memo = Memo(fileURL: url)
            #expect(await memo.open() == false)
            expect(memo.failures.last, is: .fileReadUnknown)
            #expect(!held.isFileDeleted)
            phone.mendDisk()
            #expect(held.text == "one\ntwo\nthree\n")
            #expect(await held.close())
        }
        try await world.settle()
        #expect(try text(on: pad) == "one\ntwo\nthree\n")
        try world.end()
    }

    @Test(
        "What comes to a device whose disk fails waits, is explained, and is merged once it is mended",
        arguments: [WorldDevice.DiskAccess.reading, .writing, [.reading, .writing]]
    )
    func arriving(_ access: WorldDevice.DiskAccess) async throws {
        let (world, phone, pad) = try await twoDevices()
        pad.goOffline()
        try await world.edit(Memo.init, "a.txt", on: pad) { $0.text = "one\ntwo\nTHREE\n" }
        #expect(pad.running?.isInStepNow == false)
        try pad.breakDisk(access)
        try await world.edit(Memo.init, "a.txt", on: phone) { $0.text = "ONE\ntwo\nthree\n" }
        try await world.create(Memo.init, "b.txt", on: phone) { $0.text = "new\n" }
        pad.goOnline()
        #expect(await explains("disk reports faults", on: pad))
        await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.2) }
        #expect(try text(on: pad) == "one\ntwo\nTHREE\n")
        pad.mendDisk()
        try await world.settle()
        for device in [phone, pad] {
            #expect(try text(on: device) == "ONE\ntwo\nTHREE\n")
            #expect(try text("b.txt", on: device) == "new\n")
            #expect(try device.unresolvedConflicts(of: device.folder.appendingPathComponent("a.txt")) == [])
        }
        try world.end()
    }

    @Test(
        "A device whose disk fails while it runs does not stop, says so, and goes on once it is mended",
        arguments: [WorldDevice.DiskAccess.reading, .writing, [.reading, .writing]]
    )
    func running(_ access: WorldDevice.DiskAccess) async throws {
        let (world, phone, pad) = try await twoDevices()
        try pad.breakDisk(access)
        try await world.edit(Memo.init, "a.txt", on: phone) { $0.text = "ONE\ntwo\nthree\n" }
        #expect(await explains("disk reports faults", on: pad))
        await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.2) }
        #expect(pad.status?.line == .up)
        #expect(try text(on: phone) == "ONE\ntwo\nthree\n")
        pad.mendDisk()
        try await world.settle()
        #expect(try text(on: pad) == "ONE\ntwo\nthree\n")
        try world.end()
    }

    @Test("A folder that cannot be listed is no empty folder, and what is moved into it is not gone")
    func unlisted() async throws {
        let (world, phone, pad) = try await twoDevices()
        let album = phone.folder.appendingPathComponent("album")
        try FileManager.default.createDirectory(at: album, withIntermediateDirectories: false)
        try Data("in it\n".utf8).write(to: album.appendingPathComponent("in.txt"))
        try await world.settle()
        let before = Set(try FileManager.default.subpathsOfDirectory(atPath: pad.folder.path))
        #expect(before == ["a.txt", "album", "album/in.txt"])

        try phone.breakDisk(.reading, at: album)
        // By a program that uses none of the calls that fail.
        try FileManager.default.moveItem(
            at: phone.folder.appendingPathComponent("a.txt"),
            to: album.appendingPathComponent("a.txt")
        )
        #expect(await explains("cannot be looked at", "album/in.txt", on: phone))
        #expect(explanation("album/in.txt", on: phone).contains("disk reports faults"))
        for path in ["album", "album/in.txt"] {
            let state = try #require(phone.running?.item(path))
            #expect(!state.isSettled && !state.isUploaded && state.uploadFailure != nil, "\(path)")
        }
        // What is elsewhere goes on.
        try Data("new\n".utf8).write(to: phone.folder.appendingPathComponent("b.txt"))
        #expect(await arrives("b.txt", on: pad))
        #expect(try text(on: pad) == "one\ntwo\nthree\n")
        #expect(try text("album/in.txt", on: pad) == "in it\n")
        await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.2) }

        // Nor at a start.
        phone.stop()
        try phone.start()
        await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.2) }
        #expect(
            Set(try FileManager.default.subpathsOfDirectory(atPath: pad.folder.path))
                == before.union(["b.txt"])
        )

        phone.mendDisk()
        try await world.settle()
        #expect(try text("album/a.txt", on: pad) == "one\ntwo\nthree\n")
        #expect(try text("album/in.txt", on: pad) == "in it\n")
        for path in ["album", "album/in.txt"] {
            let state = try #require(phone.running?.item(path))
            #expect(state.isSettled && state.isUploaded && state.uploadFailure == nil, "\(path)")
        }
        try world.end()
    }

    @concurrent
    private nonisolated func arrives(_ name: String, on device: WorldDevice) async -> Bool {
        let path = device.folder.appendingPathComponent(name).path
        return device.wait { FileManager.default.fileExists(atPath: path) }
    }

    @Test("A document that cannot be read is no empty one, and is in the way of no other")
    func unreadable() async throws {
        let (world, phone, pad) = try await twoDevices()
        let package = phone.folder.appendingPathComponent("p.rtfd")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: false)
        try Data("text\n".utf8).write(to: package.appendingPathComponent("TXT.rtf"))
        try await world.settle()
        let url = phone.folder.appendingPathComponent("a.txt")
        for place in [url, package] { try phone.breakDisk(.reading, at: place) }
        try Data("changed\n".utf8).write(to: url)
        try Data("changed\n".utf8).write(to: package.appendingPathComponent("TXT.rtf"))
        #expect(await explains("disk reports faults", on: phone))
        #expect(await explains("disk reports faults", "p.rtfd", on: phone))
        await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.2) }
        #expect(try text(on: pad) == "one\ntwo\nthree\n")
        #expect(try text("p.rtfd/TXT.rtf", on: pad) == "text\n")
        phone.mendDisk()
        try await world.settle()
        #expect(try text(on: pad) == "changed\n")
        #expect(try text("p.rtfd/TXT.rtf", on: pad) == "changed\n")
        try world.end()
    }

    @Test("What cannot be read of an evicted document or of one that is kept here is not sent as a document")
    func placeholders() async throws {
        let (world, phone, pad) = try await twoDevices()
        try await world.create(Memo.init, "mine.txt", on: pad) { $0.text = "mine\n" }
        try await world.settle()
        try pad.evict(pad.folder.appendingPathComponent("a.txt"))
        let placeholder = pad.folder.appendingPathComponent(".a.txt.icloud")
        #expect(FileManager.default.fileExists(atPath: placeholder.path))
        try pad.breakDisk(.reading, at: placeholder)
        // Touched by a program, so that it is looked at.
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: placeholder.path)
        #expect(await explains("cannot be looked at", "mine.txt", on: pad))
        pad.stop()
        try pad.start()
        await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.2) }
        pad.mendDisk()
        try await world.settle()
        #expect(try text(on: phone) == "one\ntwo\nthree\n")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: phone.folder.path).sorted() == [
                "a.txt", "mine.txt",
            ]
        )
        try await pad.download(pad.folder.appendingPathComponent("a.txt"))
        #expect(try text(on: pad) == "one\ntwo\nthree\n")
        try world.end()
    }
}

import DeviceSync
import Foundation
import TestThreads
import Testing
import UIKit

@testable import DocumentTesting

/// Bytes that nobody merges.
private class Page: UIDocument {
    var text = ""

    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

/// One that is saved only when somebody says so.
private final class HeldPage: Page {
    override func autosave(completionHandler: ((Bool) -> Void)? = nil) { completionHandler?(true) }
}

/// What a document keeps by itself as in conflict, as its save finds in its place what came meanwhile, and what comes in conflict.
@Suite("Conflicts of documents on several devices", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldConflictTests {
    /// Two devices have a document; the phone's edit comes under one on the pad that is not saved.
    private func world(_ name: String) async throws -> (DocumentWorld, phone: WorldDevice, pad: WorldDevice) {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(Page.init, name, on: phone) { $0.text = "first" }
        try await world.settle()
        try await pad.run { @MainActor in
            let page = HeldPage(fileURL: pad.folder.appendingPathComponent(name))
            #expect(await page.open())
            page.text = "the pad's"
            page.updateChangeCount(.done)
            try await world.edit(Page.init, name, on: phone) { $0.text = "the phone's" }
            try await world.settle()
            #expect(await page.save(to: page.fileURL, for: .forOverwriting))
            #expect(await page.close())
        }
        try await world.settle()
        return (world, phone, pad)
    }

    private func conflicts(_ name: String, on device: WorldDevice) throws -> [String] {
        try device.unresolvedConflicts(of: device.folder.appendingPathComponent(name)).map {
            String(decoding: try Data(contentsOf: $0.url), as: UTF8.self)
        }
    }

    @Test("It is in conflict on every device, and settled on any", arguments: [0, 1])
    func shown(settling: Int) async throws {
        let (world, phone, pad) = try await world("a.dat")
        for device in [phone, pad] {
            let text = try String(
                contentsOf: device.folder.appendingPathComponent("a.dat"),
                encoding: .utf8
            )
            #expect(text == "the pad's")
            let found = try conflicts("a.dat", on: device)
            #expect(found == ["the phone's"], "\(device.name)")
        }
        let settler = [phone, pad][settling]
        let versions = try settler.unresolvedConflicts(of: settler.folder.appendingPathComponent("a.dat"))
        await settler.run { @MainActor in versions.forEach { $0.isResolved = true } }
        try await world.settle()
        for device in [phone, pad] {
            #expect(device.wait { (try? conflicts("a.dat", on: device)) == [] }, "\(device.name)")
        }
        try world.end()
    }

    /// What the versions of a document hold, the oldest first.
    private func versions(_ name: String, on device: WorldDevice) async throws -> [String] {
        let url = device.folder.appendingPathComponent(name)
        return try await device.run {
            try (NSFileVersion.otherVersionsOfItem(at: url) ?? []).map {
                try String(contentsOf: $0.url, encoding: .utf8)
            }
        }
    }

    /// Moves a document out of a device's folder while there is no line, and edits it there.
    private func moveOut(_ name: String, of device: WorldDevice, in world: DocumentWorld) async throws {
        device.goOffline()
        try await device.run { @MainActor in
            let elsewhere = world.folder.appendingPathComponent("elsewhere.dat")
            try FileManager.default.moveItem(at: device.folder.appendingPathComponent(name), to: elsewhere)
            let page = HeldPage(fileURL: elsewhere)
            #expect(await page.open())
            page.text = "elsewhere"
            page.updateChangeCount(.done)
            #expect(await page.save(to: elsewhere, for: .forOverwriting))
            #expect(await page.close())
        }
    }

    @Test(
        "What is moved out of the folder, and comes back as others have edited it, shows in its place what is in conflict"
    )
    func movedOut() async throws {
        let world = try DocumentWorld()
        let (phone, pad, desk) = try world.devices("phone", "pad", "desk")
        try await world.create(Page.init, "a.dat", on: phone) { $0.text = "first" }
        try await world.settle()
        try await moveOut("a.dat", of: desk, in: world)
        pad.goOffline()
        try await world.edit(Page.init, "a.dat", on: pad) { $0.text = "the pad's" }
        try await world.edit(Page.init, "a.dat", on: phone) { $0.text = "the phone's" }
        pad.goOnline()
        desk.goOnline()
        try await world.settle()
        let shown = try conflicts("a.dat", on: phone)
        #expect(shown.count == 1)
        for device in [pad, desk] {
            let found = try conflicts("a.dat", on: device)
            #expect(found == shown, "\(device.name)")
        }
        try world.end()
    }

    @Test("It is the document that it was for those who edit it there, too, and what was moved out is a copy")
    func movedOutAndBack() async throws {
        let world = try DocumentWorld()
        let (phone, desk) = try world.devices("phone", "desk")
        try await world.create(Page.init, "a.dat", on: phone) { $0.text = "first" }
        try await world.settle()
        try await moveOut("a.dat", of: desk, in: world)
        try await world.edit(Page.init, "a.dat", on: phone) { $0.text = "the phone's" }
        desk.goOnline()
        try await world.settle()
        #expect(try await versions("a.dat", on: desk).contains("first"))
        try await world.edit(Page.init, "a.dat", on: desk) { $0.text = "the desk's" }
        try await world.settle()
        let places = [phone, desk].map { $0.folder.appendingPathComponent("a.dat") }
        #expect(
            try places.map { try String(contentsOf: $0, encoding: .utf8) } == ["the desk's", "the desk's"]
        )
        let history = try await versions("a.dat", on: desk)
        // What was saved elsewhere is among it: it was this document then.
        #expect(history == ["first", "elsewhere", "the phone's"])
        try world.end()
    }

    @Test("Settled elsewhere while a device's disk is full, it is settled there once there is room")
    func settledWithoutRoom() async throws {
        let (world, phone, pad) = try await world("a.dat")
        try pad.fillDisk()
        let versions = try phone.unresolvedConflicts(of: phone.folder.appendingPathComponent("a.dat"))
        await phone.run { @MainActor in versions.forEach { $0.isResolved = true } }
        try await world.settle([phone])
        #expect(pad.wait { pad.running?.logPosition == phone.running?.logPosition })
        #expect(try conflicts("a.dat", on: phone) == [])
        pad.freeDisk()
        try await world.settle()
        #expect(pad.wait { (try? conflicts("a.dat", on: pad)) == [] })
        try world.end()
    }

    @Test("A device that starts anew knows it still, and shows it once")
    func afterKill() async throws {
        let (world, phone, pad) = try await world("a.dat")
        try pad.killAbruptly()
        try pad.start()
        try await world.settle()
        try await world.edit(Page.init, "a.dat", on: pad) { $0.text = "the pad's again" }
        try await world.settle()
        for device in [phone, pad] {
            let found = try conflicts("a.dat", on: device)
            #expect(found == ["the phone's"], "\(device.name)")
        }
        try world.end()
    }
}

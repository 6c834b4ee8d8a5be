import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

@Suite("A world's hub that forgets devices, and one without room", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldHubTests {
    private let world: DocumentWorld
    private let phone: WorldDevice
    private let pad: WorldDevice

    init() async throws {
        world = try DocumentWorld()
        (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
    }

    private func add(_ item: String, on device: WorldDevice, _ name: String = "list.txt") async throws {
        try await world.edit(ShoppingList.init, name, on: device) { $0.items.append(item) }
    }

    private func expect(
        _ items: [String],
        _ name: String = "list.txt",
        on devices: [WorldDevice]
    ) async throws {
        for device in devices {
            try await world.look(ShoppingList.init, name, on: device) {
                #expect($0.items == items, "\(device.name), seed \(world.seed)")
            }
        }
    }

    /// Looks again and again until something is so that a device finds out by itself.
    private func becomes(_ isSo: () -> Bool) async -> Bool {
        let end = Date(timeIntervalSinceNow: 60)
        while Date() < end {
            if isSo() { return true }
            await Task.yield()
        }
        return false
    }

    // MARK: Forgotten

    @Test("Put back to before a device joined, it refuses that until it is registered again; nothing is lost")
    func forgotten() async throws {
        defer { try? world.end() }
        world.backUpHub()
        let desk = try world.devices(["desk"])[0]
        try await world.settle()
        world.restoreHub()
        try await world.create(ShoppingList.init, "desk.txt", on: desk) { $0.items = ["tape"] }
        try await add("jam", on: phone)
        try await world.settle([phone, pad])
        let url = desk.folder.appendingPathComponent("desk.txt")
        let isSaid = await becomes {
            desk.explain(url).contains { $0.contains("does not know this device") }
        }
        #expect(isSaid, "\(desk.explain(url))")
        #expect(desk.explain(url).last?.contains("register the device again") == true, "\(desk.explain(url))")
        let there = pad.folder.appendingPathComponent("desk.txt").path
        #expect(!FileManager.default.fileExists(atPath: there))
        try await expect(["milk"], on: [desk])
        let failure = await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.2) }
        #expect(failure.map { "\($0)" }?.contains("registerAgain()") == true)

        try desk.registerAgain()
        try await world.settle()
        try await expect(["milk", "jam"], on: [phone, pad, desk])
        try await expect(["tape"], "desk.txt", on: [phone, pad, desk])
        for device in [phone, pad, desk] {
            for name in ["list.txt", "desk.txt"] {
                #expect(try device.unresolvedConflicts(of: device.folder.appendingPathComponent(name)) == [])
            }
        }
    }

    @Test("A device is registered again only where the hub can be asked, and does not know it")
    func registering() async throws {
        defer { try? world.end() }
        try phone.registerAgain()
        world.backUpHub()
        let desk = try world.devices(["desk"])[0]
        world.restoreHub()
        desk.goOffline()
        #expect(throws: (any Error).self) { try desk.registerAgain() }
        desk.goOnline()
        world.crashHub()
        #expect(throws: (any Error).self) { try desk.registerAgain() }
        world.startHub()
        world.fillHub()
        #expect(throws: (any Error).self) { try desk.registerAgain() }
        world.freeHub()
        // Stopped, it may be as well, and stays so.
        desk.stop()
        try desk.registerAgain()
        #expect(!desk.isStarted)
        try desk.start()
        try await world.settle()
        try await expect(["milk"], on: [phone, pad, desk])
    }

    // MARK: Without room

    @Test("On a full hub what is new waits on its device, with the line up, and goes on once there is room")
    func full() async throws {
        defer { try? world.end() }
        world.fillHub()
        #expect(!world.hasHubRoom && world.isHubRunning)
        try await add("jam", on: phone)
        try await world.create(ShoppingList.init, "pad.txt", on: pad) { $0.items = ["tape"] }
        try await world.settle()
        try await expect(["milk", "jam"], on: [phone])
        try await expect(["milk"], on: [pad])
        let url = phone.folder.appendingPathComponent("list.txt")
        #expect(phone.explain(url).contains { $0.contains("volume is full") }, "\(phone.explain(url))")
        #expect(phone.explain(url).last?.contains("free some space") == true, "\(phone.explain(url))")
        try await phone.run {
            let values = try url.resourceValues(forKeys: [.ubiquitousItemUploadingErrorKey])
            #expect(values.ubiquitousItemUploadingError?.code == NSUbiquitousFileNotUploadedDueToQuotaError)
        }
        #expect(throws: (any Error).self) { try world.devices(["desk"]) }

        world.freeHub()
        #expect(world.hasHubRoom)
        try await world.settle()
        try await expect(["milk", "jam"], on: [phone, pad])
        try await expect(["tape"], "pad.txt", on: [phone, pad])
    }

    @Test("What waits for a name to be left by what waits for room waits for that, too")
    func nameLeft() async throws {
        defer { try? world.end() }
        let (former, moved) = (
            phone.folder.appendingPathComponent("a"), phone.folder.appendingPathComponent("b")
        )
        try FileManager.default.createDirectory(at: former, withIntermediateDirectories: false)
        try await world.settle()
        world.fillHub()
        try FileManager.default.moveItem(at: former, to: moved)
        try FileManager.default.createDirectory(at: former, withIntermediateDirectories: false)
        try await world.settle()
        #expect(phone.explain(former).contains { $0.contains("volume is full") }, "\(phone.explain(former))")
        world.freeHub()
        try await world.settle()
        let names = try FileManager.default.contentsOfDirectory(atPath: pad.folder.path).sorted()
        #expect(names == ["a", "b", "list.txt"])
    }

    @Test("What needs no contents waits for room, too, item by item", arguments: 0..<3)
    func recordsOnly(round: Int) async throws {
        defer { try? world.end() }
        try await world.create(ShoppingList.init, "other.txt", on: phone) { $0.items = ["tape"] }
        try await world.settle()
        world.fillHub()
        let (list, moved) = ("list.txt", "moved.txt")
        try FileManager.default.moveItem(
            at: phone.folder.appendingPathComponent(list),
            to: phone.folder.appendingPathComponent(moved)
        )
        try FileManager.default.removeItem(at: phone.folder.appendingPathComponent("other.txt"))
        let folder = phone.folder.appendingPathComponent("folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try Data("in it\n".utf8).write(to: folder.appendingPathComponent("inner.txt"))
        // Once it is free while the device is still being refused.
        if round > 0 {
            try await world.settle()
            #expect(FileManager.default.fileExists(atPath: pad.folder.appendingPathComponent(list).path))
            #expect(phone.isOnline)
            let all = phone.explain(phone.folder.appendingPathComponent(moved))
            #expect(all.contains { $0.contains("volume is full") }, "\(all)")
        }
        if round == 2 {
            // Who begins anew meanwhile is refused, too.
            try phone.start()
            try await world.settle()
        }
        world.freeHub()
        try await world.settle()
        let names = try FileManager.default.contentsOfDirectory(atPath: pad.folder.path).sorted()
        #expect(names == ["folder", moved])
        try await expect(["in it"], "folder/inner.txt", on: [phone, pad])
    }
}

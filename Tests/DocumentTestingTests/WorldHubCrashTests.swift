import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

@Suite("A world's hub that crashes", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldHubCrashTests {
    /// Two devices that have a list.
    private func twoDevices() async throws -> (DocumentWorld, phone: WorldDevice, pad: WorldDevice) {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) {
            $0.items = ["milk", "bread", "salt"]
        }
        try await world.settle()
        return (world, phone, pad)
    }

    /// What is in a device's folder, by name.
    private func texts(on device: WorldDevice) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: device.folder.path)
        return try names.reduce(into: [:]) { texts, name in
            let url = device.folder.appendingPathComponent(name)
            texts[name] = try String(contentsOf: url, encoding: .utf8)
        }
    }

    @Test(
        "It crashes in the middle of what it is told, and nothing is lost, and nothing is there twice",
        arguments: 0..<7,
        [false, true]
    )
    func betweenWrites(writeCount: Int, isLastAnswered: Bool) async throws {
        let (world, phone, pad) = try await twoDevices()
        world.crashHub(afterWrites: writeCount, isLastAnswered: isLastAnswered)
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.insert("tea", at: 0) }
        try await world.create(ShoppingList.init, "phone.txt", on: phone) { $0.items = ["tape"] }
        try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items.append("jam") }
        try await world.settle()
        // How many more writes there are depends on how much goes in one message.
        #expect(!world.isHubRunning || writeCount > 1)
        world.startHub()
        try await world.settle()

        let expected = ["list.txt": "tea\nmilk\nbread\nsalt\njam\n", "phone.txt": "tape\n"]
        for device in [phone, pad] {
            #expect(try texts(on: device) == expected, "seed \(world.seed)")
            let url = device.folder.appendingPathComponent("list.txt")
            #expect(try device.unresolvedConflicts(of: url) == [], "seed \(world.seed)")
        }
        try world.end()
    }

    @Test("While it does not run nothing gets from one device to another, and a world comes to rest without")
    func down() async throws {
        let (world, phone, pad) = try await twoDevices()
        world.crashHub()
        #expect(!world.isHubRunning)
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("jam") }
        try await world.settle()
        #expect(try texts(on: pad) == ["list.txt": "milk\nbread\nsalt\n"])
        #expect(phone.explain(phone.folder.appendingPathComponent("list.txt")).count > 1)
        // Nobody can join, nor can a device that starts find it.
        #expect(throws: (any Error).self) { _ = try world.devices(["desk"]) }
        pad.stop()
        try pad.start()
        try await world.settle()
        world.startHub()
        try await world.settle()
        #expect(try texts(on: pad) == ["list.txt": "milk\nbread\nsalt\njam\n"])
        try world.end()
    }

    @Test("A crash that has not come yet does not come once the hub is started, and one can come again")
    func disarmed() async throws {
        let (world, phone, pad) = try await twoDevices()
        world.crashHub(afterWrites: 1)
        #expect(world.isHubRunning)
        world.startHub()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("jam") }
        try await world.settle()
        #expect(world.isHubRunning)
        for item in ["tea", "rice"] {
            world.crashHub(afterWrites: 1, isLastAnswered: true)
            try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items.append(item) }
            try await world.settle()
            world.startHub()
            try await world.settle()
        }
        #expect(try texts(on: phone) == ["list.txt": "milk\nbread\nsalt\njam\ntea\nrice\n"])
        try world.end()
    }

    @Test("Its backup is put back while it does not run, and what it has lost comes again from the devices")
    func putBackMeanwhile() async throws {
        let (world, phone, pad) = try await twoDevices()
        world.backUpHub()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("jam") }
        try await world.settle()
        world.crashHub()
        world.restoreHub()
        #expect(!world.isHubRunning)
        world.startHub()
        try await world.settle()
        for device in [phone, pad] {
            #expect(try texts(on: device) == ["list.txt": "milk\nbread\nsalt\njam\n"])
        }
        try world.end()
    }

    @Test("To put a hub back of which there is no backup is a mistake")
    func withoutBackup() async {
        await #expect(processExitsWith: .failure) {
            let world = try DocumentWorld()
            // Nobody removes it when this process is gone.
            try world.end()
            world.restoreHub()
        }
    }
}

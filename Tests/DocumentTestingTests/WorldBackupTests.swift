import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

@Suite("A world's device that is put back to a backup", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldBackupTests {
    /// Two devices that have a list, and a backup of the second from then.
    private func twoDevices() async throws -> (
        DocumentWorld, phone: WorldDevice, pad: WorldDevice, yesterday: WorldDevice.Backup
    ) {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) {
            $0.items = ["milk", "bread", "salt"]
        }
        try await world.settle()
        return (world, phone, pad, try pad.backUp())
    }

    private func expect(
        _ items: [String],
        in name: String = "list.txt",
        on devices: [WorldDevice],
        of world: DocumentWorld,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        for device in devices {
            try await world.look(ShoppingList.init, name, on: device) { list in
                #expect(list.items == items, "\(device.name)", sourceLocation: location)
            }
            let url = device.folder.appendingPathComponent(name)
            #expect(try device.unresolvedConflicts(of: url) == [], sourceLocation: location)
        }
    }

    @Test("Put back to yesterday's, a device gets again what it has sent since, and what others have done")
    func yesterday() async throws {
        let (world, phone, pad, yesterday) = try await twoDevices()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.insert("tea", at: 0) }
        try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items.append("jam") }
        try await world.create(ShoppingList.init, "new.txt", on: pad) { $0.items = ["tape"] }
        try await world.settle()

        for _ in 0..<2 {
            try pad.restore(yesterday)
            try await world.settle()
            let devices = [phone, pad]
            try await expect(["tea", "milk", "bread", "salt", "jam"], on: devices, of: world)
            try await expect(["tape"], in: "new.txt", on: devices, of: world)
        }
        // And it goes on as ever.
        try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items.removeFirst() }
        try await world.settle()
        try await expect(["milk", "bread", "salt", "jam"], on: [phone, pad], of: world)
        try world.end()
    }

    @Test("What a device had not sent is gone with its disk; nothing of the others' is")
    func unsent() async throws {
        let (world, phone, pad, yesterday) = try await twoDevices()
        pad.goOffline()
        try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items.append("jam") }
        try await world.create(ShoppingList.init, "new.txt", on: pad) { $0.items = ["tape"] }
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.insert("tea", at: 0) }
        try pad.restore(yesterday)
        try await expect(["milk", "bread", "salt"], on: [pad], of: world)
        pad.goOnline()
        try await world.settle()
        try await expect(["tea", "milk", "bread", "salt"], on: [phone, pad], of: world)
        for device in [phone, pad] {
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: device.folder.path) == ["list.txt"]
            )
        }
        try world.end()
    }

    @Test("What was removed everywhere does not come back with a backup; what was removed unheard of does")
    func removed() async throws {
        let (world, phone, pad, yesterday) = try await twoDevices()
        let places = [phone, pad].map { $0.folder.appendingPathComponent("list.txt") }
        pad.goOffline()
        try FileManager.default.removeItem(at: places[1])
        try pad.restore(yesterday)
        pad.goOnline()
        try await world.settle()
        try await expect(["milk", "bread", "salt"], on: [phone, pad], of: world)

        try FileManager.default.removeItem(at: places[1])
        try await world.settle()
        #expect(!FileManager.default.fileExists(atPath: places[0].path))
        try pad.restore(yesterday)
        try await world.settle()
        #expect(places.allSatisfy { !FileManager.default.fileExists(atPath: $0.path) })
        try world.end()
    }

    @Test("A device that is stopped is copied as it is, and is started when it is put back")
    func stopped() async throws {
        let (world, phone, pad, _) = try await twoDevices()
        pad.stop()
        let url = pad.folder.appendingPathComponent("list.txt")
        try Data("milk\nbread\nsalt\njam\n".utf8).write(to: url)
        let backup = try pad.backUp()
        // Nobody has kept it in step.
        try await world.settle()
        try await expect(["milk", "bread", "salt"], on: [phone], of: world)
        try Data("nothing of worth\n".utf8).write(to: url)
        try pad.restore(backup)
        try await world.settle()
        try await expect(["milk", "bread", "salt", "jam"], on: [phone, pad], of: world)
        try world.end()
    }

    @Test("A disk that cannot be read is not copied; one that was full is put back as a good one")
    func disks() async throws {
        let (world, phone, pad, yesterday) = try await twoDevices()
        try pad.breakDisk(.reading)
        let error = #expect(throws: CocoaError.self) { _ = try pad.backUp() }
        #expect(error?.code == .fileReadUnknown)
        pad.mendDisk()
        try pad.fillDisk()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("jam") }
        try pad.restore(yesterday)
        try await world.settle()
        try await expect(["milk", "bread", "salt", "jam"], on: [phone, pad], of: world)
        try world.end()
    }

    @Test("Versions of before are there again, and a conflict that came since comes once more")
    func versions() async throws {
        let (world, phone, pad, _) = try await twoDevices()
        try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items.append("jam") }
        try await world.settle()
        let url = pad.folder.appendingPathComponent("list.txt")
        func former() async -> Int {
            await pad.run { NSFileVersion.otherVersionsOfItem(at: url)?.count ?? 0 }
        }
        let backup = try pad.backUp()
        let count = await former()
        #expect(count > 0)

        phone.goOffline()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items[0] = "oat milk" }
        try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items[0] = "soy milk" }
        try await world.settle()
        phone.goOnline()
        try await world.settle()
        let conflicts = try pad.unresolvedConflicts(of: url)
        #expect(try conflicts.map { try String(contentsOf: $0.url, encoding: .utf8).prefix(3) } == ["oat"])

        pad.goOffline()
        try pad.restore(backup)
        #expect(await former() == count)
        #expect(try pad.unresolvedConflicts(of: url) == [])
        pad.goOnline()
        try await world.settle()
        let again = try pad.unresolvedConflicts(of: url)
        #expect(try again.map { try String(contentsOf: $0.url, encoding: .utf8).prefix(3) } == ["oat"])
        try world.end()
    }

    @Test("A backup of one device is not put back on another")
    func another() async {
        await #expect(processExitsWith: .failure) {
            let world = try DocumentWorld()
            let (phone, pad) = try world.devices(2)
            let backup = try pad.backUp()
            // Nobody removes it when this process is gone.
            try world.end()
            try phone.restore(backup)
        }
    }
}

import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

@Suite("A world's devices that crash", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldCrashTests {
    /// Has a device crash before the first write, the second, and so on, of an edit and of all that comes of it.
    ///
    /// - Parameters:
    ///   - edit: Is told how often it was called.
    ///   - check: Looks, when all is at rest again; told which edits were acknowledged.
    /// - Returns: How often it has crashed.
    private func crashAtEachWrite(
        of phone: WorldDevice,
        in world: DocumentWorld,
        edit: (Int) async throws -> Void,
        check: (Set<Int>) throws -> Void
    ) async throws -> Int {
        var (count, hasCrashed, saved): (Int, Bool, Set<Int>) = (0, true, [])
        while hasCrashed {
            try phone.crash(afterWrites: count)
            do {
                try await edit(count)
                saved.insert(count)
            } catch is WorldDocumentFailure {
                #expect(phone.hasCrashed, "seed \(world.seed)")
            }
            try await world.settle()
            hasCrashed = phone.hasCrashed
            try phone.start()
            #expect(!phone.hasCrashed)
            try await world.settle()
            try check(saved)
            count += 1
        }
        return count - 1
    }

    private func text(_ name: String, on device: WorldDevice) throws -> String {
        try String(contentsOf: device.folder.appendingPathComponent(name), encoding: .utf8)
    }

    @Test("It crashes before any write of an edit and of what sends it: what was saved is on all, once")
    func files() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
        let count = try await crashAtEachWrite(of: phone, in: world) { number in
            try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("\(number)") }
        } check: { saved in
            let text = try text("list.txt", on: phone)
            #expect(try self.text("list.txt", on: pad) == text, "seed \(world.seed)")
            let items = text.split(separator: "\n").map(String.init)
            #expect(items.first == "milk" && Set(items).count == items.count, "\(items), seed \(world.seed)")
            #expect(saved.isSubset(of: items.compactMap { Int($0) }), "\(items), seed \(world.seed)")
            for device in [phone, pad] {
                let url = device.folder.appendingPathComponent("list.txt")
                #expect(try device.unresolvedConflicts(of: url) == [], "seed \(world.seed)")
            }
        }
        #expect(count > 10)
        try world.end()
    }

    @Test(
        "It crashes before any write of a package: its files are of one edit everywhere, the last that was saved or one since"
    )
    func packages() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(TwoPages.init, "album.rtfd", on: phone) { $0.page = "-1" }
        try await world.settle()
        let count = try await crashAtEachWrite(of: phone, in: world) { number in
            try await world.edit(TwoPages.init, "album.rtfd", on: phone) { $0.page = "\(number)" }
        } check: { saved in
            let page = try text("album.rtfd/front.txt", on: phone)
            #expect(try text("album.rtfd/back.txt", on: phone) == page, "seed \(world.seed)")
            for name in ["front.txt", "back.txt"] {
                #expect(try text("album.rtfd/\(name)", on: pad) == page, "seed \(world.seed)")
            }
            #expect(Int(page).map { $0 >= saved.max() ?? -1 } == true, "\(page), seed \(world.seed)")
        }
        #expect(count > 10)
        try world.end()
    }

    @Test(
        "It crashes before any write of what comes from another device: that comes whole, and nothing is told as a conflict"
    )
    func receiving() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(TwoPages.init, "album.rtfd", on: pad) { $0.page = "-1" }
        try await world.settle()
        let count = try await crashAtEachWrite(of: phone, in: world) { number in
            try await world.edit(TwoPages.init, "album.rtfd", on: pad) { $0.page = "\(number)" }
        } check: { saved in
            let page = try #require(saved.max())
            for (device, name) in [(phone, "front.txt"), (phone, "back.txt"), (pad, "front.txt")] {
                #expect(try text("album.rtfd/\(name)", on: device) == "\(page)", "seed \(world.seed)")
            }
            let url = phone.folder.appendingPathComponent("album.rtfd")
            #expect(try phone.unresolvedConflicts(of: url) == [], "seed \(world.seed)")
        }
        #expect(count > 10)
        try world.end()
    }

    @Test("A crash that is to come comes, whenever its device goes online or is copied meanwhile")
    func stillToCome() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) {
            $0.items = ["milk", "bread", "salt"]
        }
        try await world.settle()
        for count in 0...10 {
            pad.goOffline()
            try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items[0] = "tea \(count)" }
            try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items[2] = "jam \(count)" }
            try pad.crash(afterWrites: count)
            pad.goOnline()
            try await world.settle()
            #expect(pad.hasCrashed && !pad.isStarted, "after \(count) writes, seed \(world.seed)")
            try pad.start()
            try await world.settle()

            try pad.crash(afterWrites: count)
            _ = try pad.backUp()
            try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items[0] = "rice \(count)" }
            try await world.settle()
            #expect(pad.hasCrashed && !pad.isStarted, "after \(count) writes, seed \(world.seed)")
            try pad.start()
            try await world.settle()
        }
        #expect(try text("list.txt", on: phone) == "rice 10\nbread\njam 10\n", "seed \(world.seed)")
        #expect(try text("list.txt", on: pad) == "rice 10\nbread\njam 10\n", "seed \(world.seed)")
    }

    @Test("A device that has crashed is not brought back by another crash, nor by being copied")
    func crashedTwice() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let phone = try world.devices(["phone"])[0]
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
        try phone.crash()
        try phone.crash(afterWrites: 5)
        _ = try phone.backUp()
        #expect(phone.hasCrashed && !phone.isStarted)
        await #expect(throws: WorldDocumentFailure.self) {
            try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("tea") }
        }
        #expect(try text("list.txt", on: phone) == "milk\n")
        try phone.start()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("jam") }
        try await world.settle()
        #expect(try text("list.txt", on: phone) == "milk\njam\n")
    }

    @Test(
        "On a device that has crashed nothing is saved or sent, and it says so; a start ends also what has not come yet"
    )
    func down() async throws {
        let world = try DocumentWorld()
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
        let url = phone.folder.appendingPathComponent("list.txt")
        try phone.crash()
        #expect(phone.hasCrashed && !pad.hasCrashed)
        await #expect(throws: WorldDocumentFailure.self) {
            try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("tea") }
        }
        try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items.append("jam") }
        try await world.settle()
        #expect(try text("list.txt", on: phone) == "milk\n" && text("list.txt", on: pad) == "milk\njam\n")
        #expect(phone.explain(url) == ["phone has crashed: `start()` starts it again."])
        #expect(throws: CocoaError.self) { try phone.evict(url) }
        // Nobody starts it but its person.
        phone.goOffline()
        phone.goOnline()
        phone.mendDisk()
        #expect(phone.hasCrashed)
        try phone.start()
        try await world.settle()
        #expect(try text("list.txt", on: phone) == "milk\njam\n")

        try phone.crash(afterWrites: 3)
        try phone.start()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("salt") }
        try await world.settle()
        #expect(!phone.hasCrashed)
        #expect(try text("list.txt", on: pad) == "milk\njam\nsalt\n")
        try pad.crash()
        try world.end()
        #expect(!FileManager.default.fileExists(atPath: world.folder.path))
    }
}

import DocumentFoundation
import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

@Suite("What somebody holds up in a world", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldHeldUpTests {
    private let world: DocumentWorld
    private let phone: WorldDevice
    private let pad: WorldDevice
    private var url: URL { pad.folder.appendingPathComponent("list.txt") }

    init() async throws {
        world = try DocumentWorld()
        (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
    }

    private func expect(_ items: [String], on device: WorldDevice) async throws {
        try await world.look(ShoppingList.init, "list.txt", on: device) {
            #expect($0.items == items, "\(device.name), seed \(world.seed)")
        }
    }

    /// That a world comes to rest though something is held up, without having waited for that.
    private func settle() async throws { try await world.settle() }

    @Test("A world comes to rest though a document is paused, and all have it once it is resumed")
    func paused() async throws {
        try await pad.run { try await FileManager.default.pauseSyncForUbiquitousItem(at: url) }
        try await world.edit(ShoppingList.init, "list.txt", on: pad) { $0.items.append("eggs") }
        // What is not paused is waited for.
        try await world.create(ShoppingList.init, "other.txt", on: pad) { $0.items = ["tea"] }
        try await settle()
        try await expect(["milk"], on: phone)
        try await world.look(ShoppingList.init, "other.txt", on: phone) { #expect($0.items == ["tea"]) }
        try await pad.run {
            try await FileManager.default.resumeSyncForUbiquitousItem(at: url, with: .preserveLocalChanges)
        }
        try await settle()
        for device in [phone, pad] { try await expect(["milk", "eggs"], on: device) }
        try world.end()
    }

    @Test("So it does where a document is excluded from sync")
    func excluded() async throws {
        func exclude(_ isExcluded: Bool) async throws {
            try await pad.run {
                var (url, values) = (url, URLResourceValues())
                values.ubiquitousItemIsExcludedFromSync = isExcluded
                try url.setResourceValues(values)
            }
        }
        try await exclude(true)
        try await settle()
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("eggs") }
        try await settle()
        try await expect(["milk"], on: pad)
        try await exclude(false)
        try await settle()
        try await expect(["milk", "eggs"], on: pad)
        try world.end()
    }
}

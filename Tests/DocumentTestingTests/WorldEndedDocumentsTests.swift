import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

/// What a test has open itself on a device that crashes, is put back, or ends with its world.
@Suite("Documents that are open when a device ends", .onOwnThreads, .timeLimit(.minutes(5)))
@MainActor
struct WorldEndedDocumentsTests {
    private let world: DocumentWorld
    private let phone: WorldDevice
    private let pad: WorldDevice
    private var url: URL { phone.folder.appendingPathComponent("list.txt") }

    init() async throws {
        world = try DocumentWorld()
        (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
    }

    /// Opens the list on the phone, and edits it.
    private func edited() async -> ShoppingList {
        await phone.run {
            let list = ShoppingList(fileURL: url)
            #expect(await list.open())
            list.items.append("tea")
            list.updateChangeCount(.done)
            return list
        }
    }

    /// Reads in a coordinated way: what is open is to be saved before.
    private func read() async {
        await withCheckedContinuation { goOn in
            NSFileCoordinator().coordinate(with: [.readingIntent(with: url)], queue: .main) { error in
                #expect(error == nil)
                goOn.resume()
            }
        }
    }

    private func expect(_ items: [String], saying what: String) async throws {
        await read()
        try await world.settle()
        for device in [phone, pad] {
            try await world.look(ShoppingList.init, "list.txt", on: device) {
                #expect($0.items == items, "\(what), \(device.name), seed \(world.seed)")
            }
        }
    }

    @Test(
        "What was not saved when its device crashed is gone once that is started, whoever still has it open"
    )
    func crash() async throws {
        let list = await edited()
        try phone.crash()
        try phone.start()
        try await expect(["milk"], saying: "after the crash")
        #expect(list.documentState == .closed)
        #expect(await list.save(to: url, for: .forOverwriting) == false)
        #expect(!NSFileCoordinator.filePresenters.contains { $0 === list })

        // Opened again, it is a document as any other.
        #expect(await list.open())
        #expect(list.items == ["milk"])
        list.items.append("jam")
        list.updateChangeCount(.done)
        #expect(await list.close())
        try await expect(["milk", "jam"], saying: "after it was opened again")
        try world.end()
    }

    @Test("So it is where another thread starts the device, and where the crash comes with a save")
    func elsewhere() async throws {
        let list = await edited()
        try phone.crash(afterWrites: 2)
        #expect(await list.save(to: url, for: .forOverwriting) == false)
        #expect(phone.hasCrashed)
        let phone = phone
        await withCheckedContinuation { goOn in
            DispatchQueue.global().async {
                #expect(throws: Never.self) { try phone.start() }
                goOn.resume()
            }
        }
        try await expect(["milk"], saying: "after the crash")
        #expect(list.documentState == .closed)
        try world.end()
    }

    @Test("An edit whose device crashes meanwhile, and is started again, is not said to be saved")
    func amidEdit() async throws {
        let failure = await #expect(throws: WorldDocumentFailure.self) {
            try await world.edit(ShoppingList.init, "list.txt", on: phone) { list in
                list.items.append("tea")
                try phone.crash()
                try phone.start()
            }
        }
        #expect((failure?.cause as? DocumentError)?.code == .notOpen)
        try await expect(["milk"], saying: "after the crash")
        try world.end()
    }

    @Test("What was not saved when its device was put back is gone")
    func restore() async throws {
        let backup = try phone.backUp()
        let list = await edited()
        try phone.restore(backup)
        try await expect(["milk"], saying: "after the phone was put back")
        #expect(await list.close())
        #expect(list.documentState == .closed)
        try world.end()
    }

    @Test("What is still open when its world ends presents nothing any more, and closes")
    func end() async throws {
        let list = await edited()
        let root = world.folder.path + "/"
        try world.end()
        #expect(
            !NSFileCoordinator.filePresenters.contains { $0.presentedItemURL?.path.hasPrefix(root) == true }
        )
        #expect(await list.close())
        #expect(list.documentState == .closed)
        #expect(!FileManager.default.fileExists(atPath: world.folder.path))
    }
}
